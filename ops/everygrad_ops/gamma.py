"""The gamma function's logarithm, derivatives and integrals: the optional group, by SciPy on the host."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from everygrad_ops.errors import ShapeError
from everygrad_ops.host import on_host, pair_on_host, scipy_special
from everygrad_ops.marks import broadcasting, optional, pointwise

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class GammaOps(Protocol[A]):
    """Functions around the factorial."""

    @optional
    @pointwise
    def lgamma(self: Backend[A], x: A) -> A:
        """log |gamma(x)|: inf at 0, at negative integers and at both infinities."""
        return on_host(self, log_gamma, x)

    @optional
    @pointwise
    def digamma(self: Backend[A], x: A) -> A:
        """The derivative of log gamma: -inf at 0, NaN at negative integers."""
        from scipy.special import psi

        return on_host(self, psi, x)

    @optional
    @pointwise
    def polygamma(self: Backend[A], x: A, n: int) -> A:
        """The n-th derivative of digamma: (-1)^(n + 1) n! zeta(n + 1, x) for n > 0."""
        return on_host(self, functools.partial(poly_gamma, n=n), x)

    @optional
    @broadcasting
    def zeta(self: Backend[A], x: A, q: A) -> A:
        """Hurwitz's zeta: the sum over k >= 0 of (q + k)^-x, for x > 1; inf at x = 1, NaN below.

        For q <= 0 it is inf at integers, and between them needs an integral x. There the gradient in x is NaN.
        """
        from scipy.special import zeta

        return pair_on_host(self, "zeta", zeta, x, q)

    @optional
    @broadcasting
    def gammainc(self: Backend[A], a: A, x: A) -> A:
        """The lower incomplete gamma, of a and x not negative: the integral of t^(a-1) exp(-t) to x, over gamma(a)."""
        from scipy.special import gammainc

        return pair_on_host(self, "gammainc", gammainc, a, x)

    @optional
    @broadcasting
    def gammaincc(self: Backend[A], a: A, x: A) -> A:
        """1 - gammainc(a, x), exact where that is small."""
        from scipy.special import gammaincc

        return pair_on_host(self, "gammaincc", gammaincc, a, x)


def log_gamma(x: Any) -> Any:
    """log |gamma(x)| of a NumPy array."""
    import numpy as np

    return np.where(x == -np.inf, np.inf, scipy_special().gammaln(x))  # SciPy gives -inf there


def poly_gamma(x: Any, n: int) -> Any:
    """The n-th derivative of digamma of a NumPy array."""
    check_order("polygamma", n)
    if n == 0:
        return scipy_special().psi(x)
    return float((-1) ** (n + 1) * math.factorial(n)) * scipy_special().zeta(float(n + 1), x)


def check_order(op: str, n: int) -> None:
    """Refuse a negative order."""
    if n < 0:
        raise ShapeError(f"{op}: the order n must not be negative. Received: n={n}; write 0, 1, 2, ...")
    if op == "polygamma" and n > 170:
        raise ShapeError(f"{op}: n! must lie in the range of float64. Received: n={n}; write at most 170")
