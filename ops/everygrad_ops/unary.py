"""Functions of one array, value by value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.errors import missing
from everygrad_ops.marks import broadcasting, pointwise, primitive

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class UnaryOps(Protocol[A]):
    """One value in, one value out, at every position."""

    @primitive
    @pointwise
    def neg(self, x: A) -> A:
        """Negative -x."""
        raise missing(self, "neg")

    @primitive
    @pointwise
    def abs(self, x: A) -> A:
        """Absolute value; its derivative at 0 is 0."""
        raise missing(self, "abs")

    @primitive
    @pointwise
    def sign(self, x: A) -> A:
        """-1, 0 or 1 (NaN stays NaN); its derivative is 0 everywhere."""
        raise missing(self, "sign")

    @primitive
    @pointwise
    def exp(self, x: A) -> A:
        """e ** x."""
        raise missing(self, "exp")

    @primitive
    @pointwise
    def expm1(self, x: A) -> A:
        """e ** x - 1, exact near 0."""
        raise missing(self, "expm1")

    @primitive
    @pointwise
    def log(self, x: A) -> A:
        """Natural logarithm."""
        raise missing(self, "log")

    @primitive
    @pointwise
    def log1p(self, x: A) -> A:
        """log(1 + x), exact near 0."""
        raise missing(self, "log1p")

    @primitive
    @pointwise
    def sqrt(self, x: A) -> A:
        """Square root."""
        raise missing(self, "sqrt")

    @primitive
    @pointwise
    def sin(self, x: A) -> A:
        """Sine of radians."""
        raise missing(self, "sin")

    @primitive
    @pointwise
    def cos(self, x: A) -> A:
        """Cosine of radians."""
        raise missing(self, "cos")

    @primitive
    @pointwise
    def tanh(self, x: A) -> A:
        """Hyperbolic tangent."""
        raise missing(self, "tanh")

    @primitive
    @pointwise
    def floor(self, x: A) -> A:
        """Largest whole number not above x; derivative 0."""
        raise missing(self, "floor")

    @primitive
    @pointwise
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
        """x * x; a zero upstream stops here, also where x is inf or NaN."""
        return self.mul(x, x)

    def tan(self: Backend[A], x: A) -> A:
        """Tangent of radians."""
        return self.div(self.sin(x), self.cos(x))

    @broadcasting
    def tanh_backward(self: Backend[A], grad: A, y: A) -> A:
        """The gradient of tanh from its result y: grad * (1 - y * y)."""
        return self.mul(grad, self.add(self.neg(self.mul(y, y)), 1))
