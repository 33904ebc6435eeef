"""Every example in a docstring of the packages runs, whatever the docstring belongs to."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.markdown import apart, run_doctest

ROOT = Path(__file__).parents[1]
NEEDS = {"everygrad_torch": "torch"}
"""Packages that need something a user may not have."""


@dataclass(frozen=True)
class Docstring:
    """A string that stands alone in a module and holds examples."""

    module: str
    path: Path
    text: str
    line: int

    def __str__(self) -> str:
        return f"{self.module}:{self.line}"


def docstrings(path: Path, module: str) -> Iterator[Docstring]:
    """The strings with >>> in a source file: also those under a constant, or in a decorated function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            text = node.value.value
            if isinstance(text, str) and ">>> " in text:
                yield Docstring(module, path, text, node.lineno)


def sources() -> Iterator[tuple[Path, str]]:
    """Each module of the packages, by its file and name."""
    for folder in ("ops", "backends", "autodiff"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            yield path, ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FOUND = [found for path, module in sources() for found in docstrings(path, module)]


@pytest.mark.parametrize("docstring", FOUND, ids=str)
def test_examples(docstring: Docstring) -> None:
    needed = NEEDS.get(docstring.module.partition(".")[0])
    if needed is not None:
        pytest.importorskip(needed, reason=f"{docstring.module} needs {needed}")
    namespace = dict(vars(importlib.import_module(docstring.module)))
    apart(run_doctest, docstring.text, namespace, str(docstring), str(docstring.path), docstring.line - 1)


def test_examples_were_found() -> None:
    assert len(FOUND) > 50, "too few docstrings with examples: is the search still right?"


def test_a_wrong_docstring_is_found_and_fails(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text('CONSTANT = 1\n"""Of a constant.\n\n>>> 1 + 1\n3\n"""\n', encoding="utf-8")
    (found,) = docstrings(path, "wrong")
    assert found.line == 2
    with pytest.raises(AssertionError, match=r"Expected:\s+3"):
        run_doctest(found.text, {}, str(found), str(path), found.line)
