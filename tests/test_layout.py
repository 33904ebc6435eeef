"""The source roots hold exactly the packages of the wheel."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


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
