"""Bins in several dims, and places from flat ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from everygrad.functional.counting import histogram
from everygrad.functional.creation import shape_of
from everygrad.functional.indexing import whole_numbers
from everygrad.functional.shape import reshape
from everygrad.tensor.dims import plain
from everygrad.tensor.operands import cast_to, need_floating, on_one_backend
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import Backend, DType, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["histogramdd", "unravel_index"]


class HistogramDD(NamedTuple):
    """How much lies in each bin, and the bins' edges along each dim."""

    hist: Tensor
    bin_edges: tuple[Tensor, ...]


def histogramdd(
    input: Tensor,
    bins: Any,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> HistogramDD:
    """(how many of the points (..., d) lie in each bin of d dims, the edges along each).

    `bins` is a number of equal bins, one for each dim, or their edges; `range` has two ends for each dim, one after
    the other. With `weight`, the sums of weights, which get gradients; with `density`, divided by total and volume.

    >>> import everygrad as eg
    >>> points = eg.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [2.0, 2.0]])
    >>> eg.histogramdd(points, [3, 3]).hist.tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]
    """
    need_tensor("histogramdd", "input", input)
    need_floating("histogramdd", input)
    if input.ndim < 2:
        raise ShapeError(f"histogramdd: needs points (..., d). Received: shape {input.shape}")
    d, lead = input.shape[-1], input.shape[:-1]
    each, ends = _per_dim(bins, range, d)
    b, dtype = input.backend, input.dtype
    points = reshape(input.detach(), math.prod(lead), d)
    edges = [histogram(points[:, k], v, range=ends[k]).bin_edges for k, v in enumerate(each)]
    sizes = [e.shape[0] - 1 for e in edges]
    flat: Any = b.full((points.shape[0],), 0, DType.int64)
    inside: Any = b.full((points.shape[0],), True, DType.bool_)
    for k, table in enumerate(edges):
        place, here = _place(b, points[:, k].array, table.array, sizes[k])
        flat, inside = b.add(b.mul(flat, sizes[k]), place), b.logical_and(inside, here)
    if weight is None:
        values: Any = b.cast(inside, dtype)
    else:
        if weight.shape != lead:
            raise ShapeError(f"histogramdd: weight must have shape {lead}. Received: {weight.shape}")
        _, w = on_one_backend("histogramdd", input, cast_to(weight, dtype))
        b = w.backend
        values = b.where(inside, b.reshape(w.array, (points.shape[0],)), 0)
    hist = wrap(b.index_add(b.full((math.prod(sizes),), 0, dtype), 0, flat, values), b, dtype).reshape(sizes)
    if density:
        hist = hist / hist.sum()
        for k, table in enumerate(edges):
            width = table[1:] - table[:-1]
            hist = hist / width.reshape([-1 if i == k else 1 for i, _ in enumerate(edges)])
    return HistogramDD(hist, tuple(edges))


def _per_dim(bins: Any, range: Any, d: int) -> tuple[list[Any], list[Any]]:
    """Bins and ends of each dim."""
    count = plain(bins)
    each: list[Any] = [count] * d if isinstance(count, int) else [plain(v) for v in _listed(count)]
    ends: list[Any] = [None] * d if range is None else list(zip(range[::2], range[1::2]))
    if len(each) != d or (range is not None and len(range) != 2 * d):
        raise ShapeError(
            f"histogramdd: bins must be a number, or one entry for each of {d} dims, and range two numbers for each. "
            f"Received: bins={bins!r}, range={range!r}"
        )
    return each, ends


def _listed(bins: Any) -> list[Any]:
    found: list[Any] = list(bins) if isinstance(bins, (list, tuple)) else []  # pyright: ignore[reportUnknownArgumentType]  # users write anything
    if not found or not all(is_tensor(v) or isinstance(plain(v), int) for v in found):
        raise TypeError(
            f"histogramdd: bins must be an integer, or a list of integers or of tensors of edges. Received: bins={bins!r}"
        )
    return found


def _place(b: Backend[Any], x: Any, table: Any, size: int) -> tuple[Any, Any]:
    """(the bin of each value, whether it is in one); the last bin holds its upper edge."""
    low, high = (b.slice(table, ((at, 1, 1),)) for at in (0, size))
    inside = b.logical_and(b.ge(x, low), b.le(x, high))
    place = b.minimum(b.maximum(b.sub(b.searchsorted(table, x, True), 1), 0), size - 1)
    return place, inside


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """The position in each dim of a shape that flat indices stand for, one tensor per dim.

    >>> import everygrad as eg
    >>> [v.tolist() for v in eg.unravel_index(eg.tensor([1, 5]), (2, 3))]
    [[0, 1], [1, 2]]
    """
    need_tensor("unravel_index", "indices", indices)
    given: Any = shape.tolist() if is_tensor(shape) else shape
    sizes = shape_of("unravel_index", (given,))
    index = whole_numbers("unravel_index", indices)
    b, total = index.backend, math.prod(sizes)
    if index.numel():
        low, high = int(index.amin()), int(index.amax())
        if low < -total or high >= total:
            wrong = low if low < -total else high
            raise IndexError(
                f"unravel_index: index {wrong} is out of range for shape {sizes}, of {total} places. Write indices from 0 to {total - 1}"
            )
    rest: Any = b.where(b.lt(index.array, 0), b.add(index.array, total), index.array)
    found: list[Tensor] = []
    for size in reversed(sizes):
        found.append(wrap(b.remainder(rest, max(size, 1)), b, DType.int64))
        rest = b.floor_divide(rest, max(size, 1))
    return tuple(reversed(found))
