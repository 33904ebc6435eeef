"""Containers of unknown content, told apart for the type checkers, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard


def is_dict(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    """A dictionary of anything."""
    return isinstance(value, Mapping)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """A list of anything."""
    return isinstance(value, list)


def is_tuple(value: Any) -> TypeGuard[tuple[Any, ...]]:
    """A tuple of anything."""
    return isinstance(value, tuple)


def is_sequence(value: Any) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """A list or a tuple of anything."""
    return isinstance(value, (list, tuple))


def is_set(value: Any) -> TypeGuard[set[Any]]:
    """A set of anything."""
    return isinstance(value, (set, frozenset))
