"""Elementwise arithmetic and functions. Operands have equal dtypes; shapes broadcast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.errors import missing
from everygrad_ops.marks import broadcasting, internal, primitive

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ElementwiseOps(Protocol[A]):
    """One value in, one value out, at every position."""

    @primitive
    @broadcasting
    def add(self, x: A, y: A | float) -> A:
        """Sum x + y."""
        raise missing(self, "add")

    @primitive
    @broadcasting
    def sub(self, x: A, y: A | float) -> A:
        """Difference x - y."""
        raise missing(self, "sub")

    @primitive
    @broadcasting
    def mul(self, x: A, y: A | float) -> A:
        """Product x * y."""
        raise missing(self, "mul")

    @primitive
    @broadcasting
    def div(self, x: A, y: A | float) -> A:
        """True quotient x / y of floats."""
        raise missing(self, "div")

    @primitive
    @broadcasting
    def pow(self, x: A, y: A | float) -> A:
        """Power x ** y. x ** 0 is 1, also for NaN; a negative base with an integral exponent is exact.

        Integers to a negative power raise `DTypeError`.
        """
        raise missing(self, "pow")

    @primitive
    @broadcasting
    def maximum(self, x: A, y: A | float) -> A:
        """The larger; NaN wins. A tie shares its gradient half and half."""
        raise missing(self, "maximum")

    @primitive
    @broadcasting
    def minimum(self, x: A, y: A | float) -> A:
        """The smaller; NaN wins. A tie shares its gradient half and half."""
        raise missing(self, "minimum")

    @primitive
    @broadcasting
    def remainder(self, x: A, y: A | float) -> A:
        """x - floor(x / y) * y: the sign is the divisor's. Integers by 0 raise `ZeroDivisionError`."""
        raise missing(self, "remainder")

    @primitive
    @broadcasting
    def floor_divide(self, x: A, y: A | float) -> A:
        """The whole quotient (x - remainder(x, y)) / y, as Python's x // y; derivative 0. Integers by 0 raise `ZeroDivisionError`.

        So 1 by 0.1, which is more than a tenth in binary, is 9, and an infinity by a number is NaN.
        """
        raise missing(self, "floor_divide")

    @broadcasting
    def mul0(self: Backend[A], x: A, y: A) -> A:
        """Product that is exactly 0 where either factor is 0, even against inf or NaN.

        Rules multiply an upstream gradient by a local derivative through it, so that a zero upstream
        stops: where(x >= 0, x, sqrt(-x)) has gradient 1 at 1.
        """
        zero = self.logical_or(self.eq(x, 0), self.eq(y, 0))
        return self.where(zero, 0, self.mul(x, y))

    @broadcasting
    def div0(self: Backend[A], x: A, y: A) -> A:
        """Quotient x / y that is exactly 0 where x is 0, even against 0 or NaN: `mul0` of x and 1 / y.

        Like that one, it is for rules: its own gradients are those of x / y, wherever x is 0 too.
        """
        return self.where(self.eq(x, 0), 0, self.div(x, y))

    def clamp(self: Backend[A], x: A, low: float | None = None, high: float | None = None) -> A:
        """x limited to [low, high]; the gradient passes on the bounds."""
        if low is not None:
            x = self.where(self.lt(x, low), low, x)
        if high is not None:
            x = self.where(self.gt(x, high), high, x)
        return x

    @internal
    def accumulate(self: Backend[A], x: A, y: A) -> A:
        """x + y, where the buffer of `x` may be written: the engine owns it."""
        return self.add(x, y)
