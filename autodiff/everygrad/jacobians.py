"""Matrices of derivatives: Jacobians row by row, and Hessians as Jacobians of gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

from everygrad.tensor.operands import need_floating
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad.transforms import grad, vjp
from everygrad_ops import DType

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

Matrices = tuple[Any, ...]
"""One for each of several arguments."""


@overload
def jacobian(function: Callable[..., Tensor], argnums: int = 0) -> Callable[..., Tensor]: ...
@overload
def jacobian(function: Callable[..., Tensor], argnums: Sequence[int]) -> Callable[..., Matrices]: ...
def jacobian(function: Callable[..., Tensor], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """A function that returns the Jacobian, of shape (*output.shape, *input.shape); one pull per output.

    `argnums` says in which argument, each a Tensor; several give a tuple of Jacobians.

    >>> import everygrad as eg
    >>> eg.jacobian(lambda t: t * t)(eg.tensor([1.0, 2.0])).tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """

    def differentiated(*args: Any, **keywords: Any) -> Any:
        which = _checked("jacobian", argnums, args)
        given = list(args)

        def inner(*chosen: Tensor) -> Tensor:
            for i, value in zip(which, chosen):
                given[i] = value
            return function(*given, **keywords)

        found = _rows(inner, [args[i] for i in which])
        return found[0] if isinstance(argnums, int) else tuple(found)

    return differentiated


@overload
def hessian(function: Callable[..., Tensor], argnums: int = 0) -> Callable[..., Tensor]: ...
@overload
def hessian(function: Callable[..., Tensor], argnums: Sequence[int]) -> Callable[..., Matrices]: ...
def hessian(function: Callable[..., Tensor], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """A function that returns the matrix of second derivatives of a scalar function, (*x.shape, *x.shape).

    `argnums` says in which argument, each a Tensor. Several give a tuple of tuples: [i][j] is the derivative in i and j,
    of shape (*x_i.shape, *x_j.shape).

    >>> import everygrad as eg
    >>> eg.hessian(lambda t: (t**3).sum())(eg.tensor([1.0, 2.0])).tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """

    def differentiated(*args: Any, **keywords: Any) -> Any:
        which = _checked("hessian", argnums, args)
        if isinstance(argnums, int):
            return jacobian(grad(function, argnums), argnums)(*args, **keywords)
        return tuple(jacobian(grad(function, i), which)(*args, **keywords) for i in which)

    return differentiated


def _rows(function: Callable[..., Tensor], primals: list[Tensor]) -> list[Tensor]:
    """The Jacobian in each of the primals: a pull for each element of the output is a row of all."""
    value, pull = vjp(function, *primals)
    count, b = value.numel(), primals[0].backend
    if not count:
        return [wrap(b.full((*value.shape, *x.shape), 0, x.dtype), b, x.known_dtype) for x in primals]
    positions = b.arange(0, count, 1, DType.int64)
    rows: list[tuple[Tensor, ...]] = []
    for i in range(count):
        one_hot = b.reshape(b.cast(b.eq(positions, i), value.dtype), value.shape)
        rows.append(pull(wrap(one_hot, b, value.known_dtype)))
    return [_stacked(column, value, x) for column, x in zip(zip(*rows), primals)]


def _stacked(rows: Sequence[Tensor], value: Tensor, x: Tensor) -> Tensor:
    """Rows of the shape of x as one tensor of shape (*value.shape, *x.shape)."""
    b = rows[0].backend
    stacked = b.cat([b.reshape(row.array, (1, *x.shape)) for row in rows], 0)
    return wrap(b.reshape(stacked, (*value.shape, *x.shape)), b, x.known_dtype)


def _checked(op: str, argnums: int | Sequence[int], args: tuple[Any, ...]) -> tuple[int, ...]:
    """The places of the differentiated arguments, which must hold floating-point Tensors."""
    which = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if not which or not all(-len(args) <= i < len(args) for i in which):
        raise TypeError(
            f"{op}: argnums must count arguments given by place. Received: argnums={argnums}, {len(args)} arguments; "
            f"write a number from 0 to {max(len(args) - 1, 0)}"
        )
    for i in which:
        if not is_tensor(args[i]):
            need_tensor(op, "x" if len(args) == 1 else f"args[{i % len(args)}]", args[i])
        need_floating(op, args[i])
    return tuple(i % len(args) for i in which)
