"""A function made ready for checking: its inputs by name, in float64; its result as one number."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from everygrad.custom import custom_vjp
from everygrad.engine import is_autodiff
from everygrad.functional.creation import tensor
from everygrad.generator import seeded
from everygrad.gradients import gradients
from everygrad.nn.module import Module
from everygrad.nn.stateless import functional_call
from everygrad.registry import autodiff_of
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import is_tensor
from everygrad.tree import leaves, replace
from everygrad_ops import DType, DTypeError, GradientError

Values = list[np.ndarray[Any, Any]]


class Checked:
    """`fn` as a function of the values of its floating-point inputs."""

    def __init__(self, fn: Callable[..., Any], args: Sequence[Any], seed: int) -> None:
        self.fn = fn
        self.seed = seed
        self.parameters: list[str] = []
        where: list[tuple[str, Tensor]] = []
        for name, argument in zip(_names(fn, len(args)), args):
            where += _paths(argument, name)
        if isinstance(fn, Module):
            self.fn = self._module(fn)
            named: list[tuple[str, Tensor]] = [
                (name, p) for name, p in self.fn.named_parameters() if p.dtype.is_floating and p.flag
            ]
            self.parameters = [name for name, _ in named]
            where += named
        self.args = list(args)
        self.names = [name for name, x in where if x.dtype.is_floating]
        inputs = [x for _, x in where if x.dtype.is_floating]
        if not inputs:
            raise TypeError(
                "check: needs a floating-point Tensor among the arguments. "
                f"Received: {', '.join(type(a).__name__ for a in args) or 'none'}; write eg.tensor(...) around the data"
            )
        self.backends = [x.backend if is_autodiff(x.backend) else autodiff_of(x.backend) for x in inputs]
        self.start: Values = [np.array(_wide(x).numpy()) for x in inputs]
        self.weights: Values = []

    @staticmethod
    def _module(module: Module) -> Module:
        made = copy.deepcopy(module).double()
        for cell in (*made.parameters(), *made.buffers()):
            if not is_autodiff(cell.backend):
                cell.settle(cell.elsewhere(autodiff_of(cell.backend)))
        return made

    def variables(self, values: Values) -> list[Tensor]:
        """The inputs as new variables."""
        return [
            tensor(np.asarray(v), dtype=DType.float64, backend=b).requires_grad_()
            for v, b in zip(values, self.backends)
        ]

    def __call__(self, inputs: Sequence[Tensor]) -> Tensor:
        """The result for these inputs: all its elements, weighted and added up."""
        rest = iter(inputs)
        filled = [replace(a, lambda x: next(rest) if x.dtype.is_floating else x) for a in self.args]
        with seeded(self.seed):
            if isinstance(self.fn, Module):
                given = dict(zip(self.parameters, rest))
                out = functional_call(self.fn, given, tuple(filled))
            else:
                out = self.fn(*filled)
        results = [y for y in leaves(out) if y.dtype.is_floating]
        if not results:
            raise TypeError(
                f"check: the function must return floating-point Tensors. Received: {type(out).__name__}"
            )
        for y in results:
            if y.dtype is not DType.float64:
                raise DTypeError(
                    f"check: the function returns {y.dtype} for float64 arguments, so it casts inside, and differences "
                    "cannot tell. Write x.dtype in the place of a fixed dtype, or check the part without the cast"
                )
        if not self.weights:
            draws = np.random.default_rng(self.seed)
            self.weights = [
                draws.uniform(0.5, 1.5, y.shape) * draws.choice([-1, 1], y.shape) for y in results
            ]
        total: Any = 0.0
        for y, w in zip(results, self.weights):
            total = total + (y * tensor(w, backend=y.backend)).sum()
        return total  # type: ignore[no-any-return]  # a Tensor by now

    def derivative(self, inputs: Sequence[Tensor], directions: Sequence[Values]) -> Tensor:
        """The result, differentiated once along each of the directions."""
        value = self(inputs)
        for direction in directions:
            if not value.requires_grad:
                return value * 0
            found = gradients(value, list(inputs), create_graph=True, materialize_grads=True)
            value = sum_of(
                (g * tensor(d, backend=g.backend)).sum() for g, d in zip(found, direction) if g is not None
            )
        return value

    def number(self, values: Values, directions: Sequence[Values]) -> float:
        """The same as a number."""
        return float(self.derivative(self.variables(values), directions).detach().item())

    def gradient(self, directions: Sequence[Values]) -> Values:
        """The gradient of the same in each input, as the library computes it."""
        inputs = self.variables(self.start)
        value = self.derivative(inputs, directions)
        if not value.requires_grad:
            return [np.zeros(v.shape) for v in self.start]
        found = gradients(value, inputs, materialize_grads=True)
        return [np.array(g.numpy()) for g in found if g is not None]


def sum_of(terms: Iterator[Tensor] | Any) -> Tensor:
    """The sum of at least one tensor."""
    total, *rest = list(terms)
    for term in rest:
        total = total + term
    return total  # type: ignore[no-any-return]  # of Tensors


def _wide(x: Tensor) -> Tensor:
    try:
        return x.detach().to(DType.float64)
    except DTypeError as error:
        raise GradientError(
            f"check: differences need float64, which {x.backend.name!r} does not have. Received: {error}; "
            "write x.to('numpy')"
        ) from None


def _names(fn: Callable[..., Any], count: int) -> list[str]:
    """What the function calls its arguments."""
    try:
        target: Any = (
            fn.forward if isinstance(fn, Module) else fn.function if isinstance(fn, custom_vjp) else fn
        )
        parameters = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names: list[str] = []
    for i in range(count):
        p = parameters[min(i, len(parameters) - 1)] if parameters else None
        if p is None or p.kind is p.KEYWORD_ONLY:
            names.append(f"argument {i}")
        elif p.kind is p.VAR_POSITIONAL:
            names.append(f"{p.name}[{i - len(parameters) + 1}]")
        else:
            names.append(p.name)
    return names


def _paths(tree: Any, name: str) -> Iterator[tuple[str, Tensor]]:
    """(where it is found, tensor), in the order of `leaves`."""
    if is_tensor(tree):
        yield name, tree
    elif isinstance(tree, dict):
        for key, value in tree.items():  # pyright: ignore[reportUnknownVariableType]  # of anything
            yield from _paths(value, f"{name}[{key!r}]")
    elif isinstance(tree, (list, tuple)):
        for i, value in enumerate(tree):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # of anything
            yield from _paths(value, f"{name}[{i}]")
