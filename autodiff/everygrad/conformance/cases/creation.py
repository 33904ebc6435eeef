"""Cases of creation, conversion and queries."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from typing import Any

import numpy as np

from everygrad.conformance.calls import HOST, to_dtype
from everygrad.conformance.case import FLOATS, INTEGERS, Array, BadCall, Case
from everygrad.conformance.cases.elementwise import INF, NAN, known
from everygrad_ops import DType, DTypeError, ShapeError

ALL = (*FLOATS, *INTEGERS, DType.bool_)


def _as(dtype: DType, x: Any) -> Array:
    return to_dtype(np.array(x, np.float64), dtype)


def _steps(start: float, stop: float, step: float) -> list[float]:
    out: list[float] = []
    while (start + len(out) * step < stop) if step > 0 else (start + len(out) * step > stop):
        out.append(start + len(out) * step)
    return out


def _full(name: str, shape: tuple[int, ...], value: float, dtype: DType, due: float) -> Case:
    return Case("full", f"{name}-{dtype.value}", lambda r: (shape, value, dtype), lambda s, v, d: np.full(s, _as(d, due)), ALL[:1])  # fmt: skip


def _arange(start: float, stop: float, step: float, dtype: DType) -> Case:
    name = f"{start}-{stop}-{step}-{dtype.value}"
    return Case("arange", name, lambda r: (start, stop, step, dtype), lambda a, b, c, d: _as(d, _steps(a, b, c)), exact=dtype.category < 2)  # fmt: skip


def _cast(name: str, x: Array, dtype: DType, due: list[float]) -> Case:
    return Case("cast", name, lambda r: (x, dtype), lambda x, d: _as(d, due), FLOATS[:1], exact=True, order=0)


MIXED = [[-2.75, 0, 1.5], [2.25, 100, -0.5]]
F32, U1 = np.float32, 2.0**-11  # half of float16's unit in the last place of 1

CASES = [
    *[_full("two", (2, 3), 2, d, 2) for d in ALL[:-1]],
    _full("true", (2,), 1, DType.bool_, 1),
    _full("rank-0", (), 1.5, DType.float32, 1.5),
    _full("size-0", (2, 0), 1.5, DType.float32, 1.5),
    _full("truncates", (2,), 2.75, DType.int32, 2),
    *[_full(n, (2,), v, d, v) for n, v in (("inf", INF), ("minus-inf", -INF), ("nan", NAN)) for d in FLOATS],
    _full("overflow", (2,), 1e6, DType.float16, INF),
    _full("overflow-down", (2,), -1e39, DType.float32, -INF),
    *[_arange(0, 5, 1, d) for d in ALL[:-1]],
    *[_arange(*args) for args in (
        (2, 11, 3, DType.int64), (5, 0, -2, DType.int32), (0, 0, 1, DType.int64), (3, 4, 5, DType.float32),
        (0.0, 1.0, 0.1, DType.float64), (0, 1, 0.25, DType.float32), (1, -1, -0.5, DType.float64),
        (0.5, 3, 1, DType.int64),
    )],
    Case("arange", "beyond-float64", lambda r: (2**53, 2**53 + 4, 1, DType.int64), lambda *a: np.array([2**53 + i for i in range(4)])),
    # 1. casts
    *[
        Case("cast", f"to-{d.value}", lambda r, d=d: (np.array(MIXED), d), lambda x, d: x if d.is_floating else _as(d, np.trunc(x)) if d.category else x != 0, order=0, gradients=known(np.ones((2, 3))) if d.is_floating else None)  # type: ignore[misc]  # a default binds the loop's value
        for d in (*FLOATS, *INTEGERS[:-1], DType.bool_)
    ],
    *[
        Case("cast", f"{a}-to-{d.value}", lambda r, a=a, d=d: (np.array([0, 1, 3], a), d), lambda x, d: _as(d, [0, 1, 3]) if d.category else np.array([False, True, True]))  # type: ignore[misc]  # defaults bind the loop's values
        for a in ("int64", "int8", "uint8")
        for d in ALL
    ],
    *[Case("cast", f"bool-to-{d.value}", lambda r, d=d: (np.array([True, False]), d), lambda x, d: _as(d, [1, 0])) for d in ALL],  # type: ignore[misc]  # a default binds the loop's value
    _cast("f16-overflow", np.array([65536, 65519, 65520, -65520], F32), DType.float16, [INF, 65504, INF, -INF]),
    _cast("f16-overflow-f64", np.array([65536, 65519.999, 65520, 1e300]), DType.float16, [INF, 65504, INF, INF]),
    _cast("f16-ties-to-even", np.array([1 + U1, 1 + 3 * U1], F32), DType.float16, [1, 1 + 4 * U1]),
    *[
        Case("cast", f"f64-rounds-once-{sign}", lambda r, s=sign: (np.array([s * (1 + U1 + 2.0**-40), s * (1 + U1 - 2.0**-40)]), DType.float16), lambda x, d, s=sign: _as(d, [s * (1 + 2 * U1), s]), FLOATS[:1], exact=True, order=0)  # type: ignore[misc]  # a default binds the loop's value
        for sign in (1, -1)
    ],
    Case("cast", "bf16-rounds-once", lambda r: (np.array([1 + 2.0**-8 + 2.0**-40]), DType.bfloat16), lambda x, d: _as(d, [1 + 2.0**-7]), FLOATS[:1], exact=True, order=0),
    _cast("f32-overflow", np.array([1e39, -1e39, 1e-50]), DType.float32, [INF, -INF, 0]),
    _cast("int-wraps", np.array([300, -1, 128]), DType.int8, [44, -1, -128]),
    _cast("nan-is-true", np.array([NAN, 0, -0.0, 0.25], F32), DType.bool_, [1, 0, 0, 1]),
    Case("cast", "rank-0", lambda r: (np.asarray(1.5), DType.float32), lambda x, d: x, gradients=known(1.0)),
    Case("cast", "smooth", lambda r: (r.normal(size=(2, 3)), DType.float64), lambda x, d: x),
    Case("cast", "size-0", lambda r: (np.zeros((0, 2)), DType.float32), lambda x, d: x),
    # 2. copies, constants and queries
    Case("detach", "plain", lambda r: (r.normal(size=(2, 3)),), lambda x: x, exact=True),
    *[
        Case(op, name, lambda r, s=shape: (r.normal(size=s),), lambda x, v=v: np.full(x.shape, v), exact=True)  # type: ignore[misc]  # defaults bind the loop's values
        for op, v in (("zeros_like", 0.0), ("ones_like", 1.0))
        for name, shape in (("plain", (2, 3)), ("rank-0", ()), ("size-0", (2, 0)))
    ],
    Case("ones_like", "integers", lambda r: (np.array([2, 3], np.int8),), lambda x: np.array([1, 1], np.int8)),
    *[Case("shape", name, lambda r, s=s: (np.zeros(s),), lambda x: tuple(x.shape), ALL[:1]) for name, s in (("plain", (2, 3)), ("rank-0", ()), ("size-0", (0, 2)))],  # type: ignore[misc]  # a default binds the loop's value
    *[Case("dtype", d.value, lambda r, d=d: (np.zeros(2, HOST[d]),), lambda x, d=d: d, ALL[:1]) for d in ALL],  # type: ignore[misc]  # a default binds the loop's value
    *[Case("lowest", d.value, lambda r, d=d: (d,), lambda d, v=v: v) for d, v in ((DType.float16, -INF), (DType.int8, -128), (DType.int64, -(2**63)), (DType.uint8, 0), (DType.bool_, 0))],  # type: ignore[misc]  # defaults bind the loop's values
    *[Case(op, d.value, lambda r, d=d: (_as(d, [[0, 1, 1], [1, 0, 1]]),), lambda x: x, exact=True) for op in ("to_numpy", "from_numpy") for d in ALL],  # type: ignore[misc]  # a default binds the loop's value
    Case("to_numpy", "plain", lambda r: (r.normal(size=(2, 3)),), lambda x: x, exact=True),
    Case("from_numpy", "strided", lambda r: (np.arange(12.0, dtype=F32).reshape(3, 4)[::-1, ::2].T,), lambda x: x, exact=True),
    Case("from_numpy", "shared", lambda r: (np.arange(3.0, dtype=F32), False), lambda x, c: x, exact=True),
    Case("from_numpy", "rank-0", lambda r: (np.asarray(2.5, F32),), lambda x: x, exact=True),
]  # fmt: skip

BAD_CALLS = [
    BadCall("full", "out-of-range", lambda r: ((2,), 300, DType.int8), DTypeError, ["300", "int8"]),
    BadCall("full", "negative-size", lambda r: ((2, -1), 1, DType.float32), ShapeError, ["(2, -1)"]),
    BadCall("arange", "step-0", lambda r: (0, 1, 0, DType.int64), ShapeError, ["step=0"]),
    BadCall("arange", "wrong-way", lambda r: (0, 5, -1, DType.int64), ShapeError, ["step=-1"]),
    BadCall("arange", "endless", lambda r: (0, math.inf, 1, DType.int64), ShapeError, ["stop=inf"]),
    BadCall("from_numpy", "complex", lambda r: (np.zeros(2, np.complex128),), DTypeError, ["complex128"]),
]  # fmt: skip
