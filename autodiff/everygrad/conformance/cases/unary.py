"""Cases of functions of one array, against the math module."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case, Sampler
from everygrad.conformance.cases.elementwise import INF, NAN, each, known, values

Function = Callable[[float], float]


def _whole(f: Callable[[float], int]) -> Function:
    return lambda x: float(f(x)) if math.isfinite(x) else x


_round = _whole(round)


def _sign(x: float) -> float:
    return x if math.isnan(x) else float((x > 0) - (x < 0))


def _between(low: float, high: float) -> Sampler:
    return lambda r: (r.uniform(low, high, (3, 4)),)


def _normal(r: np.random.Generator) -> tuple[Array]:
    return (r.normal(size=(3, 4)),)


SMOOTH: dict[str, tuple[Function, Sampler]] = {
    "neg": (lambda x: -x, _normal),
    "abs": (abs, _normal),
    "sign": (_sign, _normal),
    "exp": (math.exp, _normal),
    "expm1": (math.expm1, _normal),
    "log": (math.log, _between(0.2, 3)),
    "log1p": (math.log1p, _between(-0.6, 3)),
    "sqrt": (math.sqrt, _between(0.2, 3)),
    "rsqrt": (lambda x: 1 / math.sqrt(x), _between(0.3, 3)),
    "reciprocal": (lambda x: 1 / x, _between(0.4, 3)),
    "square": (lambda x: x * x, _normal),
    "sin": (math.sin, _normal),
    "cos": (math.cos, _normal),
    "tan": (math.tan, _between(-1.2, 1.2)),
    "tanh": (math.tanh, _normal),
    "floor": (_whole(math.floor), _between(-3, 3)),
    "ceil": (_whole(math.ceil), _between(-3, 3)),
    "trunc": (_whole(math.trunc), _between(-3, 3)),
    "round": (_round, _between(-3, 3)),
}
POINTS: dict[str, tuple[list[float], list[float], list[float]]] = {  # x, value, gradient
    "neg": ([0, INF, NAN], [0, -INF, NAN], [-1, -1, -1]),
    "abs": ([0, -0.0, -INF, NAN], [0, 0, INF, NAN], [0, 0, -1, NAN]),
    "sign": ([0, -0.0, -INF, NAN], [0, 0, -1, NAN], [0, 0, 0, 0]),
    "exp": ([0, -INF, INF, NAN, 1000], [1, 0, INF, NAN, INF], [1, 0, INF, NAN, INF]),
    "expm1": ([0, -INF, INF, NAN], [0, -1, INF, NAN], [1, 0, INF, NAN]),
    "log": ([0, 1, -1, INF, NAN], [-INF, 0, NAN, INF, NAN], [INF, 1, -1, 0, NAN]),
    "log1p": ([0, -1, -2, INF, NAN], [0, -INF, NAN, INF, NAN], [1, INF, -1, 0, NAN]),
    "sqrt": ([0, 4, -1, INF, NAN], [0, 2, NAN, INF, NAN], [INF, 0.25, NAN, 0, NAN]),
    "rsqrt": ([0, 4, -1, INF, NAN], [INF, 0.5, NAN, 0, NAN], [-INF, -1 / 16, NAN, 0, NAN]),
    "reciprocal": ([0, 2, -INF, NAN], [INF, 0.5, 0, NAN], [-INF, -0.25, 0, NAN]),
    "square": ([0, -3, INF, NAN], [0, 9, INF, NAN], [0, -6, INF, NAN]),
    "sin": ([0, INF, NAN], [0, NAN, NAN], [1, NAN, NAN]),
    "cos": ([0, INF, NAN], [1, NAN, NAN], [0, NAN, NAN]),
    "tan": ([0, INF, NAN], [0, NAN, NAN], [1, NAN, NAN]),
    "tanh": ([0, INF, -INF, NAN], [0, 1, -1, NAN], [1, 0, 0, NAN]),
    "floor": ([0, -2, INF, NAN], [0, -2, INF, NAN], [0, 0, 0, 0]),
    "ceil": ([0, -2, INF, NAN], [0, -2, INF, NAN], [0, 0, 0, 0]),
    "trunc": ([0, -2, 2, -1.5, NAN], [0, -2, 2, -1, NAN], [0, 0, 0, 0, 0]),
    "round": ([0.5, 1.5, 2.5, -0.5, INF, NAN], [0, 2, 2, 0, INF, NAN], [0, 0, 0, 0, 0, 0]),
}
TINY = [1e-7, -1e-7, 1e-20]


def _cases(op: str) -> list[Case]:
    f, sample = SMOOTH[op]
    xs, due, grads = POINTS[op]
    return [
        Case(op, "plain", sample, each(f), scale=2, order=3 if op == "tanh" else 2),
        Case(op, "rank-0", lambda r: (np.asarray(sample(r)[0][0, 0]),), each(f), scale=2),
        Case(op, "size-0", lambda r: (r.normal(size=(0, 3)),), each(f)),
        Case(op, "points", values(xs), lambda x: np.array(due, np.float64), gradients=known(grads)),
    ]


def _int(*xs: int) -> Array:
    return np.array(xs, np.int32)


CASES = [
    *[case for op in SMOOTH for case in _cases(op)],
    *[Case(op, "tiny", values(TINY), each(f), scale=1e-20) for op, f in (("expm1", math.expm1), ("log1p", math.log1p))],
    Case("tanh_backward", "plain", lambda r: (r.normal(size=(2, 3)), r.uniform(-1, 1, (2, 3))), each(lambda g, y: g * (1 - y * y))),
    Case("tanh_backward", "size-0", lambda r: (r.normal(size=0), r.normal(size=0)), each(lambda g, y: g)),
    *[
        Case(op, "integers", lambda r: (_int(-3, 0, 7),), lambda x, due=due: _int(*due))
        for op, due in (("neg", (3, 0, -7)), ("abs", (3, 0, 7)), ("sign", (-1, 0, 1)), ("floor", (-3, 0, 7)), ("round", (-3, 0, 7)), ("square", (9, 0, 49)))
    ],
]  # fmt: skip

BAD_CALLS: list[BadCall] = []
