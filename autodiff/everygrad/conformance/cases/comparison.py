"""Cases of comparisons, logic and selection."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, BadCall, Case
from everygrad.conformance.cases.elementwise import INF, NAN, known, values
from everygrad_ops import DType, DTypeError, ShapeError

ALL = (*FLOATS, *INTEGERS)
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
LOGIC: dict[str, Callable[[bool, bool], bool]] = {
    "logical_and": lambda x, y: x and y,
    "logical_or": lambda x, y: x or y,
    "logical_xor": lambda x, y: x != y,
}
QUESTIONS: dict[str, Callable[[float], bool]] = {
    "isnan": math.isnan,
    "isinf": math.isinf,
    "isfinite": math.isfinite,
}


def _asked(f: Callable[..., bool]) -> Callable[..., Array]:
    """A question of numbers, at every position of its broadcast arguments."""
    return lambda *xs: np.asarray(np.vectorize(f, otypes=[np.bool_])(*xs))


def _whole(x: tuple[int, ...], y: tuple[int, ...]) -> Callable[[np.random.Generator], tuple[Array, Array]]:
    return lambda r: (r.integers(0, 4, x).astype(np.float64), r.integers(0, 4, y).astype(np.float64))


def _scalar(x: Array, y: float) -> Callable[[np.random.Generator], tuple[Array, float]]:
    return lambda r: (x, y)


INT8 = np.array([-128, 0, 44, 127], np.int8)
UINT8 = np.array([0, 44, 255], np.uint8)
INT64 = np.array([2**24 + 1, 2**53 + 1, -(2**62)])
BOOL = np.array([True, False])
SPECIAL: list[float] = [NAN, INF, -INF, 0, -0.0, 1]


def _comparisons(op: str, f: Callable[[float, float], bool]) -> list[Case]:
    pairs = list(itertools.product(SPECIAL, SPECIAL))
    scalars = {
        "int8-300": (INT8, 300),
        "int8-minus-300": (INT8, -300),
        "int8-beyond-int64": (INT8, 2**70),
        "int8-half": (INT8, 44.5),
        "int8-nan": (INT8, NAN),
        "int8-inf": (INT8, INF),
        "uint8-minus-1": (UINT8, -1),
        "uint8-300": (UINT8, 300),
        "int64-half": (INT64, 2.0**24 + 0.5),
        "int64-large": (INT64, 2**53 + 1),
        "bool-1": (BOOL, 1),
        "bool-2": (BOOL, 2),
    }
    return [
        Case(op, "plain", _whole((2, 3), (2, 3)), _asked(f), ALL),
        Case(op, "broadcast", _whole((2, 1, 3), (4, 1)), _asked(f), ALL),
        Case(op, "rank-0", _whole((), ()), _asked(f), ALL),
        Case(op, "size-0", _whole((2, 0), (2, 1)), _asked(f), ALL),
        Case(op, "special", values([p[0] for p in pairs], [p[1] for p in pairs]), _asked(f)),
        Case(op, "scalar", values([0, 1, 2, NAN, INF], 1), _asked(f)),
        Case(op, "scalar-inf", values([0, 1, -INF, NAN, INF], INF), _asked(f)),
        Case(op, "scalar-beyond", values([0, -INF, NAN, INF, 6e4], 1e300), lambda x, y: _asked(f)(x, y), FLOATS[:1]),
        *[Case(op, name, _scalar(*args), _asked(f)) for name, args in scalars.items()],
        Case(op, "bool", lambda r: (BOOL[:, None], BOOL), _asked(f)),
    ]  # fmt: skip


def _select(c: Array, x: Array | float, y: Array | float) -> Array:
    shape = np.broadcast_shapes(np.shape(c), np.shape(x), np.shape(y))
    out = np.zeros(shape)
    c, x, y = (np.broadcast_to(v, shape) for v in (c, x, y))
    for at in np.ndindex(shape):
        out[at] = x[at] if c[at] else y[at]
    return out


TFT = np.array([True, False, True])


CASES = [
    *[case for op, f in COMPARISONS.items() for case in _comparisons(op, f)],
    *[Case(op, "table", lambda r: (BOOL[:, None], BOOL), _asked(f)) for op, f in LOGIC.items()],
    *[Case(op, "size-0", lambda r: (np.zeros((0, 2), np.bool_), BOOL), _asked(f)) for op, f in LOGIC.items()],
    Case("logical_not", "table", lambda r: (BOOL,), _asked(operator.not_)),
    Case("logical_not", "size-0", lambda r: (np.zeros((2, 0), bool),), _asked(operator.not_)),
    Case("logical_not", "matrix", lambda r: (np.array([[True, False], [False, False]]),), _asked(operator.not_)),
    Case("logical_not", "rank-0", lambda r: (np.asarray(True),), _asked(operator.not_)),
    *[Case(op, "rank-0", lambda r: (np.asarray(True), np.asarray(False)), _asked(f)) for op, f in LOGIC.items()],
    *[Case(op, "rank-0", values(np.asarray(NAN)), _asked(f)) for op, f in QUESTIONS.items()],
    *[Case(op, "special", values(SPECIAL), _asked(f)) for op, f in QUESTIONS.items()],
    *[Case(op, "size-0", lambda r: (r.normal(size=(2, 0)),), _asked(f)) for op, f in QUESTIONS.items()],
    Case("where", "plain", lambda r: (r.random((2, 3)) < 0.5, r.normal(size=(2, 3)), r.normal(size=(2, 3))), _select, exact=True),
    Case("where", "broadcast", lambda r: (r.random((2, 1, 3)) < 0.5, r.normal(size=(4, 1)), r.normal(size=3)), _select, exact=True),
    Case("where", "condition-stretches", lambda r: (TFT, r.normal(size=(2, 3)), r.normal(size=(2, 1))), _select, exact=True),
    Case("where", "rank-0", lambda r: (np.asarray(True), r.normal(size=()), r.normal(size=())), _select, exact=True),
    Case("where", "size-0", lambda r: (np.zeros((2, 0), np.bool_), r.normal(size=(2, 1)), r.normal(size=())), _select, exact=True),
    Case("where", "x-scalar", lambda r: (TFT, 0, r.normal(size=(2, 3))), _select, exact=True),
    Case("where", "y-scalar", lambda r: (TFT, r.normal(size=(2, 3)), -1.5), _select, exact=True),
    Case("where", "y-inf", lambda r: (TFT, r.normal(size=3), -INF), _select, order=0, exact=True),
    Case("where", "y-beyond", values(TFT, [1, 2, 3], 1e6), _select, [DType.float16], exact=True, order=0),
    Case("where", "nan-not-taken", values(TFT, [1, NAN, 3], [NAN, 5, INF]), _select, gradients=known([1, 0, 1], [0, 1, 0])),
    Case("where", "integers", lambda r: (TFT, np.array([1, 2, 3], np.int8), -1), lambda c, x, y: np.array([1, -1, 3], np.int8)),
    Case("where", "bools", lambda r: (TFT, TFT, False), lambda c, x, y: np.array([True, False, True])),
]  # fmt: skip

BAD_CALLS = [
    *[BadCall(op, "shapes", lambda r: (r.normal(size=(2, 3)), r.normal(size=4)), ShapeError, ["(2, 3)", "(4,)"]) for op in ("eq", "lt", "gt")],
    *[BadCall(op, "shapes", lambda r: (TFT, BOOL), ShapeError, ["(3,)", "(2,)"]) for op in ("logical_and",)],
    BadCall("where", "shapes", lambda r: (BOOL, r.normal(size=3), r.normal(size=3)), ShapeError, ["(2,)", "(3,)"]),
    BadCall("where", "scalar-out-of-range", lambda r: (TFT, INT8[:3], 300), DTypeError, ["300", "int8"]),
]  # fmt: skip
