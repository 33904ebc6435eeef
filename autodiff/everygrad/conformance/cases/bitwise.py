"""Cases of the logic of bits, against Python's integers."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from everygrad.conformance.case import INTEGERS, Array, BadCall, Case, Sampler
from everygrad_ops import DType, DTypeError, ShapeError

ONE = (DType.float64,)


def _wrapped(value: int, bits: int, signed: bool) -> int:
    value %= 2**bits
    return value - 2**bits if signed and value >= 2 ** (bits - 1) else value


def of_integers(f: Callable[[int, int], int]) -> Callable[..., Array]:
    """A function of Python integers at every position, wrapped into the dtype of x."""

    def oracle(x: Array, y: Any) -> Array:
        both = np.broadcast_arrays(x, np.asarray(y))
        bits, signed = 8 * x.dtype.itemsize, x.dtype.kind == "i"
        found = [_wrapped(f(int(a), int(b)), bits, signed) for a, b in zip(both[0].ravel(), both[1].ravel())]
        return np.array(found, x.dtype).reshape(both[0].shape)

    return oracle


def _of_booleans(f: Callable[[bool, bool], bool]) -> Callable[..., Array]:
    return lambda x, y: np.array([bool(f(bool(a), bool(b))) for a, b in zip(x, y)])


def _pair(dtype: DType, low: int, high: int) -> Sampler:
    kind = np.dtype(dtype.value)
    first = 0 if kind.kind == "u" else -100
    return lambda r: (
        r.integers(first, 100, (2, 3)).astype(kind),
        r.integers(max(low, first), high, 3).astype(kind),
    )


def _left(x: int, y: int) -> int:
    return x << y if y >= 0 else 0


LOGIC: dict[str, Callable[[int, int], int]] = {
    "bitwise_and": lambda x, y: x & y,
    "bitwise_or": lambda x, y: x | y,
    "bitwise_xor": lambda x, y: x ^ y,
    "gcd": math.gcd,
    "lcm": math.lcm,
}
SHIFTS: dict[str, Callable[[int, int], int]] = {
    "bitwise_left_shift": _left,
    "bitwise_right_shift": lambda x, y: x >> (y if 0 <= y < 64 else 64),
}
BOTH = np.array([False, False, True, True]), np.array([False, True, False, True])


def _cases() -> Iterator[Case]:
    for op, f in (LOGIC | SHIFTS).items():
        high = 8 if op in SHIFTS else 100
        for dtype in INTEGERS:
            yield Case(op, dtype.value, _pair(dtype, 0 if op in SHIFTS else -100, high), of_integers(f), ONE)
        empty = np.zeros((2, 0), np.int16), np.zeros((2, 1), np.int16)
        yield Case(op, "size-0", lambda r, empty=empty: empty, of_integers(f), ONE)  # type: ignore[misc]  # a default binds the loop's value
        yield Case(
            op, "rank-0", lambda r: (np.array(12, np.int32), np.array(3, np.int32)), of_integers(f), ONE
        )
        if op not in ("gcd", "lcm"):
            yield Case(op, "scalar", lambda r: (np.array([5, -6, 0, 127], np.int8), 3), of_integers(f), ONE)
    for op, f in SHIFTS.items():
        far = np.array([1, -1, 77, -128], np.int8), np.array([[8], [100], [-1]], np.int8)
        yield Case(op, "far", lambda r, far=far: far, of_integers(f), ONE)  # type: ignore[misc]  # a default binds the loop's value
        wide = np.array([1, -1, 2**62], np.int64), np.array([64, 63, 1], np.int64)
        yield Case(op, "far-int64", lambda r, wide=wide: wide, of_integers(f), ONE)  # type: ignore[misc]  # a default binds the loop's value
    for op in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        yield Case(op, "bool", lambda r: BOTH, _of_booleans(lambda x, y, f=LOGIC[op]: bool(f(x, y))), ONE)  # type: ignore[misc]  # a default binds the loop's value
    for dtype in INTEGERS:
        kind = np.dtype(dtype.value)
        ends = np.array([0, 1, 100, np.iinfo(kind).max, np.iinfo(kind).min], kind)
        yield Case(
            "bitwise_not",
            dtype.value,
            lambda r, ends=ends: (ends,),  # type: ignore[misc]  # a default binds the loop's value
            lambda x: of_integers(lambda a, _: -a - 1)(x, 0),
            ONE,
        )
    yield Case("bitwise_not", "bool", lambda r: (BOTH[0],), lambda x: np.array([not v for v in x]), ONE)
    yield Case("bitwise_not", "size-0", lambda r: (np.zeros((2, 0), np.int8),), lambda x: x, ONE)
    yield Case("bitwise_not", "matrix", lambda r: (r.integers(0, 9, (2, 3)),), lambda x: -x - 1, ONE)
    yield Case(
        "bitwise_not", "rank-0", lambda r: (np.array(7, np.int8),), lambda x: np.array(-8, np.int8), ONE
    )


CASES = list(_cases())

BAD_CALLS = [
    *[
        BadCall(op, "floats", lambda r: (np.array([1.0]), np.array([1.0])), DTypeError, ["takes integers"])
        for op in LOGIC | SHIFTS
    ],
    *[
        BadCall(op, "booleans", lambda r: BOTH, DTypeError, ["takes integers", "bool"])
        for op in (*SHIFTS, "gcd", "lcm")
    ],
    *[
        BadCall(
            op,
            "shapes",
            lambda r: (np.zeros(3, np.int32), np.zeros(2, np.int32)),
            ShapeError,
            ["(3,)", "(2,)"],
        )
        for op in LOGIC | SHIFTS
    ],
    BadCall("bitwise_and", "range", lambda r: (np.zeros(3, np.int8), 300), DTypeError, ["300", "int8"]),
    BadCall("bitwise_not", "floats", lambda r: (np.array([1.0]),), DTypeError, ["takes integers"]),
]
