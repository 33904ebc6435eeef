"""Looking into the graph while a program runs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from everygrad.engine.balanced import LazyNode, Recipe
from everygrad.engine.node import LEAF, Node

__all__ = ["Memory", "OpMemory", "memory"]


@dataclass(frozen=True)
class OpMemory:
    """What the live nodes of one op keep."""

    op: str
    nodes: int
    bytes: int
    """Of the arrays saved for backward; an array that several nodes save counts for the newest of them."""


@dataclass(frozen=True)
class Memory:
    """What all live graphs of the process keep, by op, the largest first."""

    ops: tuple[OpMemory, ...]

    @property
    def nodes(self) -> int:
        """How many nodes are alive."""
        return sum(row.nodes for row in self.ops)

    @property
    def bytes(self) -> int:
        """How many bytes they save for backward, each array counted once."""
        return sum(row.bytes for row in self.ops)

    def __str__(self) -> str:
        rows = [("op", "nodes", "saved bytes"), *((r.op, f"{r.nodes:,}", f"{r.bytes:,}") for r in self.ops)]
        rows.append(("all", f"{self.nodes:,}", f"{self.bytes:,}"))
        wide = [max(len(row[i]) for row in rows) for i in range(3)]
        return "\n".join(f"{a:<{wide[0]}}  {b:>{wide[1]}}  {c:>{wide[2]}}" for a, b, c in rows)


def memory() -> Memory:
    """The live nodes and their saved bytes, by op: what a backward pass would free.

    It looks through all objects of the process, so it is slow; recording pays nothing for it.

    >>> import everygrad as eg
    >>> x = eg.tensor([1.0, 2.0], requires_grad=True)
    >>> before = eg.debug.memory().nodes
    >>> y = x.exp().sum()
    >>> eg.debug.memory().nodes - before
    2
    >>> del y
    >>> eg.debug.memory().nodes - before
    0
    """
    nodes = [o for o in gc.get_objects() if type(o) in (Node, LazyNode) and o.record is not LEAF]
    seen: set[int] = set()
    counts: dict[str, list[int]] = {}
    for node in sorted(nodes, key=lambda node: node.order):
        row = counts.setdefault(node.record.name, [0, 0])
        row[0] += 1
        for array in _arrays(node.saved):
            owner = _owner(array)
            if owner not in seen:
                seen.add(owner)
                row[1] += _bytes(array)
    rows = [OpMemory(op, *row) for op, row in counts.items()]
    return Memory(tuple(sorted(rows, key=lambda row: (-row.bytes, -row.nodes, row.op))))


def _arrays(saved: Any) -> Iterator[Any]:
    """The arrays in a node's saved state, at every level of decorators."""
    if isinstance(saved, (tuple, list)):
        for item in saved:  # pyright: ignore[reportUnknownVariableType]  # of Any
            yield from _arrays(item)
    elif isinstance(saved, Recipe):
        yield from _arrays([*saved.args, saved.value])
    elif hasattr(saved, "node"):
        yield from _arrays(saved.value)
    elif hasattr(saved, "shape") and hasattr(saved, "dtype") and not callable(saved.shape):
        yield saved


def _owner(array: Any) -> int:
    """What stands for the memory that an array, or a view of it, lies in."""
    if hasattr(array, "untyped_storage"):
        return int(array.untyped_storage().data_ptr()) or id(array)
    while getattr(array, "base", None) is not None:
        array = array.base
    return id(array)


def _bytes(array: Any) -> int:
    """The memory that a saved array keeps alive: of a view, all that it is a view of."""
    if hasattr(array, "untyped_storage"):
        return int(array.untyped_storage().nbytes())
    while getattr(getattr(array, "base", None), "nbytes", None) is not None:
        array = array.base
    return int(getattr(array, "nbytes", 0))
