"""Cases of functions around the factorial, against the math module and series."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math

import numpy as np

from everygrad.conformance.case import FLOATS, Array, BadCall, Case
from everygrad.conformance.cases.elementwise import INF, NAN, each, known, values
from everygrad_ops import ShapeError

WIDE, ONE = FLOATS[:2], FLOATS[:1]
EULER = 0.5772156649015329
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730)


def _zeta(s: float, q: float) -> float:
    """Thirty terms, and Euler and Maclaurin's formula for the rest."""
    if s > 1 and q == INF:
        return 0.0
    if q == -INF:
        return NAN
    if s == INF:
        return INF if q < 1 else float(q == 1)
    if s <= 1 or (q <= 0 and q == int(q)):
        return INF if s == 1 or (s > 1 and q <= 0) else NAN
    a = q + 30
    found = [(q + k) ** -s for k in range(30)] + [a ** (1 - s) / (s - 1), a**-s / 2]
    rising = s
    for j, b in enumerate(BERNOULLI, 1):
        found.append(b / math.factorial(2 * j) * rising * a ** (-s - 2 * j + 1))
        rising *= (s + 2 * j - 1) * (s + 2 * j)
    return math.fsum(found)


def _digamma(x: float) -> float:
    """Up to x >= 30 by recurrence, from there the asymptotic series."""
    if x == -INF:
        return NAN
    down: list[float] = []
    while x < 30:
        down.append(-1 / x)
        x += 1
    tail = [-b / (2 * j * x ** (2 * j)) for j, b in enumerate(BERNOULLI, 1)]
    return math.fsum([*down, math.log(x), -1 / (2 * x), *tail])


def _polygamma(x: Array, n: int) -> Array:
    def at(v: float) -> float:
        return _digamma(v) if n == 0 else (-1) ** (n + 1) * math.factorial(n) * _zeta(n + 1, v)

    return each(at)(x)


def _lower(a: float, x: float) -> float:
    """x^a exp(-x) times the sum of x^k / gamma(a + k + 1)."""
    if a <= 0 or x < 0:
        return NAN
    if x in (0, INF) or a == INF:
        return float(x == INF > a)
    terms, here = [1.0], 1.0
    for k in range(1, 400):
        here *= x / (a + k)
        terms.append(here)
    return math.exp(a * math.log(x) - x - math.lgamma(a + 1)) * math.fsum(terms)


def _slope(a: float, x: float) -> float:
    """The derivative of `_lower` in a, by a difference of high order."""
    h = 3e-3 * a
    f = [_lower(a + k * h, x) for k in (-3, -2, -1, 1, 2, 3)]
    return (-f[0] + 9 * f[1] - 45 * f[2] + 45 * f[3] - 9 * f[4] + f[5]) / (60 * h)


def _gamma_pair(r: np.random.Generator) -> tuple[Array, Array]:
    return r.uniform(0.5, 4, (2, 1)), r.uniform(0.3, 6, 3)


POLES = [0.0, -1, -2, INF, NAN]

