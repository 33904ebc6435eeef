"""sin(x) / x and its derivatives, which are entire functions: no order has a pole at 0."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.marks import pointwise
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class SincOps(Protocol[A]):
    """The cardinal sine."""

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
