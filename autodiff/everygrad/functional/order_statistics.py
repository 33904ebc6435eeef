"""What a sorted line has at a given place: the k-th, medians, quantiles; and what it has most often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.functional.order import ValuesIndices, sort
from everygrad.tensor.dims import one_dim
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import Backend, DType, ShapeError
from everygrad_ops.order import lowest_place

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["kthvalue", "median", "mode", "msort", "nanmedian"]


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """(value, index) of the k-th smallest, from 1 on; of equals the lowest index. NaN is the largest.

    >>> import everygrad as eg
    >>> eg.kthvalue(eg.tensor([3.0, 1.0, 2.0]), 2).values.item()
    2.0
    """
    need_tensor("kthvalue", "input", input)
    b, d = input.backend, one_dim("kthvalue", dim, input.ndim)
    x = b.reshape(input.array, input.shape or (1,))
    return _result(b, *b.kthvalue(x, k, d, keepdim), input)


def msort(input: Tensor) -> Tensor:
    """The values sorted along the first dim.

    >>> import everygrad as eg
    >>> eg.msort(eg.tensor([[3.0, 1.0], [2.0, 5.0]])).tolist()
    [[2.0, 1.0], [3.0, 5.0]]
    """
    return sort(input, 0).values


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | ValuesIndices:
    """The middle value, the lower of two; along a dim (values, indices), of equals the lowest. NaN wins.

    Without a dim, those tied share the gradient evenly.

    >>> import everygrad as eg
    >>> eg.median(eg.tensor([4.0, 1.0, 3.0, 2.0])).item()
    2.0
    """
    need_tensor("median", "input", input)
    return _median("median", input, dim, keepdim)


def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | ValuesIndices:
    """The `median` of what is not NaN; NaN where there is nothing else.

    >>> import everygrad as eg
    >>> eg.nanmedian(eg.tensor([4.0, float("nan"), 3.0, 2.0])).item()
    3.0
    """
    need_tensor("nanmedian", "input", input)
    return _median("nanmedian", input, dim, keepdim)


def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """(value, index) of the value found most often, the smallest of several such; of equals the lowest index.

    >>> import everygrad as eg
    >>> eg.mode(eg.tensor([3, 1, 3, 1, 2])).values.item()
    1
    """
    need_tensor("mode", "input", input)
    b, d = input.backend, one_dim("mode", dim, input.ndim)
    x = b.reshape(input.array, input.shape or (1,))
    shape = b.shape(x)
    _need_some("mode", shape, d)
    ordered = b.sort(b.detach(x), d)[0]
    line = tuple(s if i == d else 1 for i, s in enumerate(shape))
    place = b.broadcast_to(b.reshape(b.arange(0, shape[d], 1, DType.int64), line), shape)
    tail, head = (tuple((a, s - 1, 1) if i == d else (0, s, 1) for i, s in enumerate(shape)) for a in (1, 0))
    late, early = b.slice(ordered, tail), b.slice(ordered, head)
    same = b.logical_or(b.eq(late, early), b.logical_and(b.isnan(late), b.isnan(early)))
    starts = b.pad(b.where(same, 0, b.slice(place, tail)), tuple((int(i == d), 0) for i in range(len(shape))))
    run = b.sub(place, b.cummax(starts, d)[0])
    value = b.gather(ordered, d, b.argmax(run, d, True))
    return _result(b, *lowest_place(b, x, value, d, keepdim), input)


def _median(op: str, input: Tensor, dim: int | None, keepdim: bool) -> Tensor | ValuesIndices:
    b = input.backend
    if dim is None:
        x = b.reshape(input.array, (input.numel(),))
        if input.numel() == 0:
            return wrap(b.full((), float("nan"), input.dtype), b, input.dtype)
        value = _middle(b, op, b.detach(x), 0)
        same = b.logical_or(b.eq(b.detach(x), value), b.logical_and(b.isnan(b.detach(x)), b.isnan(value)))
        tied = b.masked_select(x, same)
        return wrap(b.amax(tied, (0,)), b, input.dtype)
    d = one_dim(op, dim, input.ndim)
    x = b.reshape(input.array, input.shape or (1,))
    _need_some(op, b.shape(x), d)
    return _result(b, *lowest_place(b, x, _middle(b, op, b.detach(x), d), d, keepdim), input)


def _middle(b: Backend[Any], op: str, x: Any, dim: int) -> Any:
    """The lower middle along a dim, which stays at size 1."""
    ordered = b.sort(x, dim)[0]
    size = b.shape(x)[dim]
    numbers = b.sum(b.logical_not(b.isnan(x)), (dim,), True)
    if op == "median":  # the first NaN, which lies behind all numbers, if there is one
        place = b.where(b.eq(numbers, size), (size - 1) // 2, b.minimum(numbers, size - 1))
    else:
        place = b.floor_divide(b.maximum(b.sub(numbers, 1), 0), 2)
    return b.gather(ordered, dim, place)


def _need_some(op: str, shape: tuple[int, ...], dim: int) -> None:
    if shape[dim] == 0:
        raise ShapeError(f"{op}: there is none of nothing. Received: shape {shape}, dim={dim}")


def _result(b: Backend[Any], values: Any, indices: Any, input: Tensor) -> ValuesIndices:
    """The pair; of a rank-0 tensor, of rank 0."""
    if input.ndim == 0:
        values, indices = b.reshape(values, ()), b.reshape(indices, ())
    return ValuesIndices(wrap(values, b, input.dtype), wrap(indices, b, DType.int64))
