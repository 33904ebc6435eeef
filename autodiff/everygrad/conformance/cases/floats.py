"""Cases of floats taken apart, and of their neighbours, against the math module and what the formats say."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from everygrad.conformance.case import FLOATS, Array, BadCall, Case
from everygrad.conformance.cases.elementwise import INF, NAN, known, values
from everygrad_ops import DType, ShapeError

DIGITS = {
    DType.float64: (52, -1074),
    DType.float32: (23, -149),
    DType.float16: (10, -24),
    DType.bfloat16: (7, -133),
}
"""Bits after the point, and the power of two that is the smallest number above 0."""


def _apart(x: Array) -> tuple[Array, Array]:
    found = [math.frexp(v) if math.isfinite(v) else (v, 0) for v in x.ravel()]
    mantissas, exponents = np.array([m for m, _ in found]), np.array([e for _, e in found], np.int64)
    return mantissas.reshape(x.shape), exponents.reshape(x.shape)


def _frexp() -> Iterator[Case]:
    yield Case("frexp", "plain", lambda r: (r.normal(size=(2, 3)) * 10 + 0.01,), _apart)
    yield Case("frexp", "powers", values([1.0, 2.0, 0.25, -4.0, 0.0]), _apart, order=0, exact=True)
    yield Case("frexp", "edges", values([0.0, INF, -INF, NAN]), _apart, order=0)
    yield Case("frexp", "tiny", values([5e-324, 1e-310]), _apart, FLOATS[:1], order=0, exact=True)
    yield Case("frexp", "slopes", values([6.0, -0.25, 0.0]), _apart, gradients=known([1 / 8, 2, 1]))
    yield Case("frexp", "size-0", lambda r: (np.zeros((2, 0)),), _apart)
    yield Case("frexp", "rank-0", values(np.asarray(5.5)), _apart)


def _next() -> Iterator[Case]:
    for dtype, (bits, least) in DIGITS.items():
        step, small = 2.0**-bits, math.ldexp(1.0, least)
        due = np.array([1 + step, 1 - step / 2, -1 + step / 2, small, -small, 2.0, INF, NAN])
        yield Case(
            "nextafter",
            f"steps-{dtype.value}",
            values([1.0, 1, -1, 0, 0, 2, INF, 1], [2.0, 0, 5, 1, -1, 2, INF, NAN]),
            lambda x, y, due=due: due,
            (dtype,),
            order=0,
            exact=True,
        )
    yield Case("nextafter", "plain", lambda r: (r.normal(size=(2, 1)), r.normal(size=3)), lambda x, y: x + 0 * y,
               gradients=lambda x, y: [np.full((2, 1), 3.0), np.zeros(3)])  # fmt: skip
    yield Case("nextafter", "size-0", lambda r: (np.zeros((2, 0)), np.ones((2, 1))), lambda x, y: x + 0 * y)
    yield Case("nextafter", "rank-0", values(np.asarray(2.5), np.asarray(1.0)), lambda x, y: x)


CASES = [*_frexp(), *_next()]

BAD_CALLS = [
    BadCall("nextafter", "shapes", lambda r: (np.ones(3), np.ones(2)), ShapeError, ["(3,)", "(2,)"]),
]
