"""Cases of inverse trigonometric and hyperbolic functions, against the math module."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from everygrad.conformance.case import FLOATS, BadCall, Case, Sampler
from everygrad.conformance.cases.elementwise import INF, NAN, each, known, values
from everygrad.conformance.cases.special import between
from everygrad_ops import ShapeError

WIDE = FLOATS[:2]


def guarded(f: Callable[..., float]) -> Callable[..., float]:
    """`f` of the math module, with the answers of the contract where that one raises."""

    def at(*xs: float) -> float:
        try:
            return f(*xs)
        except ValueError:
            return NAN
        except OverflowError:
            return INF

    return at


UNARY: dict[str, tuple[Callable[[float], float], Sampler]] = {
    "asin": (math.asin, between(-0.9, 0.9)),
    "acos": (math.acos, between(-0.9, 0.9)),
    "atan": (math.atan, between(-3, 3)),
    "sinh": (math.sinh, between(-3, 3)),
    "cosh": (math.cosh, between(-3, 3)),
    "asinh": (math.asinh, between(-3, 3)),
    "acosh": (math.acosh, between(1.3, 5)),
    "atanh": (math.atanh, between(-0.9, 0.9)),
}
POINTS: dict[str, tuple[list[float], list[float], list[float]]] = {  # arguments, values, derivatives
    "asin": ([0, 1, -1, 2, NAN], [0, math.pi / 2, -math.pi / 2, NAN, NAN], [1, INF, INF, NAN, NAN]),
    "acos": ([0, 1, -1, 2, NAN], [math.pi / 2, 0, math.pi, NAN, NAN], [-1, -INF, -INF, NAN, NAN]),
    "atan": ([0, INF, -INF, NAN, 1e30], [0, math.pi / 2, -math.pi / 2, NAN, math.pi / 2], [1, 0, 0, NAN, 0]),
    "sinh": ([0, INF, -INF, NAN], [0, INF, -INF, NAN], [1, INF, INF, NAN]),
    "cosh": ([0, INF, -INF, NAN], [1, INF, INF, NAN], [0, INF, -INF, NAN]),
    "asinh": ([0, INF, -INF, NAN], [0, INF, -INF, NAN], [1, 0, 0, NAN]),
    "acosh": ([1, INF, 0.5, NAN], [0, INF, NAN, NAN], [INF, 0, NAN, NAN]),
    "atanh": ([0, 1, -1, 2, NAN], [0, INF, -INF, NAN, NAN], [1, INF, INF, -1 / 3, NAN]),
}
ODD = ("asin", "atan", "sinh", "asinh", "atanh")


def _unary() -> Iterator[Case]:
    for op, (f, sample) in UNARY.items():
        xs, due, slopes = POINTS[op]
        yield Case(op, "plain", sample, each(f), scale=2, order=3)
        yield Case(op, "rank-0", lambda r, s=sample: (np.asarray(s(r)[0][0, 0]),), each(f), scale=2)  # type: ignore[misc]  # a default binds the loop's value
        yield Case(op, "size-0", lambda r: (np.zeros((0, 3)),), each(f))
        yield Case(op, "points", values(xs), lambda x, due=due: np.array(due), gradients=known(slopes))
        if op in ODD:
            yield Case(op, "tiny", values([1e-7, -1e-7, 1e-20]), each(f), WIDE, scale=1e-20, order=0)


def _far() -> Iterator[Case]:
    yield Case(
        "asinh",
        "far",
        values([1e30, -1e30]),
        each(math.asinh),
        WIDE,
        gradients=known([1e-30, 1e-30]),
        scale=1e-30,
    )
    yield Case(
        "acosh",
        "far",
        values([1e30, 1e18]),
        each(math.acosh),
        WIDE,
        gradients=known([1e-30, 1e-18]),
        scale=1e-30,
    )
    yield Case("sinh", "overflows", values([89.0, -89.0, 800.0]), each(guarded(math.sinh)), WIDE[:1], order=0)
    yield Case(
        "cosh", "near-overflow", values([710.0, -710.0]), each(math.cosh), WIDE[:1], scale=1e294, order=0
    )


def _turned(y: float, x: float) -> float:
    return math.atan2(y, x)


PAIRS: dict[str, Callable[[float, float], float]] = {"atan2": _turned, "hypot": math.hypot}


def _pairs() -> Iterator[Case]:
    for op, f in PAIRS.items():
        for name, x, y in (
            ("plain", (2, 3), (2, 3)),
            ("broadcast", (2, 1), (3,)),
            ("rank-0", (), ()),
            ("size-0", (2, 0), (2, 1)),
        ):
            yield Case(op, name, lambda r, x=x, y=y: (r.normal(size=x), r.normal(size=y)), each(f), order=3)  # type: ignore[misc]  # a default binds the loop's value
    ones, minus = [1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 2.0, -2.0]
    yield Case(
        "atan2", "axes", values(ones, minus), each(_turned), gradients=known([0, 0, 0.5, -0.5], [-1, 1, 0, 0])
    )
    yield Case("atan2", "origin", values([0.0], [0.0]), each(_turned), gradients=known([0], [0]))
    yield Case(
        "atan2",
        "signed-zeros",
        values([0.0, -0.0, 0.0, -0.0], [0.0, 0.0, -0.0, -0.0]),
        each(_turned),
        order=0,
    )
    yield Case(
        "atan2", "limits", values([INF, 1, -INF, NAN, 1], [INF, -INF, 1, 0, NAN]), each(_turned), order=0
    )
    yield Case(
        "atan2",
        "large",
        values([3e30, 1e-30], [4e30, 1e-30]),
        each(_turned),
        WIDE,
        gradients=known([0.16e-30, 0.5e30], [-0.12e-30, -0.5e30]),
    )
    yield Case(
        "hypot",
        "axes",
        values([3.0, 0, -2], [4.0, -5, 0]),
        each(math.hypot),
        gradients=known([0.6, 0, -1], [0.8, -1, 0]),
    )
    yield Case(
        "hypot", "origin", values([0.0, -0.0], [0.0, 0.0]), each(math.hypot), gradients=known([0, 0], [0, 0])
    )
    yield Case(
        "hypot",
        "large",
        values([3e30, 3e-30], [4e30, 4e-30]),
        each(math.hypot),
        WIDE,
        gradients=known([0.6, 0.6], [0.8, 0.8]),
        scale=1e-30,
    )
    yield Case("hypot", "limits", values([INF, NAN, -INF, NAN], [NAN, INF, 1, 1]), each(math.hypot), order=0)


CASES = [*_unary(), *_far(), *_pairs()]

BAD_CALLS = [
    BadCall(op, "shapes", lambda r: (np.zeros(3), np.zeros(2)), ShapeError, ["(3,)", "(2,)"]) for op in PAIRS
]
