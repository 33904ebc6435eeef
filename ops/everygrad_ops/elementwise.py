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
        """Power x ** y. x ** 0 is 1; a negative base with an integral exponent is exact."""
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
        """x - floor(x / y) * y: the sign is the divisor's."""
        raise missing(self, "remainder")

    @broadcasting
    def mul0(self: Backend[A], x: A, y: A) -> A:
        """Product that is exactly 0 where either factor is 0, even against inf or NaN.

        Rules multiply an upstream gradient by a local derivative through it, so that a zero upstream
        stops: where(x >= 0, x, sqrt(-x)) has gradient 1 at 1.
        """
        zero = self.logical_or(self.eq(x, 0), self.eq(y, 0))
        return self.where(zero, 0, self.mul(x, y))

    @primitive
    def neg(self, x: A) -> A:
        """Negative -x."""
        raise missing(self, "neg")

    @primitive
    def abs(self, x: A) -> A:
        """Absolute value; its derivative at 0 is 0."""
        raise missing(self, "abs")

    @primitive
    def sign(self, x: A) -> A:
        """-1, 0 or 1 (NaN stays NaN); its derivative is 0 everywhere."""
        raise missing(self, "sign")

    @primitive
    def exp(self, x: A) -> A:
        """e ** x."""
        raise missing(self, "exp")

    @primitive
    def expm1(self, x: A) -> A:
        """e ** x - 1, exact near 0."""
        raise missing(self, "expm1")

    @primitive
    def log(self, x: A) -> A:
        """Natural logarithm."""
        raise missing(self, "log")

    @primitive
    def log1p(self, x: A) -> A:
        """log(1 + x), exact near 0."""
        raise missing(self, "log1p")

    @primitive
    def sqrt(self, x: A) -> A:
        """Square root."""
        raise missing(self, "sqrt")

    @primitive
    def sin(self, x: A) -> A:
        """Sine of radians."""
        raise missing(self, "sin")

    @primitive
    def cos(self, x: A) -> A:
        """Cosine of radians."""
        raise missing(self, "cos")

    @primitive
    def tanh(self, x: A) -> A:
        """Hyperbolic tangent."""
        raise missing(self, "tanh")

    @primitive
    def floor(self, x: A) -> A:
        """Largest whole number not above x; derivative 0."""
        raise missing(self, "floor")

    @primitive
    def round(self, x: A) -> A:
        """Nearest whole number, halves to even; derivative 0."""
        raise missing(self, "round")

    def ceil(self: Backend[A], x: A) -> A:
        """Smallest whole number not below x; derivative 0."""
        return self.neg(self.floor(self.neg(x)))

    def trunc(self: Backend[A], x: A) -> A:
        """The whole part, towards 0; derivative 0."""
        return self.mul(self.sign(x), self.floor(self.abs(x)))

    def reciprocal(self: Backend[A], x: A) -> A:
        """1 / x."""
        return self.div(self.ones_like(x), x)

    def rsqrt(self: Backend[A], x: A) -> A:
        """1 / sqrt(x)."""
        return self.reciprocal(self.sqrt(x))

    def square(self: Backend[A], x: A) -> A:
        """x * x."""
        return self.mul(x, x)

    def tan(self: Backend[A], x: A) -> A:
        """Tangent of radians."""
        return self.div(self.sin(x), self.cos(x))

    def clamp(self: Backend[A], x: A, low: float | None = None, high: float | None = None) -> A:
        """x limited to [low, high]; the gradient passes on the bounds."""
        if low is not None:
            x = self.where(self.lt(x, low), low, x)
        if high is not None:
            x = self.where(self.gt(x, high), high, x)
        return x

    @broadcasting
    def tanh_backward(self: Backend[A], grad: A, y: A) -> A:
        """The gradient of tanh from its result y: grad * (1 - y * y)."""
        return self.mul(grad, self.add(self.neg(self.mul(y, y)), 1))

    @internal
    def accumulate(self: Backend[A], x: A, y: A) -> A:
        """x + y, where the buffer of `x` may be written: the engine owns it."""
        return self.add(x, y)
