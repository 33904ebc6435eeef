"""python -m everygrad demo: run docs/examples/digits.py, which a wheel carries as everygrad/examples/digits.py."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

PACKAGES = {"sklearn": "scikit-learn", "matplotlib": "matplotlib"}
"""What the example imports beyond the library, and how pip calls it."""


def find() -> Path:
    """Where the example lies: in a checkout, or in an installed wheel."""
    package = Path(__file__).resolve().parent
    places = (package.parents[1] / "docs/examples/digits.py", package / "examples/digits.py")
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise FileNotFoundError(f"the example digits.py is missing. Looked for: {places[0]}, {places[1]}")
    return found


def load() -> ModuleType:
    """The example as a module."""
    spec = importlib.util.spec_from_file_location("everygrad_digits", find())
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


def command(argv: Sequence[str]) -> int:
    """The command: 0 when it ran, 2 for a wrong call or a missing package."""
    try:
        example = load()
    except ModuleNotFoundError as error:
        package = PACKAGES.get((error.name or "").partition(".")[0])
        if package is None:
            raise
        print(
            f"the demo needs the package {package!r}, which is not installed. "
            "Write: pip install 'everygrad[demo]'",
            file=sys.stderr,
        )
        return 2
    return int(example.main(argv))
