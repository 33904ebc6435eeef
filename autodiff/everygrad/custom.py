"""Gradients written by hand, on every backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from everygrad.engine import Node, enable_grad, is_autodiff, is_grad_enabled
from everygrad.engine.node import Record, Tracked
from everygrad.tensor.operands import on_one_backend
from everygrad.tensor.variable import node_of
from everygrad.tensor.wrap import is_tensor, wrap
from everygrad.tree import leaves, replace
from everygrad_ops import GradientError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

Forward = Callable[..., tuple[Any, Any]]
Backward = Callable[[Any, Any], Any]


class custom_vjp:
    """A function of tensors whose gradient is written by hand.

    `f.defvjp(fwd, bwd)`: `fwd(*args)` returns (output, residuals) and `bwd(residuals, g)` a gradient, or
    None, for each argument. `fwd` runs on constants, so it may leave the library (NumPy, SciPy);
    `bwd` is written with tensors, so that the gradient has a gradient. For higher orders `fwd` runs again on
    tracked tensors, to connect the residuals to the arguments.

    >>> import everygrad as eg
    >>> @eg.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda residuals, g: (eg.clamp(g, -1, 1),))
    >>> x = eg.tensor([1.0], requires_grad=True)
    >>> (clipped(x) * 5).sum().backward()[x].tolist()
    [1.0]
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__doc__ = function.__doc__
        self.__name__ = getattr(function, "__name__", "custom_vjp")
        self._forward: Forward | None = None
        self._backward: Backward | None = None

    def defvjp(self, fwd: Forward, bwd: Backward) -> None:
        """Give the forward pass with residuals, and the backward pass."""
        self._forward, self._backward = fwd, bwd

    def __call__(self, *args: Any) -> Any:
        """The function, with its own gradient where an argument is tracked."""
        if self._forward is None or self._backward is None:
            raise GradientError(f"{self.__name__}: no gradient yet. Write {self.__name__}.defvjp(fwd, bwd)")
        tensors = leaves(list(args))
        if not is_grad_enabled() or all(node_of(t) is None for t in tensors):
            return self.function(*args)
        lifted = iter(on_one_backend(self.__name__, *tensors))
        args = tuple(replace(list(args), lambda _: next(lifted)))
        call = _Call(self.__name__, self._forward, self._backward, args)
        return call.run()


class _Call:
    """One call: its arguments, and how to pull a gradient through it."""

    def __init__(self, name: str, forward: Forward, backward: Backward, args: tuple[Any, ...]) -> None:
        self.forward, self.backward, self.args = forward, backward, args
        self.tensors: list[Tensor] = leaves(list(args))
        self.name = name

    def run(self) -> Tensor:
        b = self.tensors[0].backend
        assert is_autodiff(b)
        output, residuals = self.forward(*replace(list(self.args), _constant))
        if not is_tensor(output):
            raise GradientError(
                f"{self.name}: fwd must return (Tensor, residuals). Received: {type(output).__name__}"
            )
        (output,) = on_one_backend(self.name, output)
        array: Any = output.array
        record = Record(self.name, self._pull, self._pull_graph, inputs=["an argument"])
        parents = [node_of(t) for t in self.tensors]
        node = Node(record, parents, residuals, b.inner.signature(array.value))
        return wrap(Tracked(array.value, node), b, output.known_dtype)

    def _pull(self, b: Any, g: Any, node: Node, parents: Sequence[Node | None]) -> Sequence[Any]:
        autodiff: Any = self.tensors[0].backend
        found = self._gradients(node.saved, wrap(autodiff.lift(g), autodiff))
        return [None if d is None else d.array.value for d in found]

    def _pull_graph(self, b: Any, g: Any, node: Node, parents: Sequence[Node | None]) -> Sequence[Any]:
        with enable_grad():
            _, residuals = self.forward(*self.args)
            found = self._gradients(residuals, wrap(g, self.tensors[0].backend))
        return [None if d is None else d.array for d in found]

    def _gradients(self, residuals: Any, g: Tensor) -> list[Any]:
        result = self.backward(residuals, g)
        given: list[Any] = list(result) if isinstance(result, (tuple, list)) else [result]  # pyright: ignore[reportUnknownArgumentType]  # of Any
        if len(given) != len(self.args):
            raise GradientError(
                f"{self.name}: bwd must return one gradient, or None, for each of {len(self.args)} arguments. "
                f"Received: {len(given)}"
            )
        found: list[Any] = []
        for argument, gradient in zip(self.args, given):
            wanted = leaves(argument)
            found.extend(leaves(gradient) if gradient is not None else [None] * len(wanted))
        return found


def _constant(x: Tensor) -> Tensor:
    """The tensor as a constant of its own level; inside a nested decorator the inner levels still record."""
    array: Any = x.array
    return wrap(Tracked(array.value, None), x.backend, x.known_dtype)
