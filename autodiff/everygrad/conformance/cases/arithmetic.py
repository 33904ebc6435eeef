"""Cases of remainders, signs, blends and the cardinal sine, against the math module."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, BadCall, Case
from everygrad.conformance.cases.bitwise import of_integers
from everygrad.conformance.cases.elementwise import INF, NAN, each, known, values
from everygrad.conformance.cases.trigonometric import guarded
from everygrad_ops import DType, ShapeError

WIDE, ONE = FLOATS[:2], FLOATS[:1]

_fmod = guarded(math.fmod)


def _whole(x: int, y: int) -> int:
    return int(math.copysign(abs(x) % abs(y), x))


def _lerp(x: float, y: float, w: float) -> float:
    return x + w * (y - x) if w < 0.5 else y - (y - x) * (1 - w)


def _integers(dtype: DType) -> tuple[Array, Array]:
    kind = np.dtype(dtype.value)
    return (np.array([7, -7, 7, -7], kind), np.array([3, 3, -3, -3], kind)) if kind.kind == "i" else (
        np.array([7, 250, 0], kind), np.array([3, 7, 5], kind))  # fmt: skip


FMOD = [
    Case("fmod", "signs", values([[7.25, -7.25], [7.25, -7.25]], [[2, 2], [-2, -2.0]]), each(_fmod)),
    Case("fmod", "broadcast", values([[1.25], [-2.5]], [0.75, -1.75, 4]), each(_fmod)),
    Case("fmod", "size-0", lambda r: (np.zeros((0, 2)), np.ones(2)), each(_fmod)),
    Case("fmod", "rank-0", values(np.asarray(5.5), np.asarray(2.0)), each(_fmod)),
    Case("fmod", "tenths", values([1.0], [0.1]), each(_fmod), ONE, gradients=known([1], [-9])),
    Case("fmod", "limits", values([5, -5, INF, 1, NAN, -4, 4], [INF, INF, 2, 0, 1, 2, -2]), each(_fmod), order=0),
    *[
        Case("fmod", d.value, lambda r, d=d: _integers(d), of_integers(_whole), ONE)  # type: ignore[misc]  # a default binds the loop's value
        for d in INTEGERS
    ],
    Case("fmod", "int8-ends", lambda r: (np.array([-128, -128, 127], np.int8), np.array([3, -128, -128], np.int8)), of_integers(_whole), ONE),
]  # fmt: skip

COPYSIGN = [
    Case("copysign", "plain", lambda r: (r.normal(size=(2, 3)), r.normal(size=3)), each(math.copysign)),
    Case("copysign", "size-0", lambda r: (np.zeros((0, 2)), np.ones(2)), each(math.copysign)),
    Case("copysign", "rank-0", values(np.asarray(5.5), np.asarray(-2.0)), each(math.copysign)),
    Case(
        "copysign",
        "zeros",
        values([1, 1, -2, -2, 0, INF], [0.0, -0.0, 0.0, -0.0, -3, -INF]),
        each(math.copysign),
        gradients=known([1, -1, -1, 1, 0, -1], [0, 0, 0, 0, 0, 0]),
    ),
]

LERP = [
    Case("lerp", "plain", lambda r: (r.normal(size=(2, 3)), r.normal(size=(2, 3)), r.uniform(size=(2, 3))), each(_lerp), scale=3),
    Case("lerp", "broadcast", lambda r: (r.normal(size=(2, 1)), r.normal(size=3), r.uniform(size=())), each(_lerp), scale=3),
    Case("lerp", "beyond", values([1.0, 2], [3.0, 5], [-1.0, 2.5]), each(_lerp), scale=10),
    *[Case("lerp", f"number-{w}", lambda r, w=w: (r.normal(size=3), r.normal(size=(2, 3)), w), each(_lerp), scale=3) for w in (0.25, 0.75, 2)],  # type: ignore[misc]  # a default binds the loop's value
    Case("lerp", "ends", values([1e8, 0.1], [0.1, 1e8], [1.0, 1.0]), each(_lerp), WIDE, exact=True, order=0),
    Case("lerp", "size-0", lambda r: (np.zeros((0, 2)), np.ones(2), 0.5), each(_lerp)),
    Case("lerp", "rank-0", values(np.asarray(1.0), np.asarray(3.0), np.asarray(0.25)), each(_lerp)),
]  # fmt: skip


LARGEST = float(np.finfo(np.float64).max)


def _numbered(x: Array, *ends: float) -> Array:
    nan, high, low = ends
    due = [nan if math.isnan(v) else high if v == INF else low if v == -INF else v for v in x.ravel()]
    return np.array(due, np.float64).reshape(x.shape)


MIXED = [NAN, INF, -INF, 1.5, 0.0]
MOST = {
    DType.float64: 1.7976931348623157e308,
    DType.float32: 3.4028234663852886e38,
    DType.float16: 65504.0,
    DType.bfloat16: 3.3895313892515355e38,
}
NUMBERED = [
    Case("nan_to_num", "given", values(MIXED, 7.0, 8.0, -9.0), _numbered, gradients=known([0, 0, 0, 1, 1])),
    *[
        Case("nan_to_num", d.value, values(MIXED), lambda x, m=most: _numbered(x, 0, m, -m), [d], gradients=known([0, 0, 0, 1, 1]))
        for d, most in MOST.items()
    ],
    Case("nan_to_num", "plain", lambda r: (r.normal(size=(2, 3)),), lambda x: _numbered(x, 0, LARGEST, -LARGEST)),
    Case("nan_to_num", "size-0", lambda r: (np.zeros((2, 0)),), lambda x: x),
    Case("nan_to_num", "rank-0", values(np.asarray(NAN), 2.0, None, None), lambda x, *_: np.asarray(2.0), gradients=known(0.0)),
]  # fmt: skip


def _derivative(x: Array, order: int) -> Array:
    """pi**n times the integral of s**n cos(pi x s + n pi / 2) over s from 0 to 1, by Gauss and Legendre's rule."""
    s, w = np.polynomial.legendre.leggauss(60)
    s, w = (s + 1) / 2, w / 2
    turn = order * math.pi / 2
    found = [
        math.fsum(
            b * a**order * math.cos(math.pi * v * a + turn) if math.isfinite(v) else NAN for a, b in zip(s, w)
        )
        for v in x.ravel()
    ]
    return np.array(found, np.float64).reshape(x.shape) * math.pi**order


