"""A part of a graph: from some results back to where the part was entered."""

from __future__ import annotations

from collections.abc import Sequence

from everygrad.engine.node import LEAF, Node, next_order
from everygrad_ops import GradientError


def mark() -> int:
    """A point in time: nodes made later have a lower order."""
    return next_order()


def is_since(node: Node | None, start: int) -> bool:
    """Whether a node was made after the mark `start`."""
    return node is not None and node.order < start


def entries(roots: Sequence[Node], start: int) -> tuple[list[Node], list[Node]]:
    """The nodes made since `start` that the roots depend on, newest first, and the older ones they lean on.

    Raises `GradientError` for a variable made since then, which no gradient would reach, and for a move.
    """
    inside, outside = set(roots), dict[Node, None]()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node.record is LEAF:
            raise GradientError(
                "checkpoint: the function makes a variable, and its gradient would be lost. "
                "Write it as an argument, or make it before"
            )
        if node.record.source is not None:
            raise GradientError(
                "checkpoint: the function moves a tracked tensor to another backend. Move it before, or after"
            )
        for parent in node.parents or ():
            if parent is None or parent in inside:
                continue
            if is_since(parent, start):
                inside.add(parent)
                stack.append(parent)
            else:
                outside[parent] = None
    newest_first = sorted(inside, key=lambda node: node.order)
    return newest_first, sorted(outside, key=lambda node: -node.order)
