"""Indices drawn by their probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.functional.creation import shape_of
from everygrad.generator import current_generator
from everygrad.tensor.operands import need_floating
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import Backend, DType, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["categorical", "multinomial"]


def multinomial(input: Tensor, num_samples: int, replacement: bool = False) -> Tensor:
    """Indices drawn from each row of weights (they need not add up to 1), of a vector or a matrix; no gradient.

    Without `replacement` each index is drawn once at most, and only those of positive weight.

    >>> import everygrad as eg
    >>> sorted(eg.multinomial(eg.tensor([1.0, 0.0, 3.0]), 2).tolist())
    [0, 2]
    """
    need_tensor("multinomial", "input", input)
    need_floating("multinomial", input)
    if input.ndim not in (1, 2) or num_samples < 1:
        raise ShapeError(
            "multinomial: needs a vector or a matrix, and at least one sample. "
            f"Received: shape {input.shape}, num_samples={num_samples}"
        )
    b, columns = input.backend, input.shape[-1]
    weights = _working(b, b.detach(input.array))
    _need_weights(b, weights, num_samples, columns, replacement)
    seed = current_generator().next_seed()
    if replacement:
        drawn = b.uniform((*input.shape[:-1], num_samples), seed, b.dtype(weights))
        return wrap(_by_share(b, weights, drawn), b, DType.int64)
    waits = b.neg(b.log1p(b.neg(b.uniform(input.shape, seed, b.dtype(weights)))))
    none = b.eq(weights, 0)  # whoever rings first of independent clocks with these rates is drawn first
    times = b.where(none, float("inf"), b.div(waits, b.where(none, 1, weights)))
    return wrap(b.topk(times, num_samples, input.ndim - 1, False)[1], b, DType.int64)


def categorical(logits: Tensor, size: Any = ()) -> Tensor:
    """Indices along the last dim drawn with probabilities softmax(logits); `size` stands in front; no gradient.

    >>> import everygrad as eg
    >>> eg.categorical(eg.tensor([0.0, float("-inf")]), (3,)).tolist()
    [0, 0, 0]
    """
    need_tensor("categorical", "logits", logits)
    need_floating("categorical", logits)
    if logits.ndim == 0 or logits.shape[-1] == 0:
        raise ShapeError(f"categorical: needs a last dim of classes. Received: shape {logits.shape}")
    b = logits.backend
    x = _working(b, b.detach(logits.array))
    lead = (*shape_of("categorical", (size,)), *logits.shape[:-1])
    top = b.amax(x, (logits.ndim - 1,), True)
    top = b.where(b.isfinite(top), top, 0)  # what has no finite largest is refused below
    weights = b.broadcast_to(b.exp(b.sub(x, top)), (*lead, logits.shape[-1]))
    _need_weights(b, weights, 1, logits.shape[-1], True)
    drawn = b.uniform((*lead, 1), current_generator().next_seed(), b.dtype(x))
    return wrap(b.reshape(_by_share(b, weights, drawn), lead), b, DType.int64)


def _by_share(b: Backend[Any], weights: Any, drawn: Any) -> Any:
    """Where in the running sum of the weights each share of the whole lies."""
    shape = b.shape(weights)
    upto = b.cumsum(weights, len(shape) - 1)
    last = tuple(
        (s - 1 if d == len(shape) - 1 else 0, 1 if d == len(shape) - 1 else s, 1) for d, s in enumerate(shape)
    )
    place = b.searchsorted(upto, b.mul(drawn, b.slice(upto, last)), True)
    # rounding may lead to the very end: to the last index of positive weight
    return b.minimum(place, b.searchsorted(upto, b.slice(upto, last), False))


def _working(b: Backend[Any], x: Any) -> Any:
    """At least float32: draws of low precision are too coarse."""
    return x if b.dtype(x) is DType.float64 else b.cast(x, DType.float32)


def _need_weights(b: Backend[Any], weights: Any, count: int, columns: int, replacement: bool) -> None:
    dim = (len(b.shape(weights)) - 1,)
    good = b.all(b.logical_and(b.ge(weights, 0), b.isfinite(weights)), dim)
    positive = b.sum(b.gt(weights, 0), dim)
    enough = b.ge(positive, 1 if replacement else count)
    if not b.to_numpy(b.logical_and(good, enough)).all():
        raise ValueError(
            "weights must be finite, none negative, and each row must have enough positive ones to draw from. "
            f"Received: {columns} weights per row, {count} draws {'with' if replacement else 'without'} replacement"
        )