CASES = [
    Case("lgamma", "plain", lambda r: (r.uniform(0.3, 6, (2, 3)),), each(math.lgamma), scale=4, order=3),
    Case("lgamma", "negative", values([-0.5, -1.3, -3.7]), each(math.lgamma), scale=4),
    Case("lgamma", "poles", values([0.0, -1, INF, -INF, NAN]), lambda x: np.array([INF, INF, INF, INF, NAN]), order=0),
    Case("lgamma", "roots", values([1.0, 2.0]), each(math.lgamma), gradients=known([-EULER, 1 - EULER])),
    Case("lgamma", "large", values([1e5, 1e20]), each(math.lgamma), WIDE, scale=1e6, order=0),
    Case("lgamma", "size-0", lambda r: (np.ones((2, 0)),), each(math.lgamma)),
    Case("lgamma", "rank-0", values(np.asarray(2.5)), each(math.lgamma)),
    Case("digamma", "plain", lambda r: (r.uniform(0.3, 6, (2, 3)),), each(_digamma), scale=4, order=3),
    Case("digamma", "negative", values([-0.5, -1.3, -3.7]), each(_digamma), scale=16),
    Case("digamma", "poles", values(POLES), lambda x: np.array([-INF, NAN, NAN, INF, NAN]), order=0),
    Case("digamma", "size-0", lambda r: (np.ones((2, 0)),), each(_digamma)),
    Case("digamma", "rank-0", values(np.asarray(2.5)), each(_digamma)),
    *[
        Case("polygamma", f"order-{n}", lambda r, n=n: (r.uniform(0.8, 6, (2, 3)), n), _polygamma, scale=4, order=3)  # type: ignore[misc]  # a default binds the loop's value
        for n in (0, 1, 2, 5)
    ],
    Case("polygamma", "negative", values([-0.5, -1.3], 1), _polygamma, scale=16),
    Case("polygamma", "poles", values([0.0, -1, INF, NAN], 1), lambda x, n: np.array([INF, INF, 0, NAN]), order=0),
    Case("polygamma", "size-0", lambda r: (np.ones((2, 0)), 1), _polygamma),
    Case("polygamma", "rank-0", values(np.asarray(2.5), 2), _polygamma),
    Case("zeta", "plain", lambda r: (r.uniform(1.5, 5, (2, 1)), r.uniform(0.5, 4, 3)), each(_zeta), scale=20, order=3),
    Case("zeta", "riemann", values([2.0, 4.0], [1.0, 1.0]), lambda x, q: np.array([math.pi**2 / 6, math.pi**4 / 90])),
    Case("zeta", "large", values([30.0, 12.5], [1.5, 7.0]), each(_zeta), WIDE, scale=1e-11, terms=16),
    Case("zeta", "negative-q", values([2.0, 3.0], [-0.5, -1.3]), each(_zeta), WIDE, scale=20, wrt=["q"]),
    Case("zeta", "edges", values([1.0, 0.5, 2.0, NAN, 2.0], [2.0, 1.0, -1.0, 1.0, INF]), each(_zeta), order=0),
    Case("zeta", "slope", values([2.0], [1.0]), each(_zeta), gradients=known([-0.9375482543158438], [-2.404113806319188])),
    Case("zeta", "size-0", lambda r: (np.full((2, 0), 2.0), np.ones((2, 1))), each(_zeta)),
    Case("zeta", "rank-0", values(np.asarray(2.5), np.asarray(1.5)), each(_zeta)),
    *[
        case
        for op, f, sign in (("gammainc", _lower, 1), ("gammaincc", lambda a, x: 1 - _lower(a, x), -1))
        for case in (
            Case(op, "plain", _gamma_pair, each(f), terms=4, order=3),
            Case(op, "edges", values([1.0, 2, 2, 0.5], [0.0, 0, INF, 0]), each(lambda a, x, f=f, s=sign: (1 + s) / 2 if math.isinf(x) else f(a, x)),
                 wrt=["x"], gradients=known([sign, 0, 0, sign * INF])),
            Case(op, "slopes", values([0.05, 0.5, 3, 3, 40, 40, 90, 0.3], [0.5, 1.0, 2.5, 8, 25, 60, 91, 4]), each(f), ONE, terms=10**5, wrt=["a"],
                 gradients=lambda a, x, s=sign: [s * each(_slope)(a, x)]),
            Case(op, "size-0", lambda r: (np.ones((2, 0)), np.ones((2, 1))), each(f)),
            Case(op, "rank-0", values(np.asarray(2.5), np.asarray(1.5)), each(f), terms=4),
        )
    ],
]  # fmt: skip

BAD_CALLS = [
    BadCall("polygamma", "order", lambda r: (np.ones(2), -1), ShapeError, ["n=-1", "negative"]),
    *[
        BadCall(op, "shapes", lambda r: (np.full(3, 2.0), np.ones(2)), ShapeError, ["(3,)", "(2,)"])
        for op in ("zeta", "gammainc", "gammaincc")
    ],
]
