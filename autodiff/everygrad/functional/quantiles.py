"""Quantiles, in every way of reading between two places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.functional.creation import tensor
from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import cast_to, need_floating, on_one_backend
from everygrad.tensor.wrap import is_tensor, wrap
from everygrad_ops import Backend, DType, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["nanquantile", "quantile"]

MODES = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    input: Tensor,
    q: Tensor | float,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The value at the place q (size - 1) of the sorted elements, q in [0, 1]; NaN where there is a NaN.

    Between two places: "linear", "lower", "higher", "midpoint" or "nearest" (the even one of two as near). A
    vector of `q` gives a new first dim. "linear" has a gradient in `q` too.

    >>> import everygrad as eg
    >>> eg.quantile(eg.tensor([1.0, 2.0, 4.0]), 0.75).item()
    3.0
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation)


def nanquantile(
    input: Tensor,
    q: Tensor | float,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The `quantile` of what is not NaN; NaN where there is nothing else.

    >>> import everygrad as eg
    >>> eg.nanquantile(eg.tensor([1.0, float("nan"), 2.0]), 0.5).item()
    1.5
    """
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation)


def _quantile(
    op: str, input: Tensor, q: Tensor | float, dim: int | None, keepdim: bool, interpolation: str
) -> Tensor:
    need_floating(op, input)
    if interpolation not in MODES:
        raise ValueError(f"{op}: interpolation must be one of {MODES}. Received: {interpolation!r}")
    input, wanted = on_one_backend(op, input, _wanted(op, q, input))
    b, whole = input.backend, (input.numel(),)
    x = input.array if dim is not None and input.ndim else b.reshape(input.array, whole)
    d = one_dim(op, dim, input.ndim) if dim is not None else 0
    shape = b.shape(x)
    if shape[d] == 0:
        raise ShapeError(f"{op}: there is no quantile of nothing. Received: shape {input.shape}")
    work = DType.float64 if input.dtype is DType.float64 else DType.float32
    rows = tuple(range(len(shape)))
    last = (*rows[:d], *rows[d + 1 :], d)
    lines = b.permute(b.cast(x, work), last)
    lead = b.shape(lines)[:-1]
    found = _read(b, op, lines, b.cast(wanted.array, work), interpolation)  # (rows..., number of q)
    found = b.permute(found, (len(lead), *range(len(lead))))
    kept = lead if not keepdim else (1,) * input.ndim if dim is None else (*lead[:d], 1, *lead[d:])
    result = b.reshape(found, (*wanted.shape, *(kept if input.ndim else ())))
    return cast_to(wrap(result, b, work), input.dtype)


def _wanted(op: str, q: Tensor | float, input: Tensor) -> Tensor:
    """`q` as a tensor of rank 0 or 1, each in [0, 1]."""
    wanted = q if is_tensor(q) else tensor(float(q), DType.float64, backend=input.backend)
    if wanted.ndim > 1 or not wanted.dtype.is_floating:
        raise ShapeError(
            f"{op}: q must be a number or a vector of floats. Received: {wanted.dtype} of shape {wanted.shape}"
        )
    values = wanted.detach()
    if not bool(((values >= 0) & (values <= 1)).all()):
        raise ValueError(f"{op}: q must be from 0 to 1. Received: q={values.tolist()}")
    return wanted


def _read(b: Backend[Any], op: str, lines: Any, q: Any, interpolation: str) -> Any:
    """The quantiles of the last dim, one for each of q along it."""
    shape, dtype = b.shape(lines), b.dtype(lines)
    size, dim, count = shape[-1], len(shape) - 1, (*b.shape(q), 1)[0]
    ordered = b.sort(lines, dim)[0]
    numbers = b.sum(b.logical_not(b.isnan(b.detach(lines))), (dim,), True)
    if op == "nanquantile":
        top: Any = b.cast(b.maximum(b.sub(numbers, 1), 0), dtype)
    else:
        top = b.full((*shape[:-1], 1), size - 1, dtype)
    place = b.mul(b.reshape(q, (*(1,) * dim, count)), top)
    fixed = b.detach(place)
    below = b.floor(fixed)
    above = b.ceil(fixed)
    if interpolation in ("lower", "higher", "nearest"):
        chosen = {"lower": below, "higher": above, "nearest": b.round(fixed)}[interpolation]
        result = b.gather(ordered, dim, b.cast(chosen, DType.int64))
    else:
        halves = b.mul(b.sub(above, below), 0.5)
        weight = halves if interpolation == "midpoint" else b.sub(place, below)
        low, high = (b.gather(ordered, dim, b.cast(v, DType.int64)) for v in (below, above))
        endless = b.logical_and(b.eq(low, high), b.isinf(low))  # inf - inf
        result = b.add(low, b.mul0(b.sub(b.where(endless, 0, high), b.where(endless, 0, low)), weight))
    if op == "quantile":
        return b.where(b.lt(numbers, size), float("nan"), result)
    return result
