"""Running sums, products and extrema, in log-many steps: each combines the array with itself moved by 1, 2, 4, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import check_dim
from everygrad_ops.dtypes import DType
from everygrad_ops.marks import outputs
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from collections.abc import Callable

    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ScanOps(Protocol[A]):
    """One result per prefix. float16 and bfloat16 accumulate in float32, integers and bools in int64."""

    def cumsum(self: Backend[A], x: A, dim: int) -> A:
        """Sum of the elements up to and including each, along `dim`."""
        return _scan(self, "cumsum", self.add, 0, x, dim)

    def cumprod(self: Backend[A], x: A, dim: int) -> A:
        """Product of the elements up to and including each, along `dim`; its gradient is right at zeros."""
        return _scan(self, "cumprod", self.mul, 1, x, dim)

    def logcumsumexp(self: Backend[A], x: A, dim: int) -> A:
        """log of the running sum of exp(x), along `dim`; nothing overflows.

        A prefix of nothing but -inf gives -inf, with a zero gradient.
        """
        return _scan(self, "logcumsumexp", lambda x, y: _logaddexp(self, x, y), float("-inf"), x, dim)

    @outputs("values", "indices", integer=("indices",))
    def cummax(self: Backend[A], x: A, dim: int) -> tuple[A, A]:
        """(largest element up to each, its int64 index); the lowest of equals, which gets the gradient; NaN wins."""
        return _extreme(self, "cummax", self.gt, x, dim)

    @outputs("values", "indices", integer=("indices",))
    def cummin(self: Backend[A], x: A, dim: int) -> tuple[A, A]:
        """(smallest element up to each, its int64 index); the lowest of equals, which gets the gradient; NaN wins."""
        return _extreme(self, "cummin", self.lt, x, dim)


def _scan(b: Backend[A], op: str, combine: Callable[[A, A], A], neutral: float, x: A, dim: int) -> A:
    dtype = b.dtype(x)
    shape = b.shape(x)
    check_dim(op, dim, len(shape))
    y = wide(b, x) if dtype.is_floating else b.cast(x, DType.int64)
    step = 1
    while step < shape[dim]:
        kept = tuple((0, size - step if d == dim else size, 1) for d, size in enumerate(shape))
        moved = tuple((step, 0) if d == dim else (0, 0) for d in range(len(shape)))
        y = combine(y, b.pad(b.slice(y, kept), moved, neutral))
        step *= 2
    return narrow(b, y, dtype) if dtype.is_floating else y


def _logaddexp(b: Backend[A], x: A, y: A) -> A:
    top = b.maximum(b.detach(x), b.detach(y))
    top = b.where(b.isinf(top), 0, top)
    return b.add(b.log(b.add(b.exp(b.sub(x, top)), b.exp(b.sub(y, top)))), top)


def _extreme(b: Backend[A], op: str, beats: Callable[[A, A], A], x: A, dim: int) -> tuple[A, A]:
    """Each step keeps the earlier of two elements, unless the later one beats it."""
    shape = b.shape(x)
    check_dim(op, dim, len(shape))
    size = shape[dim]
    line = b.arange(0, size, 1, DType.int64)
    index = b.broadcast_to(b.reshape(line, tuple(size if d == dim else 1 for d in range(len(shape)))), shape)
    best, step = b.detach(x), 1

    def take(y: A, start: int, count: int) -> A:
        return b.slice(y, tuple((start, count, 1) if d == dim else (0, s, 1) for d, s in enumerate(shape)))

    while step < size:
        early, late = take(best, 0, size - step), take(best, step, size - step)
        wins = b.logical_or(beats(late, early), b.gt(b.isnan(late), b.isnan(early)))
        chosen = b.where(wins, take(index, step, size - step), take(index, 0, size - step))
        best = b.cat([take(best, 0, step), b.where(wins, late, early)], dim)
        index = b.cat([take(index, 0, step), chosen], dim)
        step *= 2
    return b.gather(x, dim, index), index
