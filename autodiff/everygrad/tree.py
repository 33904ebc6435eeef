"""Tensors inside tuples, lists, dictionaries and modules: what a function is differentiated in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def leaves(tree: Any) -> list[Any]:
    """The tensors of a nest of tuples, lists and dictionaries, in order."""
    found: list[Any] = []
    replace(tree, lambda x: found.append(x) or x)
    return found


def replace(tree: Any, change: Callable[[Any], Any]) -> Any:
    """The same nest with `change` applied to each tensor; everything else stays."""
    if hasattr(tree, "known_dtype"):
        return change(tree)
    if isinstance(tree, dict):
        return {key: replace(value, change) for key, value in tree.items()}  # pyright: ignore[reportUnknownVariableType]  # any nesting
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(replace(value, change) for value in tree))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # a named tuple
    if isinstance(tree, (list, tuple)):
        return type(tree)(replace(value, change) for value in tree)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # any nesting
    return tree
