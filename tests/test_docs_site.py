"""The site: every page is in its navigation, and the reference follows the sources."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def hook(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_hooks_{name}", ROOT / f"docs/hooks/{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = hook("reference")


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert len(pages) > 20
    missing = [page for page in pages if f" {page}\n" not in navigation]
    assert not missing, f"add to nav in mkdocs.yml: {missing}"


def test_a_marker_becomes_a_section_for_each_file() -> None:
    page = reference.on_page_markdown("# optim\n\n<!-- files of everygrad.optim -->\n")
    assert "::: everygrad.optim.adam\n" in page and "## What all optimizers share\n" in page
    assert "everygrad.optim.gradients" not in page, "a file that the package does not star-import"


def test_the_two_pages_of_functions_hold_every_file_once() -> None:
    pages = [ROOT / f"docs/reference/{name}.md" for name in ("functional", "functional-nn")]
    text = "".join(reference.on_page_markdown(page.read_text(encoding="utf-8")) for page in pages)
    found = [line.rpartition(".")[2] for line in text.splitlines() if line.startswith(":::")]
    assert sorted(found) == sorted(reference.files_of("everygrad.functional"))


def test_a_file_that_is_not_there_stops_the_build() -> None:
    with pytest.raises(SystemExit, match="nonesuch"):
        reference.on_page_markdown("<!-- files of everygrad.nn: conv, nonesuch -->")


def test_examples_in_docstrings_get_a_fence() -> None:
    pytest.importorskip("griffe", reason="comes with the extra `docs`")
    fenced = hook("doctests").fenced
    text = "Twice.\n\n>>> double(2)\n4\n>>> for i in range(2):\n...     print(i)\n0\n1\n\nMore."
    assert fenced(text) == (
        "Twice.\n\n\n```pycon\n>>> double(2)\n4\n>>> for i in range(2):\n...     print(i)\n0\n1\n```\n\n\nMore."
    )
    assert fenced("No example: x > 2.") == "No example: x > 2."
