"""Checkpointing by op: results of cheap ops are not kept for backward but computed again from what is kept anyway.

A cheap op (the mark is in the contract) reads and writes memory and does little else. Its result has a recipe
where all its operands are kept by other nodes, are variables, or have recipes themselves: then a node that asks
for the result keeps the recipe, and the array is free once the forward pass has moved on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from everygrad.engine.node import LEAF, PICK, Node, Record, Tracked

DEEPEST = 4
"""How many cheap ops may be computed again to get one array: a chain without end would be the whole program."""


class Recipe:
    """How to compute an array again."""

    __slots__ = ("args", "asked", "call", "depth", "value")

    def __init__(self, call: Callable[..., Any], args: Sequence[Any], depth: int) -> None:
        self.call = call
        self.args = args
        self.depth = depth
        self.asked = 0
        """How many nodes keep it and have not used it yet: its value stays, once made, for the rest of them."""
        self.value: Any = None

    def make(self) -> Any:
        """The array."""
        value = self.value
        if value is None:
            value = self.call(*[v.make() if v.__class__ is Recipe else v for v in self.args])
            if self.asked > 0:
                self.value = value
        return value

    def take(self) -> Any:
        """The array, for a node that keeps the recipe."""
        value = self.make()
        self.asked -= 1
        if self.asked <= 0:  # also where a retained graph is used again: then it is made again
            self.value = None
        return value


class LazyNode(Node):
    """A node of a decorator that recomputes: with a recipe of its value, or whether some node keeps the value."""

    __slots__ = ("held", "recipe")

    def __init__(
        self, record: Record, parents: Sequence[Node | None] | None, saved: Any, signature: Any
    ) -> None:
        super().__init__(record, parents, saved, signature)
        self.recipe: Recipe | None = None
        self.held = False


def made(values: Sequence[Any]) -> list[Any]:
    """What a node saved, with an array for each recipe."""
    return [v.take() if v.__class__ is Recipe else v for v in values]


def remember(
    node: LazyNode,
    saved: Sequence[Any],
    sources: Sequence[int | None],
    nodes: Sequence[Node | None],
    again: tuple[Callable[..., Any], Sequence[Any]] | None,
) -> None:
    """Fill in what a node saves, with recipes for arrays where it can, and its own recipe.

    `sources` says of each saved value which argument it is, -1 for the result, None for anything else;
    `nodes` are the arguments' nodes; `again` is the op and its arguments where it is cheap.
    """
    values = list(saved)
    for slot, source in enumerate(sources):
        if source is not None and source >= 0 and values[slot] is not None:
            values[slot] = _keep(nodes[source], values[slot])
    if again is not None:
        node.recipe = _recipe(*again, nodes)
    for slot, source in enumerate(sources):
        if source == -1 and values[slot] is not None:
            values[slot] = _keep(node, values[slot])
    node.saved = values


def _keep(node: Node | None, value: Any) -> Any:
    """What a node saves for an array that `node` made."""
    if not isinstance(node, LazyNode):
        return value
    if node.recipe is None:
        node.held = True
        return value
    node.recipe.asked += 1
    return node.recipe


def _recipe(call: Callable[..., Any], args: Sequence[Any], nodes: Sequence[Node | None]) -> Recipe | None:
    depth = 1
    used: list[Any] = []
    for value, node in zip(args, nodes):
        recipe = node.recipe if isinstance(node, LazyNode) else None
        if recipe is not None:
            depth = max(depth, recipe.depth + 1)
            used.append(recipe)
            continue
        if not (node is None or node.record is LEAF or (isinstance(node, LazyNode) and node.held)):
            return None  # the operand would be kept for this alone: no memory won
        used.append(value)
    return Recipe(call, used, depth) if depth <= DEEPEST else None


def lazy_pick(value: Any, node: LazyNode, position: int, signature: Any) -> Tracked[Any]:
    """The result at `position` of a multi-output node."""
    picked = LazyNode(PICK, (node,), position, signature)
    if node.recipe is not None:
        picked.recipe = Recipe(itemgetter(position), (node.recipe,), node.recipe.depth)
    return Tracked(value, picked)
