"""More arithmetic: remainders, signs, blends. Operands have equal dtypes; shapes broadcast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import common_shape
from everygrad_ops.dtypes import DType
from everygrad_ops.errors import by_zero
from everygrad_ops.marks import broadcasting, pointwise

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
