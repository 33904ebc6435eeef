"""The graph: tracked arrays, and the nodes that made them. There is no global tape."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

A = TypeVar("A")

Pull = Callable[[Any, Any, "Node", Sequence["Node | None"]], Sequence[Any]]
"""(backend, upstream, node, wanted parents) -> one gradient, or None, per parent."""

next_order = itertools.count(0, -1).__next__
"""Falls with time."""


class Record:
    """What all nodes of one op share: how to pull a gradient through it."""

    __slots__ = ("broadcasting", "inputs", "name", "pull", "pull_graph", "source")

    def __init__(
        self,
        name: str,
        pull: Pull,
        pull_graph: Pull,
        *,
        inputs: Sequence[str] = (),
        broadcasting: bool = False,
        source: Any = None,
    ) -> None:
        self.name = name
        self.pull = pull
        """Runs on the inner backend, on plain arrays."""
        self.pull_graph = pull_graph
        """Runs on the Autodiff backend, on tracked arrays: the result can be differentiated again."""
        self.inputs = inputs
        """Argument names by position; the last one may stand for all items of a sequence."""
        self.broadcasting = broadcasting
        self.source = source
        """The decorator that the parents live on, where it is another one (a move)."""

    def argument(self, position: int) -> str:
        """The name of the argument behind parent `position`."""
        return self.inputs[min(position, len(self.inputs) - 1)]


class Node:
    """One recorded op: where its operands came from, and what its rules asked to keep.

    `order` falls with time, so that a min-heap gives the newest node first. A node holds no value
    of its own, only `saved`; `parents` is None once it was used and freed. `signature` is the
    (shape, dtype) that its gradient must have, or for a multi-output op the number of its results.
    """

    __slots__ = ("order", "parents", "record", "saved", "signature")

    def __init__(
        self,
        record: Record,
        parents: Sequence[Node | None] | None,
        saved: Any,
        signature: Any,
    ) -> None:
        self.order = next_order()
        self.record = record
        self.parents = parents
        self.saved = saved
        self.signature = signature


class Tracked(Generic[A]):
    """An array of the inner backend and the node that made it (None when untracked)."""

    __slots__ = ("node", "value")

    def __init__(self, value: A, node: Node | None = None) -> None:
        self.value = value
        self.node = node

    def __repr__(self) -> str:
        origin = "untracked" if self.node is None else f"from {self.node.record.name}"
        return f"Tracked({self.value!r}, {origin})"


def _pass_on(b: Any, g: Any, node: Node, parents: Sequence[Node | None]) -> Sequence[Any]:
    return (g,)


LEAF = Record("leaf", _pass_on, _pass_on)
"""A variable that gradients are asked for: nothing lies behind it."""

ALIAS = Record("alias", _pass_on, _pass_on, inputs=("x",))
"""The same value under a new name, so that a gradient can be asked for at this very place."""

PICK = Record("pick", _pass_on, _pass_on, inputs=("x",))
"""One result of an op with several differentiable ones: `saved` is its position."""


def pick(value: A, node: Node, position: int, signature: Any) -> Tracked[A]:
    """The result at `position` of a multi-output node."""
    return Tracked(value, Node(PICK, (node,), position, signature))
