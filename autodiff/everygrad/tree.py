"""Tensors inside tuples, lists, dictionaries and modules: what a function is differentiated in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from everygrad.tensor.wrap import is_tensor


def leaves(tree: Any) -> list[Any]:
    """The tensors of a nest of tuples, lists and dictionaries, in order."""
    found: list[Any] = []

    def note(x: Any) -> Any:
        found.append(x)
        return x

    replace(tree, note)
    return found


def replace(tree: Any, change: Callable[[Any], Any], is_leaf: Callable[[object], bool] = is_tensor) -> Any:
    """The same nest with `change` applied to each tensor (or other leaf); everything else stays."""
    if is_leaf(tree):
        return change(tree)
    if isinstance(tree, dict):
        return {key: replace(value, change, is_leaf) for key, value in tree.items()}  # pyright: ignore[reportUnknownVariableType]  # any nesting
    if isinstance(tree, (list, tuple)):
        items: list[Any] = [replace(value, change, is_leaf) for value in tree]  # pyright: ignore[reportUnknownVariableType]  # any nesting
        kind: Any = type(tree)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # any nesting
        return kind(*items) if hasattr(kind, "_fields") else kind(items)
    return tree
