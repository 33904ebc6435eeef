"""Norms of vectors: of all real orders, over any dims."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import check_dims
from everygrad_ops.errors import no_extremum
from everygrad_ops.precision import narrow, wide
from everygrad_ops.reduction import size_of, without

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class VectorNormOps(Protocol[A]):
    """How long a vector is."""

    def vector_norm(self: Backend[A], x: A, p: float, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """sum(|x|^p)^(1/p); the largest |x| for p = inf, the smallest for -inf, how many are not 0 for p = 0.

        The sum is taken of x over its largest (p < 0: smallest) |x|, so that no power overflows or vanishes.
        Over nothing it is 0, and raises `ShapeError` for p < 0 and p = inf. The gradient is 0 where the
        norm is, and in each x that is; where it is the largest or smallest |x|, ties share it evenly.
        """
        shape, dtype = self.shape(x), self.dtype(x)
        check_dims("vector_norm", dims, len(shape))
        if (p < 0 or p == math.inf) and size_of(shape, dims) == 0:
            raise no_extremum("vector_norm", shape, dims)
        y = wide(self, x)
        if p == 0:
            return narrow(self, self.cast(self.sum(self.ne(y, 0), dims, keepdim), self.dtype(y)), dtype)
        size = self.abs(y)
        if math.isinf(p):
            return narrow(self, (self.amax if p > 0 else self.amin)(size, dims, keepdim), dtype)
        if p == 1 or size_of(shape, dims) == 0:
            return narrow(self, self.sum(size, dims, keepdim), dtype)
        top = (self.amax if p > 0 else self.amin)(self.detach(size), dims, True)
        top = self.where(self.logical_or(self.eq(top, 0), self.isinf(top)), 1, top)
        total = self.sum(self.pow(self.div(size, top), p), dims, True)
        result = self.mul(self.sqrt(total) if p == 2 else self.pow(total, 1 / p), top)
        return narrow(self, result if keepdim else self.reshape(result, without(shape, dims)), dtype)
