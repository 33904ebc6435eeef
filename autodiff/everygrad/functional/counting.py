"""How often values occur: in bins, and as such."""

from __future__ import annotations

import builtins
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from everygrad.functional.arguments import with_indices
from everygrad.tensor.operands import cast_to, need_floating, on_one_backend, together
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import DType, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["bincount", "histc", "histogram"]


class Histogram(NamedTuple):
    """How much lies in each bin, and the bins' edges."""

    hist: Tensor
    bin_edges: Tensor


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each integer from 0 on occurs in a vector, or the sum of its weights, which get gradients.

    >>> import everygrad as eg
    >>> eg.bincount(eg.tensor([0, 2, 2])).tolist(), eg.bincount(eg.tensor([1]), eg.tensor([0.5])).tolist()
    ([1, 0, 2], [0.0, 0.5])
    """
    need_tensor("bincount", "input", input)
    if input.ndim != 1 or minlength < 0:
        raise ShapeError(
            "bincount: needs a vector of integers, and minlength from 0 on. "
            f"Received: shape {input.shape}, minlength={minlength}"
        )
    if weights is not None and weights.shape != input.shape:
        raise ShapeError(f"bincount: weights must have shape {input.shape}. Received: {weights.shape}")
    if weights is not None and not weights.dtype.is_floating:
        weights = cast_to(weights, DType.float64)
    _, weights, index = with_indices("bincount", input, "input", input, weights)
    b = input.backend if weights is None else weights.backend
    size = minlength
    if input.numel():
        low, high = (int(b.to_numpy(f(index, (0,)))) for f in (b.amin, b.amax))
        if low < 0:
            raise IndexError(f"bincount: integers must not be negative. Received: {low}")
        size = builtins.max(size, high + 1)
    if weights is None:
        weights = wrap(b.full(input.shape, 1, DType.int64), b, DType.int64)
    found = b.index_add(b.full((size,), 0, weights.dtype), 0, index, weights.array)
    return wrap(found, b, weights.dtype)


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements lie in each of `bins` equal bins from min to max, or over the data's range if min = max.

    The last bin holds its upper edge. What lies outside, and NaN, is left out. No gradient.

    >>> import everygrad as eg
    >>> eg.histc(eg.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3).tolist()
    [0.0, 2.0, 1.0, 0.0]
    """
    need_floating("histc", input)
    counts, _ = _equal_bins("histc", input.detach(), bins, (min, max), None)
    return cast_to(counts, input.dtype)


def histogram(
    input: Tensor,
    bins: int | Tensor = 100,
    *,
    range: tuple[float, float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Histogram:
    """(how many elements lie in each bin, the edges); `bins` is a number of equal bins, or their edges.

    With `weight`, the sums of weights, which get gradients; with `density`, divided by total and width.

    >>> import everygrad as eg
    >>> [v.tolist() for v in eg.histogram(eg.tensor([1.0, 2.0, 1.0]), bins=3, range=(0, 3))]
    [[0.0, 2.0, 1.0], [0.0, 1.0, 2.0, 3.0]]
    """
    need_floating("histogram", input)
    if weight is not None:
        if weight.shape != input.shape:
            raise ShapeError(f"histogram: weight must have shape {input.shape}. Received: {weight.shape}")
        input, weight = together("histogram", input, weight)
    if is_tensor(bins):
        counts, edges = _given_bins(input.detach(), bins, weight)
    else:
        counts, edges = _equal_bins("histogram", input.detach(), bins, range or (0, 0), weight)
    b, dtype = counts.backend, input.dtype
    hist, edges = cast_to(counts, dtype), cast_to(edges, dtype)
    if density:
        size = hist.shape[0]
        widths = b.sub(b.slice(edges.array, ((1, size, 1),)), b.slice(edges.array, ((0, size, 1),)))
        share = b.div(hist.array, b.sum(hist.array, (0,), True))
        hist = wrap(b.div(share, widths), b, dtype)
    return Histogram(hist, edges)


def _equal_bins(
    op: str, x: Tensor, bins: int, span: tuple[float, float], weight: Tensor | None
) -> tuple[Tensor, Tensor]:
    """(sums of weights per bin, edges): bins of equal width, by the distance from the lower end."""
    low, high = (float(v) for v in span)
    if low == high and x.numel():
        low, high = (float(f(x)) for f in (_least, _most))
    if low == high:  # torch's two functions differ in how far they go
        around = 1.0 if op == "histc" else 0.5
        low, high = (low - around, high + around) if x.numel() or low or high else (0.0, 1.0)
    if not 1 <= bins < 2**63 or not (low < high and math.isfinite(high - low)):
        raise ShapeError(
            f"{op}: needs at least one bin, and a finite range that rises. Received: bins={bins}, from {low} to {high}"
        )
    b = x.backend
    flat = b.cast(b.reshape(x.array, (x.numel(),)), DType.float64)
    inside = b.logical_and(b.ge(flat, low), b.le(flat, high))
    place = b.floor(b.div(b.mul(b.sub(b.where(inside, flat, low), low), bins), high - low))
    counts = _filled(b, b.minimum(b.cast(place, DType.int64), bins - 1), inside, bins, weight)
    steps = b.mul(b.cast(b.arange(0, bins + 1, 1, DType.int64), DType.float64), (high - low) / bins)
    last = b.eq(
        b.arange(0, bins + 1, 1, DType.int64), bins
    )  # exact, so that the largest value is not beyond it
    return wrap(counts, b), wrap(b.where(last, high, b.add(steps, low)), b, DType.float64)


def _given_bins(x: Tensor, edges: Tensor, weight: Tensor | None) -> tuple[Tensor, Tensor]:
    """The same for given edges; the last bin holds its upper edge."""
    if edges.ndim != 1 or edges.shape[0] < 2:
        raise ShapeError(
            f"histogram: bins must be a vector of 2 or more edges. Received: shape {edges.shape}"
        )
    if not bool((edges.detach()[1:] >= edges.detach()[:-1]).all()):
        raise ShapeError(
            f"histogram: edges must not fall. Received: bins={edges.tolist()}; write edges.sort().values"
        )
    x, bounds = together("histogram", x, edges.detach())
    b, size = x.backend, edges.shape[0] - 1
    flat, table = b.reshape(x.array, (x.numel(),)), bounds.array
    low, high = (b.slice(table, ((at, 1, 1),)) for at in (0, size))
    inside = b.logical_and(b.ge(flat, low), b.le(flat, high))
    place = b.minimum(b.maximum(b.sub(b.searchsorted(table, flat, True), 1), 0), size - 1)
    return wrap(_filled(b, place, inside, size, weight), b), bounds


def _filled(b: Any, place: Any, inside: Any, bins: int, weight: Tensor | None) -> Any:
    """The sum of weights (1 each where there are none) of what is inside, per bin."""
    if weight is None:
        found = b.index_add(b.full((bins,), 0, DType.int64), 0, place, b.cast(inside, DType.int64))
        return b.cast(found, DType.float64)
    (weight,) = on_one_backend("histogram", weight)
    values = b.where(inside, b.reshape(weight.array, (weight.numel(),)), 0)
    return b.index_add(b.full((bins,), 0, weight.dtype), 0, place, values)


def _least(x: Tensor) -> Any:
    return x.amin().item()


def _most(x: Tensor) -> Any:
    return x.amax().item()
