"""What a function did and used beside its arguments, so that it can be run again exactly: cells."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_changes: ContextVar[list[tuple[Any, Any]] | None] = ContextVar("everygrad_changes", default=None)


def note_change(cell: Any) -> None:
    """Called before a cell's value is replaced."""
    changes = _changes.get()
    if changes is not None:
        changes.append((cell, cell.array))


@contextmanager
def noting_changes() -> Generator[list[tuple[Any, Any]]]:
    """The cells replaced inside the block, with the array that each had before; blocks around it see them too."""
    outer = _changes.get()
    changes: list[tuple[Any, Any]] = []
    token = _changes.set(changes)
    try:
        yield changes
    finally:
        _changes.reset(token)
        if outer is not None:
            outer += changes


@contextmanager
def as_before(changes: list[tuple[Any, Any]]) -> Generator[None]:
    """Inside the block each cell has the value that it had before `changes`; afterwards the one it has now."""
    cells = {id(cell): (cell, array) for cell, array in reversed(changes)}
    now = [(cell, cell.array) for cell, _ in cells.values()]
    token = _changes.set(None)
    try:
        for cell, array in cells.values():
            cell.array = array
        yield
    finally:
        for cell, array in now:
            cell.array = array
        _changes.reset(token)


_stand_ins: ContextVar[tuple[tuple[Any, Any], ...]] = ContextVar("everygrad_stand_ins", default=())
"""The cells that are other tensors here. A context that is copied inside the block still knows them behind it."""


@contextmanager
def standing_in(values: Sequence[tuple[Any, Any]]) -> Generator[None]:
    """Inside the block each cell is the tensor beside it, with its graph."""
    before = [(cell, cell.array, cell.backend, cell.known_dtype) for cell, _ in values]
    token = _stand_ins.set((*_stand_ins.get(), *values))
    try:
        for cell, value in values:
            cell.array, cell.backend, cell.known_dtype = value.array, value.backend, value.known_dtype
        yield
    finally:
        _stand_ins.reset(token)
        for cell, array, backend, dtype in before:
            cell.array, cell.backend, cell.known_dtype = array, backend, dtype


@contextmanager
def same_stand_ins() -> Generator[None]:
    """Inside the block the cells are what they were where this context was copied."""
    with standing_in(_stand_ins.get()):
        yield
