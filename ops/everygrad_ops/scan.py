"""Running sums and products, in log-many steps: each adds (or multiplies) the array moved by 1, 2, 4, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.dtypes import DType
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from collections.abc import Callable

    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ScanOps(Protocol[A]):
    """One result per prefix. float16 and bfloat16 accumulate in float32, integers and bools in int64."""

    def cumsum(self: Backend[A], x: A, dim: int) -> A:
        """Sum of the elements up to and including each, along `dim`."""
        return _scan(self, self.add, 0, x, dim)

    def cumprod(self: Backend[A], x: A, dim: int) -> A:
        """Product of the elements up to and including each, along `dim`; its gradient is right at zeros."""
        return _scan(self, self.mul, 1, x, dim)


def _scan(b: Backend[A], combine: Callable[[A, A], A], neutral: float, x: A, dim: int) -> A:
    dtype = b.dtype(x)
    shape = b.shape(x)
    y = wide(b, x) if dtype.is_floating else b.cast(x, DType.int64)
    step = 1
    while step < shape[dim]:
        kept = tuple((0, size - step if d == dim else size, 1) for d, size in enumerate(shape))
        moved = tuple((step, 0) if d == dim else (0, 0) for d in range(len(shape)))
        y = combine(y, b.pad(b.slice(y, kept), moved, neutral))
        step *= 2
    return narrow(b, y, dtype) if dtype.is_floating else y
