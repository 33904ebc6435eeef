"""More arithmetic: remainders, signs, blends, the cardinal sine. Operands have equal dtypes; shapes broadcast."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import common_shape
from everygrad_ops.dtypes import DType
from everygrad_ops.errors import by_zero
from everygrad_ops.marks import broadcasting, pointwise
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")

LARGEST = {
    DType.float64: 1.7976931348623157e308,
    DType.float32: 3.4028234663852886e38,
    DType.float16: 65504.0,
    DType.bfloat16: 3.3895313892515355e38,
}
"""The largest finite number of a dtype."""


class ArithmeticOps(Protocol[A]):
    """Compositions of the arithmetic that backends implement."""

    @broadcasting
    def fmod(self: Backend[A], x: A, y: A) -> A:
        """x - trunc(x / y) * y: the sign is the dividend's. Integers by 0 raise `ZeroDivisionError`."""
        common_shape("fmod", self.shape(x), self.shape(y))
        if self.dtype(x).is_floating:
            return self.copysign(self.remainder(self.abs(x), self.abs(y)), x)
        try:
            rest = self.remainder(x, y)
        except ZeroDivisionError:
            raise by_zero("fmod") from None
        crossed = self.logical_and(self.ne(rest, 0), self.ne(self.lt(x, 0), self.lt(rest, 0)))
        return self.where(crossed, self.sub(rest, y), rest)

    @broadcasting
    def copysign(self: Backend[A], x: A, y: A) -> A:
        """|x| with the sign of y, in which the sign of a zero counts. The derivative at x = 0 is 0, and in y."""
        common_shape("copysign", self.shape(x), self.shape(y))
        below = self.where(self.eq(y, 0), self.div(self.ones_like(y), y), y)
        size = self.abs(x)
        return self.where(self.lt(below, 0), self.neg(size), size)

    @broadcasting
    def lerp(self: Backend[A], x: A, y: A, weight: A | float) -> A:
        """x + weight * (y - x): x at weight 0 and y at weight 1, exactly."""
        shapes = [self.shape(x), self.shape(y)]
        common_shape("lerp", *shapes, () if isinstance(weight, (int, float)) else self.shape(weight))
        gap = self.sub(y, x)
        if isinstance(weight, (int, float)):
            if abs(weight) < 0.5:
                return self.add(x, self.mul(gap, weight))
            return self.sub(y, self.mul(gap, 1 - weight))
        near = self.add(x, self.mul(gap, weight))
        return self.where(
            self.lt(self.abs(weight), 0.5), near, self.sub(y, self.mul(gap, self.add(self.neg(weight), 1)))
        )

    @pointwise
    def nan_to_num(
        self: Backend[A],
        x: A,
        nan: float = 0.0,
        posinf: float | None = None,
        neginf: float | None = None,
    ) -> A:
        """NaN and the infinities replaced, by 0 and the dtype's ends unless given; no gradient passes there."""
        most = LARGEST[self.dtype(x)]
        x = self.where(self.isnan(x), nan, x)
        x = self.where(self.eq(x, float("inf")), most if posinf is None else posinf, x)
        return self.where(self.eq(x, float("-inf")), -most if neginf is None else neginf, x)

    @pointwise
    def sinc(self: Backend[A], x: A) -> A:
        """sin(pi x) / (pi x), and 1 at 0; every derivative is right at 0 as well."""
        angle = self.mul(x, math.pi)
        zero = self.eq(angle, 0)
        return self.where(zero, 1, self.div(self.sin(angle), self.where(zero, 1, angle)))

    @pointwise
    def sinc_derivative(self: Backend[A], x: A, order: int) -> A:
        """The derivative of `sinc` of this order.

        With t = pi x and f(t) = sin(t) / t, t f(n) = sin(t + n pi / 2) - n f(n-1), which is stable for |t| > n; nearer
        to 0 the power series of f is differentiated term by term.
        """
        dtype = self.dtype(x)
        angle = self.mul(wide(self, x), math.pi)
        near = self.le(self.abs(angle), order + 1)
        found = self.where(near, _series(self, angle, order), _recurrence(self, angle, near, order))
        return narrow(self, self.mul(found, math.pi**order), dtype)


def _series(b: Backend[A], t: A, order: int) -> A:
    """sum over even k >= order of (-1)^(k/2) t^(k - order) / ((k - order)! (k + 1)), for |t| <= order + 1."""
    first = order + order % 2
    square = b.square(b.where(b.le(b.abs(t), order + 1), t, 0))
    total = b.zeros_like(t)
    for k in range(first + 2 * (order + 14), first - 1, -2):  # Horner's rule, from the smallest term
        here = (-1) ** (k // 2) / (math.factorial(k - order) * (k + 1))
        total = b.add(b.mul(total, square), here)
    return b.mul(total, b.where(b.le(b.abs(t), order + 1), t, 0)) if order % 2 else total


def _recurrence(b: Backend[A], t: A, near: A, order: int) -> A:
    t = b.where(near, 1, t)
    sine, cosine = b.sin(t), b.cos(t)
    turned = [sine, cosine, b.neg(sine), b.neg(cosine)]  # sin(t + n pi / 2)
    found = b.div(sine, t)
    for n in range(1, order + 1):
        found = b.div(b.sub(turned[n % 4], b.mul(found, n)), t)
    return found
