"""Cases of logarithms and powers of other bases, and of products with a logarithm, against the math module."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from everygrad.conformance.case import FLOATS, BadCall, Case, Sampler
from everygrad.conformance.cases.elementwise import INF, NAN, each, known, values
from everygrad.conformance.cases.trigonometric import guarded
from everygrad_ops import ShapeError

WIDE = FLOATS[:2]


def _log(f: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: -INF if x == 0 else guarded(f)(x)


def _logaddexp(x: float, y: float) -> float:
    high, low = max(x, y), min(x, y)
    return NAN if math.isnan(x + y) and not math.isinf(x) else high + _rest(high, low)


def _rest(high: float, low: float) -> float:
    return 0.0 if math.isinf(high) else math.log1p(math.exp(low - high))


def _logaddexp2(x: float, y: float) -> float:
    return _logaddexp(x * math.log(2), y * math.log(2)) / math.log(2)


def _times(log: Callable[[float], float]) -> Callable[[float, float], float]:
    return lambda x, y: 0.0 if x == 0 and not math.isnan(y) else x * log(y)


def _positive(r: np.random.Generator) -> tuple[object]:
    return (r.uniform(0.2, 8, (2, 3)),)


UNARY: dict[str, tuple[Callable[[float], float], Sampler]] = {
    "log2": (_log(math.log2), _positive),
    "log10": (_log(math.log10), _positive),
    "exp2": (guarded(lambda x: 2.0**x), lambda r: (r.normal(size=(2, 3)),)),
}
POINTS: dict[str, tuple[list[float], list[float], list[float]]] = {
    "log2": ([1, 8, 0, -1, INF, NAN], [0, 3, -INF, NAN, INF, NAN], [1 / math.log(2), 0.125 / math.log(2), INF, -1 / math.log(2), 0, NAN]),
    "log10": ([1, 100, 0, INF], [0, 2, -INF, INF], [1 / math.log(10), 0.01 / math.log(10), INF, 0]),
    "exp2": ([0, 3, -INF, INF, NAN], [1, 8, 0, INF, NAN], [math.log(2), 8 * math.log(2), 0, INF, NAN]),
}  # fmt: skip
PAIRS: dict[str, tuple[Callable[[float, float], float], float]] = {  # and the least second operand
    "logaddexp": (_logaddexp, -2),
    "logaddexp2": (_logaddexp2, -2),
    "xlogy": (_times(_log(math.log)), 0.3),
    "xlog1py": (_times(lambda y: -INF if y == -1 else guarded(math.log1p)(y)), -0.7),
}


def _unary() -> Iterator[Case]:
    for op, (f, sample) in UNARY.items():
        xs, due, slopes = POINTS[op]
        yield Case(op, "plain", sample, each(f), scale=2, order=3)
        yield Case(op, "rank-0", lambda r, s=sample: (np.asarray(s(r)[0][0, 0]),), each(f), scale=2)  # type: ignore[misc]  # a default binds the loop's value
        yield Case(op, "size-0", lambda r: (np.ones((0, 3)),), each(f))
        yield Case(op, "points", values(xs), lambda x, due=due: np.array(due), gradients=known(slopes))


def _pairs() -> Iterator[Case]:
    for op, (f, low) in PAIRS.items():
        for name, x, y in (
            ("plain", (2, 3), (2, 3)),
            ("broadcast", (2, 1), (3,)),
            ("rank-0", (), ()),
            ("size-0", (2, 0), (2, 1)),
        ):
            yield Case(
                op,
                name,
                lambda r, x=x, y=y, low=low: (r.normal(size=x), r.uniform(low, low + 3, y)),  # type: ignore[misc]  # a default binds the loop's value
                each(f),
                order=3,
                scale=3,
            )
    for op, f in (("logaddexp", _logaddexp), ("logaddexp2", _logaddexp2)):
        yield Case(op, "ties", values([1.0, -3.0, 0.0], [1.0, -3.0, 0.0]), each(f), order=3)
        yield Case(
            op,
            "far",
            values([500.0, -500.0, 0.0], [-500.0, -500.0, 500.0]),
            each(f),
            gradients=known([1, 0.5, 0], [0, 0.5, 1]),
            scale=500,
        )
        yield Case(
            op,
            "infinite",
            values([INF, -INF, INF, -INF, 3], [INF, -INF, -INF, 2, -INF]),
            each(f),
            gradients=known([0.5, 0, 1, 0, 1], [0.5, 0, 0, 1, 0]),
        )
        yield Case(op, "nan", values([NAN, 1.0], [0.0, NAN]), lambda x, y: np.array([NAN, NAN]), order=0)
    for op, edge in (("xlogy", 0.0), ("xlog1py", -1.0)):
        f = PAIRS[op][0]
        yield Case(
            op,
            "zeros",
            values([0.0, 0, 0, 0], [edge, edge - 1, 2, INF]),
            each(f),
            gradients=known([0, 0, math.log(2 - edge), INF], [0, 0, 0, 0]),
        )
        yield Case(
            op,
            "edges",
            values([1.0, -1, NAN, 0, INF], [edge, edge, edge + 1, NAN, edge + 1]),
            each(f),
            order=0,
        )
    yield Case(
        "xlog1py",
        "tiny",
        values([1.0, 2.0], [1e-20, -1e-10]),
        each(PAIRS["xlog1py"][0]),
        WIDE,
        scale=1e-20,
        order=0,
    )


CASES = [*_unary(), *_pairs()]

BAD_CALLS = [
    BadCall(op, "shapes", lambda r: (np.zeros(3), np.zeros(2)), ShapeError, ["(3,)", "(2,)"]) for op in PAIRS
]
