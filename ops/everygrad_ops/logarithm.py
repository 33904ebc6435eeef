"""Logarithms and powers of other bases, and products with a logarithm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import common_shape
from everygrad_ops.marks import broadcasting, pointwise

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")

LOG2 = math.log(2)
LOG10 = math.log(10)


class LogarithmOps(Protocol[A]):
    """log and exp of base 2 and 10, and sums of exponentials that do not overflow."""

    @pointwise
    def log2(self: Backend[A], x: A) -> A:
        """Logarithm of base 2."""
        return self.div(self.log(x), LOG2)

    @pointwise
    def log10(self: Backend[A], x: A) -> A:
        """Logarithm of base 10."""
        return self.div(self.log(x), LOG10)

    @pointwise
    def exp2(self: Backend[A], x: A) -> A:
        """2 ** x."""
        return self.pow(self.mul(self.ones_like(x), 2), x)

    @broadcasting
    def logaddexp(self: Backend[A], x: A, y: A) -> A:
        """log(exp(x) + exp(y)) without overflow; of two -inf it is -inf, with gradient 0.

        The larger plus log1p(exp(-|x - y|)); two equal infinities share the gradient half and half, if positive.
        """
        common_shape("logaddexp", self.shape(x), self.shape(y))
        gap = self.abs(self.sub(x, y))
        gap = self.where(same_infinity(self, x, y), 0, gap)
        high = self.maximum(x, y)
        return self.where(self.isinf(high), high, self.add(high, self.log1p(self.exp(self.neg(gap)))))

    @broadcasting
    def logaddexp2(self: Backend[A], x: A, y: A) -> A:
        """log2(2 ** x + 2 ** y), as `logaddexp`."""
        common_shape("logaddexp2", self.shape(x), self.shape(y))
        return self.div(self.logaddexp(self.mul(x, LOG2), self.mul(y, LOG2)), LOG2)

    @broadcasting
    def xlogy(self: Backend[A], x: A, y: A) -> A:
        """x * log(y), and 0 where x is 0 and y is not NaN.

        Where x is 0 and y <= 0 the gradient in x is 0 too.
        """
        common_shape("xlogy", self.shape(x), self.shape(y))
        nothing = self.logical_and(self.eq(x, 0), self.logical_not(self.isnan(y)))
        return self.where(nothing, 0, self.mul(x, self.log(y)))

    @broadcasting
    def xlog1py(self: Backend[A], x: A, y: A) -> A:
        """x * log(1 + y), and 0 where x is 0 and y is not NaN.

        Where x is 0 and y <= -1 the gradient in x is 0 too.
        """
        common_shape("xlog1py", self.shape(x), self.shape(y))
        nothing = self.logical_and(self.eq(x, 0), self.logical_not(self.isnan(y)))
        return self.where(nothing, 0, self.mul(x, self.log1p(y)))


def same_infinity(b: Backend[A], x: A, y: A) -> A:
    """Where x and y are the same infinity: their difference is 0, not NaN."""
    return b.logical_and(b.isinf(x), b.eq(x, y))
