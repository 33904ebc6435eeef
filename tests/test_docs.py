"""Every Python block of the README and of the docs runs, and prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.markdown import apart, blocks, run_page

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
PAGES_WITH = (
    "index", "first-steps", "writing-a-model", "training", "gradients", "saving", "debugging", "engine", "seed",
    "backends", "writing-a-backend", "from-pytorch", "from-burn", "from-keras",
)  # fmt: skip
EXAMPLES = {"README.md", *(f"docs/{name}.md" for name in PAGES_WITH)}
"""Pages that must hold examples: a block that is not marked as Python would go unnoticed."""


@pytest.mark.parametrize("name", NAMES)
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = ROOT / name
    if any(
        "torch" in block.text
        for block in blocks(page.read_text(encoding="utf-8"))
        if block.language == "python"
    ):
        pytest.importorskip("torch", reason="the examples of this page use torch")
    monkeypatch.chdir(tmp_path)
    ran = apart(run_page, page)
    assert ran or name not in EXAMPLES, "no Python block was found"


def test_pages_exist() -> None:
    assert set(NAMES) >= EXAMPLES


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    page = ROOT / name
    prose = re.sub(
        r"^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    for target in re.findall(r"\]\(([^)#\s]+)", prose):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{name} links to {target}, which does not exist"


def written(tmp_path: Path, text: str) -> Path:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("```python\n>>> 1 + 1\n3\n```\n", "Expected", id="doctest"),
        pytest.param("```python\nprint(1)\n```\n\n```output\n2\n```\n", "the page says", id="output"),
        pytest.param("```python\nprint(1)\n```\n", "the page says", id="output-not-shown"),
        pytest.param("```python\npass\n```\n\n```output\n2\n```\n", "the page says", id="output-not-printed"),
    ],
)
def test_a_wrong_example_fails(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        run_page(written(tmp_path, text))


def test_a_raising_example_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        run_page(written(tmp_path, "```python\n1 / 0\n```\n"))


def test_an_open_block_fails(tmp_path: Path) -> None:
    with pytest.raises(SyntaxError, match="not closed"):
        run_page(written(tmp_path, "```python\nx = 1\n"))


def test_blocks_share_names_and_others_are_left_alone(tmp_path: Path) -> None:
    text = "```python\nx = 1\n```\n```sh\nexit 1\n```\n```python\n>>> x\n1\n```\n```python\nprint(x)\n```\n```output\n1\n```\n"
    assert run_page(written(tmp_path, text)) == 3
