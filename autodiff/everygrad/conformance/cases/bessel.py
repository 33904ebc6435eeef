"""Cases of Bessel functions, against their integrals."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from everygrad.conformance.case import FLOATS, Array, BadCall, Case
from everygrad.conformance.cases.elementwise import INF, NAN, fsum, known, values
from everygrad_ops import ShapeError

WIDE, ONE = FLOATS[:2], FLOATS[:1]
Oracle = Callable[[Array, int], Array]


def _mean(f: Callable[[float, float, int], float]) -> Oracle:
    """The mean of f(x, t, n) over t: of a periodic function the plain sum converges like its Fourier series."""
    ts = [2 * math.pi * k / 120 for k in range(120)]
    return lambda x, n: np.array([fsum(f(v, t, n) for t in ts) / 120 for v in x.ravel()]).reshape(x.shape)


def _limit(f: Oracle, end: Callable[[float, int], float]) -> Oracle:
    """`f`, and its limit at both infinities."""

    def oracle(x: Array, n: int) -> Array:
        inside = f(np.where(np.isinf(x), 0, x), n)
        return np.array(
            [end(v, n) if math.isinf(v) else u for u, v in zip(inside.ravel(), x.ravel())]
        ).reshape(x.shape)

    return oracle


BESSEL = {
    "bessel_i": _limit(
        _mean(lambda x, t, n: math.exp(x * math.cos(t)) * math.cos(n * t)), lambda x, n: x**n * math.inf
    ),
    "bessel_ie": _limit(
        _mean(lambda x, t, n: math.exp(x * math.cos(t) - abs(x)) * math.cos(n * t)), lambda x, n: 0.0
    ),
    "bessel_j": _limit(_mean(lambda x, t, n: math.cos(n * t - x * math.sin(t))), lambda x, n: 0.0),
}


def _bessel() -> Iterator[Case]:
    for op, oracle in BESSEL.items():
        for n in (0, 1, 2, 3):
            scale = 10 if op == "bessel_i" else 1
            yield Case(
                op,
                f"plain-{n}",
                lambda r, n=n: (r.normal(size=(2, 3)) * 2 + 0.1, n),  # type: ignore[misc]  # a default binds the loop's value
                oracle,
                scale=scale,
                order=3,
            )
            if op != "bessel_ie":
                yield Case(op, f"at-0-{n}", values([0.0, 1e-9], n), oracle, order=3)
        yield Case(
            op, "far", values([-9.0, 7.5], 1), oracle, WIDE, scale=2000 if op == "bessel_i" else 1, terms=16
        )
        yield Case(op, "rank-0", values(np.asarray(0.5), 1), oracle)
        yield Case(op, "size-0", lambda r: (np.zeros((2, 0)), 0), oracle)
    yield Case("bessel_ie", "kink", values([0.0, -0.0], 0), BESSEL["bessel_ie"], gradients=known([0, 0]))
    yield Case(
        "bessel_ie",
        "large",
        values([1e4, -1e4], 0),
        lambda x, n: (1 + 1 / (8 * abs(x)) + 9 / (128 * x**2)) / np.sqrt(2 * math.pi * abs(x)),
        ONE,
        order=0,
    )


NODES, WEIGHTS = np.polynomial.legendre.leggauss(160)


def _integral(f: Callable[[float], float], end: float) -> float:
    """From 0 to `end`, by Gauss and Legendre's rule."""
    return fsum(w * f(end * (v + 1) / 2) for v, w in zip(NODES.tolist(), WEIGHTS.tolist())) * end / 2


def _second(x: float, n: int) -> float:
    if x <= 0:
        return -INF if x == 0 else NAN
    turning = _integral(lambda t: math.sin(x * math.sin(t) - n * t), math.pi)
    falling = _integral(
        lambda t: (math.exp(n * t) + (-1) ** n * math.exp(-n * t)) * math.exp(-x * math.sinh(t)), 6
    )
    return (turning - falling) / math.pi


def _modified(x: float, n: int, scaled: bool) -> float:
    if x <= 0:
        return INF if x == 0 else NAN
    return _integral(lambda t: math.exp((x if scaled else 0) - x * math.cosh(t)) * math.cosh(n * t), 6)


def _airy(x: float, slope: bool) -> float:
    """Maclaurin's series of the two solutions of y'' = x y."""
    if math.isinf(x):
        return NAN if x < 0 and slope else 0.0
    found, term = [0.3550280538878172, -0.2588194037928068], [0.3550280538878172, -0.2588194037928068]
    powers = [(0, found[0]), (1, found[1])]
    for k in range(1, 30):
        term = [term[0] / ((3 * k - 1) * 3 * k), term[1] / (3 * k * (3 * k + 1))]
        powers += [(3 * k, term[0]), (3 * k + 1, term[1])]
    return fsum(c * (p * x ** (p - 1) if slope and p else 0 if slope else x**p) for p, c in powers)


SECOND: dict[str, Callable[[float, int], float]] = {
    "bessel_y": _second,
    "bessel_k": lambda x, n: _modified(x, n, False),
    "bessel_ke": lambda x, n: _modified(x, n, True),
}


def _each_of(f: Callable[[float, int], float]) -> Callable[[Array, int], Array]:
    return lambda x, n: np.array([f(v, n) for v in x.ravel()]).reshape(x.shape)


def _second_kind() -> Iterator[Case]:
    for op, f in SECOND.items():
        oracle = _each_of(f)
        for n in (0, 1, 2, 3):
            yield Case(
                op,
                f"plain-{n}",
                lambda r, n=n: (r.uniform(0.8, 4, (2, 3)), n),  # type: ignore[misc]  # a default binds the loop's value
                oracle,
                scale=10,
                terms=160,
                order=3,
            )
        yield Case(
            op,
            "edges",
            values([0.0, -1.0, NAN, INF], 1),
            lambda x, n, f=f: np.array([f(0, n), NAN, NAN, 0]),
            order=0,
        )
        yield Case(op, "rank-0", values(np.asarray(1.5), 1), oracle, terms=160)
        yield Case(op, "size-0", lambda r: (np.ones((2, 0)), 0), oracle)
    yield Case(
        "bessel_ke",
        "large",
        values([1e4], 0),
        lambda x, n: (1 - 1 / (8 * x) + 9 / (128 * x**2)) * np.sqrt(math.pi / (2 * x)),
        ONE,
        order=0,
    )
    for slope in (False, True):
        oracle = _each_of(lambda v, s: _airy(v, bool(s)))
        yield Case(
            "airy_ai",
            "slope" if slope else "plain",
            lambda r, s=slope: (r.uniform(-2, 2, (2, 3)), s),  # type: ignore[misc]  # a default binds the loop's value
            oracle,
            scale=2,
            order=3,
        )
        yield Case("airy_ai", f"rank-0-{slope}", values(np.asarray(0.5), slope), oracle)
        yield Case("airy_ai", f"size-0-{slope}", lambda r, s=slope: (np.ones((2, 0)), s), oracle)  # type: ignore[misc]  # a default binds the loop's value
    yield Case("airy_ai", "edges", values([INF, -INF, NAN]), lambda x: np.array([0, 0, NAN]), order=0)


CASES = [*_bessel(), *_second_kind()]

BAD_CALLS = [
    BadCall(op, "order", lambda r: (np.ones(2), -1), ShapeError, ["n=-1", "negative"])
    for op in (*BESSEL, *SECOND)
]
