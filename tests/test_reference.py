"""The page of ops says what the contract says."""

from __future__ import annotations

from pathlib import Path

import pytest

from everygrad.__main__ import main
from everygrad.reference import BACKENDS, form_of, gradient_of, page
from everygrad.registry import backend
from everygrad_ops import contract
from tests.minimal import MinimalBackend

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "ops.md"


def test_the_page_is_current() -> None:
    pytest.importorskip("torch", reason="the page shows torch")
    due = page([backend(name) for name in BACKENDS])
    assert PAGE.read_text(encoding="utf-8") == due, (
        "write: python -m everygrad reference --output docs/reference/ops.md"
    )


def test_every_op_is_on_it() -> None:
    text = PAGE.read_text(encoding="utf-8")
    ops = {name for name, spec in contract().items() if not spec.marks.internal}
    assert {line.split("`")[1] for line in text.splitlines() if line.startswith("| `")} == ops


@pytest.mark.parametrize(
    ("op", "gradient"),
    [
        ("mul", "rule"),
        ("flip", "through the default"),
        ("argmax", "none"),
        ("shape", "none"),
        ("full", "none"),
    ],
)
def test_gradients(op: str, gradient: str) -> None:
    assert gradient_of(contract()[op]) == gradient


def test_forms() -> None:
    b = MinimalBackend()
    assert form_of(b, contract()["mul"]) == "own"
    assert form_of(b, contract()["flip"]) == "default"


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reference", "numpy"]) == 0
    assert "| `matmul` |" in capsys.readouterr().out
    assert main(["reference", "numpy", "--output", str(tmp_path / "ops.md")]) == 0
    assert "| torch |" not in (tmp_path / "ops.md").read_text(encoding="utf-8")
    assert main(["reference", "nowhere"]) == 2
