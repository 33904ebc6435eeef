"""Gradients around the gamma function.

What has no closed form, the derivatives of the incomplete gamma in a and of zeta in x, is a quadrature or a series
written with ops of the backend: exact to rounding, and differentiable again.
"""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend
from everygrad_ops.quadrature import gauss_legendre

A = TypeVar("A")

TERMS = 10
"""How many terms of zeta are summed before Euler and Maclaurin's formula takes over."""
CORRECTIONS = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600)
"""B_2j / (2 j)!, with Bernoulli's numbers."""
NODES, DROP, SERIES = 48, 40.0, 24
"""Nodes of the quadrature; how far, in powers of e, its integrand falls; terms of the series for x <= 1."""


@gradient("lgamma", "x")
def lgamma_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul0(g, b.digamma(x))


@gradient("digamma", "x")
def digamma_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul0(g, b.polygamma(x, 1))


@gradient("polygamma", "x")
def polygamma_x(b: Backend[A], g: A, x: A, n: int) -> A:
    return b.mul0(g, b.polygamma(x, n + 1))


@gradient("zeta", "q")
def zeta_q(b: Backend[A], g: A, x: A, q: A) -> A:
    return b.neg(b.mul0(g, b.mul(x, b.zeta(b.add(x, 1), q))))


@gradient("zeta", "x")
def zeta_x(b: Backend[A], g: A, x: A, q: A) -> A:
    """The derivative of Euler and Maclaurin's formula: a sum, an integral, half a term, corrections."""
    x, q = b.where(b.gt(x, 1), x, math.nan), b.where(b.gt(q, 0), q, math.nan)
    total = b.zeros_like(b.add(x, q))
    for k in range(TERMS):
        log = b.log(b.add(q, k))
        total = b.sub(total, b.mul(log, b.exp(b.neg(b.mul(x, log)))))
    last = b.add(q, TERMS)
    log, above = b.log(last), b.sub(x, 1)
    term = b.exp(b.neg(b.mul(x, log)))
    integral = b.div(b.mul(last, term), above)
    total = b.sub(total, b.mul(integral, b.add(b.div(b.ones_like(above), above), log)))
    total = b.sub(total, b.mul(b.mul(term, log), 0.5))
    rising = b.div(
        b.mul(term, x), last
    )  # x (x + 1) ... (x + 2 j - 2) last^-(x + 2 j - 1), and its slope at fixed last
    slope = b.div(term, last)
    for j, here in enumerate(CORRECTIONS):
        total = b.add(total, b.mul(b.sub(slope, b.mul(rising, log)), here))
        for more in (2 * j + 1, 2 * j + 2):
            slope = b.div(b.add(b.mul(slope, b.add(x, more)), rising), last)
            rising = b.div(b.mul(rising, b.add(x, more)), last)
    return b.mul0(g, total)


@gradient("gammainc", "x")
def gammainc_x(b: Backend[A], g: A, a: A, x: A) -> A:
    return b.mul0(g, _density(b, a, x))


@gradient("gammaincc", "x")
def gammaincc_x(b: Backend[A], g: A, a: A, x: A) -> A:
    return b.neg(b.mul0(g, _density(b, a, x)))


@gradient("gammainc", "a")
def gammainc_a(b: Backend[A], g: A, a: A, x: A) -> A:
    return b.mul0(g, _slope(b, a, x))


@gradient("gammaincc", "a")
def gammaincc_a(b: Backend[A], g: A, a: A, x: A) -> A:
    return b.neg(b.mul0(g, _slope(b, a, x)))


def _density(b: Backend[A], a: A, x: A) -> A:
    """x^(a - 1) exp(-x) / gamma(a)."""
    exponent = b.sub(b.sub(b.xlogy(b.sub(a, 1), x), x), b.lgamma(a))
    return b.exp(b.where(b.isinf(x), -math.inf, exponent))


def _slope(b: Backend[A], a: A, x: A) -> A:
    """The derivative of gammainc in a."""
    a, x = b.add(a, b.zeros_like(x)), b.add(x, b.zeros_like(a))
    small, upper = b.le(x, 1), b.gt(x, a)
    series = _series(b, a, b.where(small, x, 1))
    away = b.where(small, 2, x)
    lower = _quadrature(b, b.where(upper, b.add(away, 1), a), away, 1)
    higher = _quadrature(b, b.where(upper, a, 1), b.where(upper, away, 2), -1)
    return b.where(small, series, b.where(upper, higher, lower))


def _series(b: Backend[A], a: A, x: A) -> A:
    """From gammainc = x^a / gamma(a) times the sum over k of (-x)^k / (k! (a + k))."""
    total, slope = b.zeros_like(a), b.zeros_like(a)
    power = b.ones_like(x)
    for k in range(SERIES):
        share = b.div(power, b.add(a, k))
        total = b.add(total, share)
        slope = b.sub(slope, b.div(share, b.add(a, k)))
        power = b.mul(power, b.div(x, -(k + 1)))
    front = b.exp(b.sub(b.xlogy(a, x), b.lgamma(a)))
    log = b.sub(b.log(b.where(b.gt(x, 0), x, 1)), b.digamma(a))
    return b.where(b.gt(x, 0), b.mul(front, b.add(slope, b.mul(total, log))), 0)


def _quadrature(b: Backend[A], a: A, x: A, side: int) -> A:
    """The integral of (v - digamma(a)) exp(a v - exp(v)) / gamma(a) over v below (side 1) or above (-1) log(x).

    Over the length on which the integrand falls by exp(-DROP), by Gauss and Legendre's rule.
    """
    nodes, weights = (b.cast(b.from_numpy(v), b.dtype(a)) for v in gauss_legendre(NODES))
    length = _length(b, b.detach(a), b.detach(x), side)
    log = b.log(x)
    front = b.exp(b.sub(b.sub(b.mul(a, log), x), b.lgamma(a)))

    def column(v: A) -> A:
        return b.reshape(v, (*b.shape(v), 1))

    step = b.mul(b.mul(column(length), nodes), -side)
    change = b.sub(b.mul(column(a), step), b.mul(column(x), b.expm1(step)))
    above = b.add(column(b.sub(log, b.digamma(a))), step)
    values = b.mul(b.mul(above, b.exp(change)), weights)
    total = b.sum(values, (len(b.shape(a)),), False)
    return b.mul(b.mul(b.mul(total, front), length), side)


def _length(b: Backend[A], a: A, x: A, side: int) -> A:
    """Where the integrand has fallen by exp(-DROP), by Newton's steps from beyond: it is convex."""
    if side > 0:
        length = b.div(b.add(b.sqrt(b.add(b.mul(a, 8 * DROP), DROP**2)), DROP), b.mul(a, 2))
    else:
        gap = b.sub(x, a)
        root = b.sqrt(b.add(b.square(gap), b.mul(x, 2 * DROP)))
        length = b.div(b.mul(b.ones_like(x), 2 * DROP), b.add(gap, root))
    for _ in range(4):
        change = b.mul(x, b.expm1(b.mul(length, -side)))  # of exp(v), from log(x) to there
        fallen = b.add(b.mul(b.mul(a, length), side), change)
        slope = b.mul(b.sub(b.sub(a, x), change), side)
        length = b.sub(length, b.div(b.sub(fallen, DROP), slope))
    return length
