"""Cases of the error function and its kin, against the math module and closed forms."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator

import numpy as np

from everygrad.conformance.case import FLOATS, BadCall, Case, Sampler
from everygrad.conformance.cases.elementwise import INF, NAN, each, known, values

WIDE, ONE = FLOATS[:2], FLOATS[:1]
ROOT_PI = math.sqrt(math.pi)


def between(low: float, high: float) -> Sampler:
    """Six numbers of an interval."""
    return lambda r: (r.uniform(low, high, (2, 3)),)


def _erfcx(x: float) -> float:
    if x < 20:
        return math.exp(x * x) * math.erfc(x)
    y = 1 / (2 * x * x)
    return (1 - y + 3 * y**2 - 15 * y**3 + 105 * y**4 - 945 * y**5 + 10395 * y**6) / (x * ROOT_PI)


def _erfinv(y: float) -> float:
    if not -1 < y < 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    low, high = -6.0, 6.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erf(middle) < y else (low, middle)
    return (low + high) / 2


def _ndtr(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _log_ndtr(x: float) -> float:
    if x == -math.inf:
        return x
    return math.log1p(-_ndtr(-x)) if x > 0 else math.log(_ndtr(x))


def _entr(x: float) -> float:
    return -INF if x < 0 else 0.0 if x == 0 else -x * math.log(x)


SMOOTH: dict[str, tuple[Callable[[float], float], Sampler, float]] = {
    "erf": (math.erf, between(-2, 2), 1),
    "erfc": (math.erfc, between(-2, 2), 1),
    "erfcx": (_erfcx, between(-1, 4), 4),
    "erfinv": (_erfinv, between(-0.9, 0.9), 2),
    "ndtri": (statistics.NormalDist().inv_cdf, between(0.1, 0.9), 4),
    "ndtr": (_ndtr, between(-2, 2), 1),
    "log_ndtr": (_log_ndtr, between(-4, 2), 4),
    "entr": (_entr, between(0.2, 3), 3),
}
LIMITS: dict[str, tuple[list[float], list[float], list[float]]] = {  # arguments, values, derivatives
    "erf": ([-INF, INF, NAN], [-1, 1, NAN], [0, 0, NAN]),
    "erfc": ([-INF, INF, NAN], [2, 0, NAN], [0, 0, NAN]),
    "erfcx": ([INF, 0, -INF, NAN], [0, 1, INF, NAN], [NAN, -2 / ROOT_PI, -INF, NAN]),
    "erfinv": ([0, 1, -1, 2, NAN], [0, INF, -INF, NAN, NAN], [ROOT_PI / 2, INF, INF, NAN, NAN]),
    "ndtri": ([0.5, 0, 1, -1, NAN], [0, -INF, INF, NAN, NAN], [math.sqrt(2 * math.pi), INF, INF, NAN, NAN]),
    "ndtr": ([0, -INF, INF, NAN], [0.5, 0, 1, NAN], [1 / math.sqrt(2 * math.pi), 0, 0, NAN]),
    "log_ndtr": ([0, -INF, INF, NAN], [-math.log(2), -INF, 0, NAN], [math.sqrt(2 / math.pi), INF, 0, NAN]),
    "entr": ([1, 0, -1, INF, NAN], [0, 0, -INF, -INF, NAN], [-1, INF, NAN, -INF, NAN]),
}  # fmt: skip


def _smooth() -> Iterator[Case]:
    for op, (f, sample, scale) in SMOOTH.items():
        xs, due, slopes = LIMITS[op]
        yield Case(op, "plain", sample, each(f), scale=scale, order=3)
        yield Case(op, "rank-0", lambda r, s=sample: (np.asarray(s(r)[0][0, 0]),), each(f), scale=scale)  # type: ignore[misc]  # a default binds the loop's value
        yield Case(op, "size-0", lambda r: (np.full((0, 3), 0.5),), each(f))
        yield Case(op, "limits", values(xs), lambda x, due=due: np.array(due), gradients=known(slopes))


FAR = [
    Case("erf", "near-0", values([-1e-6, 0.0, 1e-3]), each(math.erf), WIDE, scale=1e-9),
    Case("erf", "far", values([-30.0, -4.0, 4.0, 30.0]), each(math.erf)),
    Case("erfc", "tail", values([3.0, 5.0, 9.0]), each(math.erfc), ONE, scale=1e-40, terms=64, order=0),
    Case("erfcx", "far", values([30.0, 1e4, 1e9]), each(_erfcx), WIDE, scale=1e-10, order=0),
    Case("erfinv", "near-0", values([1e-20, -1e-10]), lambda x: x * ROOT_PI / 2, WIDE, scale=1e-20, order=0),
    Case("ndtr", "tail", values([-5.0, -9.0]), each(_ndtr), ONE, scale=1e-20, terms=64, order=0),
    Case("log_ndtr", "tail", values([-30.0, -10.0, 8.0]), each(_log_ndtr), WIDE, scale=1e-16, terms=400, order=0),
    Case("log_ndtr", "tail-slope", values([-30.0, -1000.0]), lambda x: np.array([-454.32124395634, -500007.82669481]), ONE, scale=1e4,
         gradients=known([30.0332597, 1000.000999998]), terms=10**8),
]  # fmt: skip


CASES = [*_smooth(), *FAR]

BAD_CALLS: list[BadCall] = []
