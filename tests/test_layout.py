"""The source roots hold exactly the packages of the wheel, and importing them imports no more than they need."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = {"everygrad", "everygrad_ops", "numpy", "typing_extensions"}
AT_IMPORT = {
    "everygrad.conformance": {"ml_dtypes"},
    "everygrad_numpy": {"ml_dtypes", "everygrad_numpy"},
    "everygrad_torch": {"torch", "everygrad_torch"},
    "everygrad_pytest": {"pytest"},
}
"""What a package may import on its own import, beside the standard library, NumPy and the contract."""


def test_source_roots_hold_the_packages_of_the_wheel() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        declared = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    found = [
        f"{root}/{entry.name}"
        for root in ("ops", "backends", "autodiff")
        for entry in sorted((ROOT / root).iterdir())
        if entry.suffix == ".py" or (entry.is_dir() and entry.name != "__pycache__")
    ]
    assert sorted(found) == sorted(declared)


def imported(text: str) -> Iterator[str]:
    """The packages that a source text imports when it is imported: not in functions, nor for types alone."""
    rest: list[ast.stmt] = list(ast.parse(text).body)
    while rest:
        node = rest.pop()
        match node:
            case ast.Import():
                yield from (alias.name.partition(".")[0] for alias in node.names)
            case ast.ImportFrom():
                yield (node.module or "").partition(".")[0]
            case ast.If():
                rest += node.orelse if "TYPE_CHECKING" in ast.unparse(node.test) else node.body + node.orelse
            case ast.Try():
                rest += [*node.body, *node.orelse, *node.finalbody]
            case ast.With() | ast.ClassDef():
                rest += node.body
            case _:
                pass


def strangers(text: str, package: str) -> set[str]:
    allowed = OURS | AT_IMPORT.get(package, set()) | sys.stdlib_module_names
    return set(imported(text)) - allowed


def test_optional_packages_are_imported_where_they_are_used() -> None:
    found: dict[str, set[str]] = {}
    for root in ("ops", "backends", "autodiff"):
        for path in sorted((ROOT / root).rglob("*.py")):
            parts = path.relative_to(ROOT / root).parts
            package = next((name for name in (".".join(parts[:2]), parts[0]) if name in AT_IMPORT), parts[0])
            if not path.name.startswith("test_"):
                found[path.relative_to(ROOT).as_posix()] = strangers(
                    path.read_text(encoding="utf-8"), package
                )
    assert len(found) > 300
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import torch.nn", {"torch"}),
        ("from rich.table import Table", {"rich"}),
        ("try:\n    import safetensors\nexcept ImportError:\n    pass", {"safetensors"}),
        ("def f():\n    import scipy", set[str]()),
        ("if TYPE_CHECKING:\n    import torch\nelse:\n    import jax", {"jax"}),
        ("import numpy as np\nimport math", set[str]()),
    ],
)
def test_the_check_of_imports(text: str, names: set[str]) -> None:
    assert strangers(text, "everygrad") == names
