"""Packages that only training needs, imported when they are used."""

from __future__ import annotations

import importlib
from typing import Any

__all__: list[str] = []


def need(module: str, what: str) -> Any:
    """The module; where it is missing, an error that says what to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{what} needs the package {error.name!r}, which is not installed. Write: pip install 'everygrad[train]'",
            name=error.name,
        ) from None
