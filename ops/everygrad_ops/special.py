"""The error function and its kin: the optional group, whose default goes through SciPy on the host."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.host import on_host
from everygrad_ops.marks import optional, pointwise
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class SpecialOps(Protocol[A]):
    """Functions of the normal distribution, which no short composition gives."""

    @optional
    @pointwise
    def erf(self: Backend[A], x: A) -> A:
        """Error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x."""
        from scipy.special import erf

        return on_host(self, erf, x)

    @optional
    @pointwise
    def erfc(self: Backend[A], x: A) -> A:
        """1 - erf(x), exact where erf(x) is near 1."""
        from scipy.special import erfc

        return on_host(self, erfc, x)

    @optional
    @pointwise
    def erfcx(self: Backend[A], x: A) -> A:
        """exp(x * x) * erfc(x), which does not vanish for large x."""
        from scipy.special import erfcx

        return on_host(self, erfcx, x)

    @optional
    @pointwise
    def erfinv(self: Backend[A], x: A) -> A:
        """The inverse of erf: inf at 1, -inf at -1, NaN beyond."""
        from scipy.special import erfinv

        return on_host(self, erfinv, x)

    @optional
    @pointwise
    def ndtri(self: Backend[A], x: A) -> A:
        """The quantile of the standard normal distribution: -inf at 0, inf at 1, NaN beyond."""
        from scipy.special import ndtri

        return on_host(self, ndtri, x)

    @optional
    @pointwise
    def log_ndtr(self: Backend[A], x: A) -> A:
        """The logarithm of `ndtr`, exact far into the left tail."""
        from scipy.special import log_ndtr

        return on_host(self, log_ndtr, x)

    @pointwise
    def ndtr(self: Backend[A], x: A) -> A:
        """The distribution function of the standard normal: erfc(-x / sqrt(2)) / 2."""
        dtype = self.dtype(x)
        tail = self.erfc(self.mul(wide(self, x), -math.sqrt(0.5)))
        return narrow(self, self.mul(tail, 0.5), dtype)

    @pointwise
    def entr(self: Backend[A], x: A) -> A:
        """-x log(x), the term of an entropy: 0 at 0, -inf below 0."""
        return self.where(self.lt(x, 0), float("-inf"), self.neg(self.xlogy(x, x)))
