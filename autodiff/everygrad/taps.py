"""A place in the graph at which a function sees the gradient, and may replace it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from everygrad.engine import Node, is_autodiff, is_grad_enabled
from everygrad.engine.node import Record, Tracked, pick
from everygrad.tensor.operands import lift_to
from everygrad.tensor.variable import node_of
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import GradientError, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


def tap(x: Tensor, hook: Callable[[Tensor], Tensor | None]) -> Tensor:
    """`x` itself, under a name of its own; in backward `hook(gradient)` is called with its gradient.

    What the hook returns takes the gradient's place; None leaves it. It is what torch's `x.register_hook(hook)` does, for
    what is computed from the result. Under create_graph the gradient is tracked.

    >>> import everygrad as eg
    >>> x = eg.tensor([1.0, 2.0], requires_grad=True)
    >>> y = eg.debug.tap(x * x, lambda g: print(g.tolist()))
    >>> (3 * y).sum().backward()[x].tolist()
    [3.0, 3.0]
    [6.0, 12.0]
    """

    need_tensor("tap", "x", x)
    if not callable(hook):
        raise TypeError(
            f"tap: hook must be a function of the gradient. Received: {type(hook).__name__}; write lambda g: print(g)"
        )

    def seen(gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        (g,) = gradients
        return [g if g is None else replaced("tap", hook(g), g)]

    return joint("tap", [x], seen)[0]


def replaced(name: str, given: Any, g: Tensor) -> Tensor:
    """The gradient that a hook returned, or the one it was given."""
    if given is None:
        return g
    if not is_tensor(given):
        raise GradientError(
            f"{name}: the hook must return a Tensor, or None to leave the gradient. Received: {type(given).__name__}"
        )
    if given.shape != g.shape or given.dtype is not g.dtype:
        raise ShapeError(
            f"{name}: the hook must return a gradient {g.dtype}{list(g.shape)}. "
            f"Received: {given.dtype}{list(given.shape)}"
        )
    return given


def joint(
    name: str, tensors: Sequence[Tensor], seen: Callable[[Sequence[Any]], Sequence[Any]]
) -> list[Tensor]:
    """The tensors, tapped together: in backward `seen` gets all their gradients at once, and returns as many.

    A tensor that is not tracked stays as it is, and its gradient is None.
    """
    tracked = [x for x in tensors if node_of(x) is not None] if is_grad_enabled() else []
    if not tracked:
        return list(tensors)
    b = tracked[0].backend
    if any(x.backend is not b for x in tracked) or not is_autodiff(b):
        names = ", ".join(dict.fromkeys(repr(x.backend.name) for x in tracked))
        raise GradientError(
            f"{name}: the tensors of one hook must be on one backend. Received: {names}; write x.to(...)"
        )
    autodiff = b

    def run(g: Any, graph: bool) -> Sequence[Any]:
        given = iter([g] if len(tracked) == 1 else list(g))
        several: list[Any] = []
        for x in tensors:
            array = next(given) if node_of(x) is not None else None
            if array is not None:
                array = wrap(array if graph else autodiff.lift(array), autodiff, x.known_dtype)
            several.append(array)
        found = [
            None if d is None else lift_to(name, d, autodiff)
            for d, x in zip(seen(several), tensors)
            if node_of(x) is not None
        ]
        return [None if d is None else (d.array if graph else d.array.value) for d in found]

    record = Record(
        name,
        lambda b, g, node, parents: run(g, False),
        lambda b, g, node, parents: run(g, True),
        inputs=["x"],
    )
    node = Node(record, [node_of(x) for x in tracked], None, len(tracked))
    arrays: list[Any] = [x.array.value for x in tracked]
    if len(tracked) == 1:
        node.signature = autodiff.inner.signature(arrays[0])
        made = iter([Tracked(arrays[0], node)])
    else:
        made = iter([pick(a, node, i, autodiff.inner.signature(a)) for i, a in enumerate(arrays)])
    return [x if node_of(x) is None else wrap(next(made), autodiff, x.known_dtype) for x in tensors]
