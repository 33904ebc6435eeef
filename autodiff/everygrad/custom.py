"""Gradients written by hand, on every backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from typing_extensions import TypeIs, override

from everygrad.engine import Autodiff, Node, enable_grad, is_autodiff, is_grad_enabled
from everygrad.engine.node import Record, Tracked, pick
from everygrad.tensor.operands import lift_to, on_one_backend
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
    None, for each argument. The output is a tensor or a nest of tensors, and `g` has its form. A tracked tensor
    that `fwd` uses must be an argument. `fwd` runs on constants, so it may leave the library (NumPy, SciPy);
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
        if not callable(function):
            raise TypeError(
                f"custom_vjp: needs a function. Received: {type(function).__name__}; write @eg.custom_vjp above one"
            )
        self.function = function
        self.__doc__ = function.__doc__
        self.__name__ = getattr(function, "__name__", "custom_vjp")
        self.__module__ = function.__module__
        self._forward: Forward | None = None
        self._backward: Backward | None = None

    @override
    def __reduce__(self) -> str:
        return getattr(self.function, "__qualname__", self.__name__)  # found by name, as functions are

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
        self.output: Any = None
        """The nest that fwd returned, with a place for each tensor."""
        self.count = 0
        """How many results carry a gradient."""

    def run(self) -> Any:
        b = self.tensors[0].backend
        assert is_autodiff(b)
        output, residuals = self._forwards(tuple(replace(list(self.args), _constant)))
        found = [self._constant_result(x, b) for x in leaves(output)]
        floats = [x for x in found if x.dtype.is_floating]
        self.count = len(floats)
        if not floats:
            return _refilled(output, found)
        parents = [node_of(t) for t in self.tensors]
        names = [f"number {i}" for i in range(len(parents))]
        record = Record(self.name, self._pull, self._pull_graph, inputs=names)
        node = Node(record, parents, residuals, len(floats))
        arrays: list[Any] = [x.array.value for x in floats]
        if len(arrays) == 1:
            node.signature = b.inner.signature(arrays[0])
            made = iter([Tracked(arrays[0], node)])
        else:
            made = iter([pick(a, node, i, b.inner.signature(a)) for i, a in enumerate(arrays)])
        results = [wrap(next(made), b, x.dtype) if x.dtype.is_floating else x for x in found]
        self.output = _refilled(output, [_Place(x) for x in found])
        return _refilled(output, results)

    def _forwards(self, args: tuple[Any, ...]) -> tuple[Any, Any]:
        """(output, residuals)."""
        made: Any = self.forward(*args)
        pair: list[Any] = list(made) if isinstance(made, tuple) else []  # pyright: ignore[reportUnknownArgumentType]  # of Any
        if len(pair) != 2 or not leaves(pair[0]):
            kind = type(made).__name__  # pyright: ignore[reportUnknownArgumentType]  # of Any
            raise GradientError(
                f"{self.name}: fwd must return (output, residuals), the output a Tensor or a nest of Tensors. "
                f"Received: {kind}; write return output, residuals"
            )
        return pair[0], pair[1]

    def _constant_result(self, x: Tensor, b: Autodiff[Any]) -> Tensor:
        """A result of fwd on the backend of the arguments. What it closes over cannot get a gradient."""
        if node_of(x) is not None:
            raise GradientError(
                f"{self.name}: fwd uses a tracked tensor that is not an argument, and its gradient would be lost. "
                f"Received: a result of {x.array.node.record.name}; write it as an argument, or detach() it"
            )
        return lift_to(self.name, x, b)

    def _pull(self, b: Any, g: Any, node: Node, parents: Sequence[Node | None]) -> Sequence[Any]:
        autodiff: Any = self.tensors[0].backend
        upstream = [None if one is None else autodiff.lift(one) for one in self._each(g)]
        found = self._gradients(node.saved, self._upstream(upstream, autodiff))
        return [None if d is None else d.array.value for d in found]

    def _pull_graph(self, b: Any, g: Any, node: Node, parents: Sequence[Node | None]) -> Sequence[Any]:
        with enable_grad():
            _, residuals = self._forwards(self.args)
            found = self._gradients(residuals, self._upstream(self._each(g), self.tensors[0].backend))
        return [None if d is None else d.array for d in found]

    def _each(self, g: Any) -> list[Any]:
        return [g] if self.count == 1 else list(g)

    def _upstream(self, given: list[Any], b: Any) -> Any:
        """The upstream gradients in the form of the output; zeros where there is none."""
        rest = iter(given)

        def fill(place: _Place) -> Tensor:
            array = next(rest) if place.dtype.is_floating else None
            return wrap(b.full(place.shape, 0, place.dtype) if array is None else array, b, place.dtype)

        return _filled(self.output, fill)

    def _gradients(self, residuals: Any, g: Any) -> list[Any]:
        result = self.backward(residuals, g)
        given: list[Any] = list(result) if isinstance(result, (tuple, list)) else [result]  # pyright: ignore[reportUnknownArgumentType]  # of Any
        if len(given) != len(self.args):
            raise GradientError(
                f"{self.name}: bwd must return one gradient, or None, for each of {len(self.args)} arguments. "
                f"Received: {len(given)}"
            )
        found: list[Any] = []
        for number, (argument, gradient) in enumerate(zip(self.args, given)):
            self._match(number, argument, gradient, found)
        return found

    def _match(self, number: int, argument: Any, gradient: Any, found: list[Any]) -> None:
        """Note the gradient of each tensor of one argument, whose form the gradients repeat."""
        if gradient is None or is_tensor(argument):
            if not (gradient is None or is_tensor(gradient)):
                raise self._unfit(number, gradient)
            if gradient is None:
                found.extend([None] * len(leaves(argument)))
            else:
                found.append(lift_to(self.name, gradient, self.tensors[0].backend))
        elif isinstance(argument, dict):
            if not isinstance(gradient, dict) or gradient.keys() != argument.keys():  # pyright: ignore[reportUnknownMemberType]  # any nesting
                raise self._unfit(number, gradient)
            for key, value in argument.items():  # pyright: ignore[reportUnknownVariableType]  # any nesting
                self._match(number, value, gradient[key], found)
        elif isinstance(argument, (list, tuple)):
            if not isinstance(gradient, (list, tuple)) or len(gradient) != len(argument):  # pyright: ignore[reportUnknownArgumentType]  # any nesting
                raise self._unfit(number, gradient)
            for value, part in zip(argument, gradient):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # any nesting
                self._match(number, value, part, found)

    def _unfit(self, number: int, gradient: Any) -> GradientError:
        return GradientError(
            f"{self.name}: bwd must return for each argument a gradient in its form, with a Tensor or None for each "
            f"Tensor. Received: {type(gradient).__name__} for argument {number}; write eg.tensor(...) around a number "
            "or an array"
        )


class _Place:
    """What a result of fwd was like."""

    def __init__(self, x: Tensor) -> None:
        self.shape, self.dtype = x.shape, x.dtype


def _refilled(output: Any, items: list[Any]) -> Any:
    """The nest `output` with `items` for its tensors."""
    rest = iter(items)
    return replace(output, lambda _: next(rest))


def _filled(places: Any, fill: Callable[[_Place], Tensor]) -> Any:
    """The nest with a tensor for each place."""
    return replace(places, fill, _is_place)


def _is_place(x: object) -> TypeIs[_Place]:
    return isinstance(x, _Place)


def _constant(x: Tensor) -> Tensor:
    """The tensor as a constant of its own level; inside a nested decorator the inner levels still record."""
    array: Any = x.array
    return wrap(Tracked(array.value, None), x.backend, x.known_dtype)