def _sinc(x: float) -> float:
    return 1.0 if x == 0 else NAN if math.isinf(x) else math.sin(math.pi * x) / (math.pi * x)


NEAR = [0.0, -0.0, 1e-8, 0.2, -0.5]
SINC = [
    Case("sinc", "plain", lambda r: (r.normal(size=(2, 3)),), each(_sinc), order=3),
    Case("sinc", "near-0", values(NEAR), each(_sinc), order=3),
    Case("sinc", "whole", values([1.0, -2, 3]), each(_sinc), order=3),
    Case("sinc", "limits", values([INF, NAN]), each(_sinc), order=0),
    Case("sinc", "size-0", lambda r: (np.zeros((2, 0)),), each(_sinc)),
    Case("sinc", "rank-0", values(np.asarray(0.3)), each(_sinc)),
    *[
        Case("sinc_derivative", f"{name}-{n}", values(xs, n), _derivative, scale=math.pi**n, terms=16)
        for n in (0, 1, 2, 5)
        for name, xs in (("near-0", NEAR), ("far", [0.9, -1.3, 2.6, -4.2]))
    ],
    Case("sinc_derivative", "size-0", lambda r: (np.zeros((2, 0)), 1), lambda x, n: x),
]

CASES = [*FMOD, *COPYSIGN, *LERP, *NUMBERED, *SINC]

BAD_CALLS = [
    *[BadCall(op, "shapes", lambda r: (np.zeros(3), np.ones(2)), ShapeError, ["(3,)", "(2,)"]) for op in ("fmod", "copysign")],
    BadCall("lerp", "shapes", lambda r: (np.zeros(3), np.ones(2), 0.5), ShapeError, ["(3,)", "(2,)"]),
    BadCall("fmod", "by-zero", lambda r: (np.array([2, 3]), np.array([1, 0])), ZeroDivisionError),
]  # fmt: skip
