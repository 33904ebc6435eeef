"""Slopes of sampled values, by differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everygrad.functional.shape import cat, reshape
from everygrad.tensor.dims import Dims, many_dims, plain
from everygrad.tensor.operands import floating, on_one_backend
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import ShapeError
from everygrad_ops.shape import part

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["gradient"]


def gradient(input: Tensor, *, spacing: Any = 1, dim: Dims = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """The slope of sampled values along each dim: central differences, one-sided ones of `edge_order` at the ends.

    `spacing` is a distance, one for each dim, or the places of the samples along each dim. For derivatives of a
    program write `eg.gradients`.

    >>> import everygrad as eg
    >>> eg.gradient(eg.tensor([1.0, 2.0, 4.0, 8.0]))[0].tolist()
    [1.0, 1.5, 3.0, 4.0]
    """
    need_tensor("gradient", "input", input)
    x = floating(input)
    dims = many_dims("gradient", dim, x.ndim)
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order must be 1 or 2. Received: {edge_order!r}")
    if not x.ndim or any(x.shape[d] <= edge_order for d in dims):
        raise ShapeError(
            f"gradient: needs more than {edge_order} samples along each dim. Received: shape {x.shape}, dims {dims}; "
            "for derivatives of a program write eg.gradients"
        )
    return tuple(_along(x, d, gap, edge_order) for d, gap in zip(dims, _gaps(x, spacing, dims)))


def _gaps(x: Tensor, spacing: Any, dims: tuple[int, ...]) -> list[Any]:
    """A distance, or a vector of places, for each dim."""
    given = 1 if spacing is None else plain(spacing)
    if is_tensor(given) and not given.ndim:
        return [given] * len(dims)
    if isinstance(given, (int, float)):
        return [given] * len(dims)
    each: list[Any] = list(given) if isinstance(given, Sequence) else [given]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # users write anything
    wrong = [v for v, d in zip(each, dims) if is_tensor(v) and v.ndim and v.shape != (x.shape[d],)]
    if len(each) != len(dims) or wrong:
        raise ShapeError(
            f"gradient: spacing must be a number, or for each of {len(dims)} dims a number or a vector of places. "
            f"Received: {spacing!r}, for shape {x.shape}"
        )
    return each


def _along(x: Tensor, dim: int, gap: Any, edge_order: int) -> Tensor:
    n = x.shape[dim]
    if is_tensor(gap) and gap.ndim:
        x, at = on_one_backend("gradient", x, floating(gap).to(x.dtype))
        places = reshape(at, tuple(n if d == dim else 1 for d in range(x.ndim)))
        steps = _cut(places, dim, 1, n) - _cut(places, dim, 0, n - 1)
        left, right = _cut(steps, dim, 0, n - 2), _cut(steps, dim, 1, n - 1)
        first, second, last, before = (
            _cut(steps, dim, i, i + 1) for i in (0, min(1, n - 2), n - 2, max(0, n - 3))
        )
    else:
        left = right = first = second = last = before = gap
    rises = _cut(x, dim, 1, n) - _cut(x, dim, 0, n - 1)
    lower, upper = _cut(rises, dim, 0, n - 2), _cut(rises, dim, 1, n - 1)
    inside = (lower / left * right + upper / right * left) / (left + right)
    start, end = _cut(rises, dim, 0, 1) / first, _cut(rises, dim, n - 2, n - 1) / last
    if edge_order == 2:  # the parabola through three samples
        next_start, next_end = _cut(rises, dim, 1, 2) / second, _cut(rises, dim, n - 3, n - 2) / before
        start = start + (start - next_start) * first / (first + second)
        end = end + (end - next_end) * last / (last + before)
    return cat([start, inside, end], dim)


def _cut(x: Tensor, dim: int, start: int, stop: int) -> Tensor:
    return wrap(
        x.backend.slice(x.array, part(x.shape, dim, start if stop > start else 0, stop - start)),
        x.backend,
        x.known_dtype,
    )
