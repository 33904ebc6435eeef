"""Moving an array to another backend: differentiable, and the gradient comes back."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from everygrad.engine.autodiff import Autodiff, is_autodiff
from everygrad.engine.node import Node, Record, Tracked
from everygrad.engine.recording import is_recording
from everygrad_ops import Backend, GradientError, inner_of


def move(x: Any, source: Backend[Any], target: Backend[Any]) -> Any:
    """The array `x` of `source` as an array of `target`, still connected to its graph."""
    if source is target:
        return x
    if is_autodiff(target):
        if not is_autodiff(source) or depth(source) < depth(target):
            return target.lift(move(x, source, target.inner))
        value = move(x.value, source.inner, target.inner)
        if x.node is None or not is_recording():
            return Tracked(value, None)
        record = bridge(source, target)
        return Tracked(value, Node(record, (x.node,), None, target.inner.signature(value)))
    if is_autodiff(source):
        if x.node is not None:
            raise GradientError(
                f"moving a tracked tensor to {target.name!r}, which records nothing, would lose its gradient. "
                f"Received: a tensor on {source.name!r}; write detach() first, or move to 'autodiff({target.name})'"
            )
        return move(x.value, source.inner, target)
    return target.from_numpy(source.to_numpy(x))


def depth(backend: Backend[Any]) -> int:
    """How many decorators are around the array library."""
    inner = inner_of(backend)
    return 0 if inner is None else 1 + depth(inner)


@functools.cache
def bridge(source: Autodiff[Any], target: Autodiff[Any]) -> Record:
    """The record of a move; its gradient is the move back."""

    def pull(b: Any, g: Any, node: Node, parents: Sequence[Node | None]) -> Sequence[Any]:
        return (move(g, target.inner, source.inner),)

    def pull_graph(b: Any, g: Any, node: Node, parents: Sequence[Node | None]) -> Sequence[Any]:
        return (move(g, target, source),)

    return Record("to", pull, pull_graph, inputs=("x",), source=source)
