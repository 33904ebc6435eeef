"""Memory for time: what a function computes on its way is not kept for backward, but computed again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any, NoReturn

from everygrad.engine import Autodiff, Node, is_autodiff, is_grad_enabled
from everygrad.engine.backward import Unfolded
from everygrad.engine.node import LEAF, Record, Tracked, pick
from everygrad.engine.recording import set_recording
from everygrad.engine.replay import as_before, noting_changes, same_stand_ins
from everygrad.engine.segment import entries, is_since, mark
from everygrad.generator import drawn_again, noting_draws
from everygrad.tensor.variable import node_of
from everygrad.tensor.wrap import wrap
from everygrad.tree import leaves, replace
from everygrad_ops import GradientError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


def checkpoint(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, keeping of its graph only where it was entered; backward runs it again.

    The result is a tensor or a nest of tensors. Its gradients are bit for bit those without the checkpoint (at
    higher orders to rounding: there the terms of a sum come in another order), also in tensors that the function uses without taking them as arguments, such as the
    parameters of a model. Random numbers are drawn again as they were (the same dropout), and buffers (the
    running statistics of a batch norm) are replaced once. Checkpoints nest.

    Raises `GradientError` where the function makes a variable or moves a tracked tensor to another backend, and
    in backward where a parameter was replaced in between, or the function now does something else.
    What else it uses must be the same in backward.

    >>> import everygrad as eg
    >>> x = eg.tensor([0.0, 1.0], requires_grad=True)
    >>> y = eg.checkpoint(lambda t: (t.exp() * t).sum(), x)
    >>> [round(g, 4) for g in y.backward()[x].tolist()]
    [1.0, 5.4366]
    """
    if not is_grad_enabled():
        return function(*args, **kwargs)
    return _Segment(lambda: function(*args, **kwargs)).run()


class _Segment:
    """One call: how to run it again, and which nodes it started from."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.call = call
        self.context: Context = copy_context()
        self.draws: list[int] = []
        self.changes: list[tuple[Any, Any]] = []
        self.versions: list[Any] = []
        self.entries: list[Node] = []

    def run(self) -> Any:
        start = mark()
        with noting_draws() as self.draws, noting_changes() as self.changes:
            output = self.call()
        tracked = _results(output, start)
        if not tracked:
            return output
        _, self.entries = entries(_nodes(tracked), start)
        self.versions = _versions(self.entries)
        b = _decorator(tracked)
        arrays: list[Any] = [x.array.value for x in tracked]
        node = Node(CHECKPOINT, self.entries, self, len(arrays))
        if len(arrays) == 1:
            node.signature = b.inner.signature(arrays[0])
            made = [Tracked(arrays[0], node)]
        else:
            made = [pick(a, node, i, b.inner.signature(a)) for i, a in enumerate(arrays)]
        results = iter([wrap(array, b, x.known_dtype) for array, x in zip(made, tracked)])
        return replace(output, lambda x: next(results) if is_since(node_of(x), start) else x)

    def unfold(self, node: Node, g: Any) -> NoReturn:
        """Run it again, and let the walk go on through what that records."""
        if _versions(self.entries) != self.versions:
            raise GradientError(
                "checkpoint: a parameter was replaced between the call and backward, so the function cannot be run "
                "again as it was. Call backward before optimizer.step(), or do without the checkpoint"
            )
        start = mark()
        output = self.context.copy().run(self._again)
        tracked = _results(output, start)
        upstream = [g] if not isinstance(g, list) else g  # pyright: ignore[reportUnknownVariableType]  # arrays of any library
        inside, found = entries(_nodes(tracked), start)
        if len(tracked) != len(upstream) or found != self.entries:  # pyright: ignore[reportUnknownArgumentType]  # the same
            raise GradientError(
                "checkpoint: the function did something else when it was run again in backward. It must depend only on "
                "tensors and values that stay the same, and on random numbers of this library"
            )
        roots = [(n, u) for n, u in zip(_nodes(tracked), upstream) if u is not None]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # the same
        raise Unfolded(_decorator(tracked), node, roots, inside)

    def _again(self) -> Any:
        with set_recording(True), same_stand_ins(), as_before(self.changes), drawn_again(self.draws):
            return self.call()


def _results(output: Any, start: int) -> list[Tensor]:
    """The tensors of a nest that were made since `start`, in order."""
    return [x for x in leaves(output) if is_since(node_of(x), start)]


def _nodes(tensors: Sequence[Tensor]) -> list[Node]:
    return [node for x in tensors if (node := node_of(x)) is not None]


def _versions(nodes: Sequence[Node]) -> list[Any]:
    """How often the parameters among the nodes were replaced."""
    return [node.saved for node in nodes if node.record is LEAF]


def _decorator(tensors: Sequence[Tensor]) -> Autodiff[Any]:
    first, *rest = {id(x.backend): x.backend for x in tensors}.values()
    if rest:
        raise GradientError(
            f"checkpoint: the results lie on several backends. Received: {first.name!r} and {rest[0].name!r}; "
            "write .to(...) outside of the function"
        )
    assert is_autodiff(first)
    return first


def _pull(b: Any, g: Any, node: Node, parents: Sequence[Node | None]) -> NoReturn:
    segment: _Segment = node.saved
    segment.unfold(node, g)


CHECKPOINT = Record("checkpoint", _pull, _pull, inputs=("argument",))
"""What all checkpoints share."""
