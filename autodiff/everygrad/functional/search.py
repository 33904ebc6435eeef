"""Places in what is sorted, and membership."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.tensor.operands import as_operand, cast_to, on_one_backend, together
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import DType, ShapeError, promote_scalar

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["bucketize", "isin", "searchsorted"]


def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | float,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where each value would go in a sorted last dim so that it stays sorted: before its equals, or after.

    `sorted_sequence` is a vector, or has the dims of `input` but the last. `right` or side="right" goes after
    equals; `sorter` holds the indices that sort an unsorted sequence. NaN is the largest.

    >>> import everygrad as eg
    >>> eg.searchsorted(eg.tensor([1, 3, 5]), eg.tensor([3, 6])).tolist()
    [1, 3]
    """
    need_tensor("searchsorted", "sorted_sequence", sorted_sequence)
    if side not in (None, "left", "right") or (right and side == "left"):
        raise ValueError(
            f'searchsorted: side must be "left" or "right", as `right` says. Received: side={side!r}, right={right}'
        )
    sequence, values = together("searchsorted", sorted_sequence, _like(input, sorted_sequence))
    b = sequence.backend
    table = b.detach(sequence.array)
    if sorter is not None:
        if sorter.shape != sequence.shape or sorter.dtype.category != 1:
            raise ShapeError(
                f"searchsorted: sorter must be integers of shape {sequence.shape}. "
                f"Received: {sorter.dtype} of shape {sorter.shape}"
            )
        index = cast_to(on_one_backend("searchsorted", sorter, sequence)[0], DType.int64)
        table = b.gather(table, sequence.ndim - 1, index.array)
    found = b.searchsorted(table, b.detach(values.array), right or side == "right")
    return _counted(found, b, out_int32)


def bucketize(
    input: Tensor | float, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """The bucket of each value: how many of the sorted boundaries lie below it; with `right`, not above it.

    >>> import everygrad as eg
    >>> eg.bucketize(eg.tensor([0.5, 2.0, 9.0]), eg.tensor([1.0, 2.0])).tolist()
    [0, 1, 2]
    """
    need_tensor("bucketize", "boundaries", boundaries)
    if boundaries.ndim != 1:
        raise ShapeError(f"bucketize: boundaries must be a vector. Received: shape {boundaries.shape}")
    edges, values = together("bucketize", boundaries, _like(input, boundaries))
    b = edges.backend
    return _counted(b.searchsorted(b.detach(edges.array), b.detach(values.array), right), b, out_int32)


def isin(
    elements: Tensor | float,
    test_elements: Tensor | float,
    *,
    assume_unique: bool = False,
    invert: bool = False,
) -> Tensor:
    """Whether each element is among the test elements; with `invert`, whether it is not. NaN equals nothing.

    >>> import everygrad as eg
    >>> eg.isin(eg.tensor([1, 2, 3]), eg.tensor([3, 1])).tolist()
    [True, False, True]
    """
    some = elements if is_tensor(elements) else test_elements
    if not is_tensor(some):
        raise TypeError("isin: one of the two must be a Tensor. Write eg.tensor(...) around one")
    x, among = together("isin", _like(elements, some), _like(test_elements, some))
    b, count = x.backend, among.numel()
    values = b.detach(x.array)
    if count == 0:
        return wrap(b.full(x.shape, invert, DType.bool_), b, DType.bool_)
    ordered = b.sort(b.reshape(b.detach(among.array), (count,)), 0)[0]
    place = b.minimum(b.searchsorted(ordered, values), count - 1)
    found = b.reshape(b.index_select(ordered, 0, b.reshape(place, (x.numel(),))), x.shape)
    same = b.eq(found, values)
    return wrap(b.logical_not(same) if invert else same, b, DType.bool_)


def _like(value: Any, other: Tensor) -> Tensor:
    """A number as a tensor next to `other`, in the dtype that the two have together."""
    value = as_operand("this function", value, other)
    if is_tensor(value):
        return value
    dtype = promote_scalar(other.dtype, value)
    return wrap(other.backend.full((), value, dtype), other.backend, dtype)


def _counted(found: Any, b: Any, out_int32: bool) -> Tensor:
    dtype = DType.int32 if out_int32 else DType.int64
    return wrap(b.cast(found, dtype) if out_int32 else found, b, dtype)
