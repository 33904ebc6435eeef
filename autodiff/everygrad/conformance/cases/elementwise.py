"""Cases of arithmetic: broadcasting, scalars, ties, zeros, infinities, integers."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, BadCall, Case
from everygrad_ops import DType, DTypeError, ShapeError

NAN, INF = math.nan, math.inf
Scalar = Callable[[float, float], float]


def each(f: Callable[..., float]) -> Callable[..., Array]:
    """A function of numbers, at every position of its broadcast arguments; NaN outside of its domain."""
    return lambda *xs: np.asarray(np.vectorize(_total, otypes=[np.float64])(f, *xs))


def _total(f: Callable[..., float], *xs: float) -> float:
    try:
        return f(*xs)
    except ValueError:  # what the math module makes of sin(inf) or log(-1)
        return NAN


def fsum(terms: Iterable[float]) -> float:
    """The exact sum; NaN for inf and -inf, which `math.fsum` refuses."""
    try:
        return math.fsum(terms)
    except ValueError:
        return NAN


def values(*xs: object) -> Callable[[np.random.Generator], tuple[object, ...]]:
    """A sampler of given arguments: lists become float64 arrays."""
    return lambda r: tuple(np.array(x, np.float64) if isinstance(x, list) else x for x in xs)


def known(*grads: object) -> Callable[..., list[Array]]:
    """Gradients that do not depend on how the arguments were rounded."""
    return lambda *args: [np.array(g, np.float64) for g in grads]


def _div(x: float, y: float) -> float:
    if y == 0:
        return NAN if x == 0 or math.isnan(x) else math.copysign(INF, x) * math.copysign(1, y)
    return x / y


def _pow(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:
        return INF if x > 0 or y % 2 == 0 else -INF
    except ValueError:  # 0 to a negative power, or a negative base to a fraction
        return INF if x == 0 else NAN


def _mul0(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y


def _max(x: float, y: float) -> float:
    return NAN if math.isnan(x) or math.isnan(y) else max(x, y)


def _min(x: float, y: float) -> float:
    return NAN if math.isnan(x) or math.isnan(y) else min(x, y)


def _clamp(x: float, low: float | None, high: float | None) -> float:
    x = x if low is None or not x < low else low
    return x if high is None or not x > high else high


BINARY: dict[str, tuple[Scalar, float]] = {  # the function, and how far its second operand stays from 0
    "add": (lambda x, y: x + y, 0),
    "sub": (lambda x, y: x - y, 0),
    "mul": (lambda x, y: x * y, 0),
    "div": (_div, 0.5),
    "maximum": (_max, 0),
    "minimum": (_min, 0),
    "mul0": (_mul0, 0),
    "div0": (lambda x, y: 0.0 if x == 0 else _div(x, y), 0.5),
}
SHAPES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "plain": ((2, 3), (2, 3)),
    "broadcast": ((2, 1, 3), (4, 1)),
    "row-and-column": ((1, 3), (2, 1)),
    "rank-0": ((), ()),
    "rank-0-and-2": ((2, 3), ()),
    "size-0": ((2, 0), (2, 1)),
    "size-0-column": ((4, 0), (4, 1)),
}


def _binary() -> Iterator[Case]:
    for op, (f, away) in BINARY.items():
        for name, (x, y) in SHAPES.items():

            def sample(
                r: np.random.Generator, x: tuple[int, ...] = x, y: tuple[int, ...] = y, away: float = away
            ) -> tuple[Array, Array]:
                second = r.normal(size=y)
                return r.normal(size=x), np.asarray(second + np.copysign(away, second))

            yield Case(op, name, sample, each(f))
        if op not in ("mul0", "div0"):
            yield Case(op, "scalar", lambda r: (r.normal(size=(2, 3)), 1.5), each(f))
            yield Case(op, "integer-scalar", lambda r: (r.normal(size=3), 2), each(f))
    for op in ("add", "sub", "mul", "maximum", "minimum"):
        f = BINARY[op][0]
        for dtype in INTEGERS:
            kind = np.dtype(dtype.value)

            def integers(r: np.random.Generator, kind: np.dtype[np.generic] = kind) -> tuple[Array, Array]:
                return r.integers(0, 100, (2, 3)).astype(kind), r.integers(0, 100, 3).astype(kind)

            def whole(x: Array, y: Array, f: Scalar = f, kind: np.dtype[np.generic] = kind) -> Array:
                both = np.broadcast_arrays(x, y)
                wide = [int(f(int(a), int(b))) for a, b in zip(both[0].ravel(), both[1].ravel())]
                bits = 8 * kind.itemsize
                wrapped = [v % 2**bits for v in wide]
                signed = [v - 2**bits if kind.kind == "i" and v >= 2 ** (bits - 1) else v for v in wrapped]
                return np.array(signed, kind).reshape(both[0].shape)

            yield Case(op, dtype.value, integers, whole, [DType.float64], exact=True)


def _int8(*xs: int) -> Array:
    return np.array(xs, np.int8)


CASES = [
    *_binary(),
    Case("add", "integer-scalar-wraps", lambda r: (_int8(-128, 5), 300), lambda x, y: _int8(-84, 49)),
    Case("mul", "integer-scalar-wraps", lambda r: (_int8(3, -5), 100), lambda x, y: _int8(44, 12)),
    # 1. division
    Case(
        "div", "by-zero", values([1, -1, 0, NAN, 2, 0], [0, 0, 0, 0, -0.0, 3]), each(_div), order=0
    ),
    Case("div", "by-scalar-zero", values([1, -1, 0], 0), each(_div), order=0),
    Case("div", "large", values([3e30, 1e-30], [1e30, 1e30]), each(_div), FLOATS[:2], order=0),
    # 2. products that stop at zero
    Case(
        "mul0",
        "zero-wins",
        values([0, 0, 0, INF, NAN, 2, -0.0, INF, INF], [INF, NAN, 3, 0, 0, NAN, -INF, 2, -INF]),
        each(_mul0),
        order=0,
    ),
    Case("mul0", "one-nan", values([[0, 2.0], [0, 3]], [NAN, 5]), each(_mul0), order=0),
    Case("mul0", "sum-overflows", values([3e38, 3e38, 0], [1, 1, 1]), each(_mul0), FLOATS[:2], order=0),
    Case(
        "mul0",
        "gradient-at-zero",
        values([0, 2, 0], [3, 0, 0]),
        each(_mul0),
        gradients=known([3, 0, 0], [0, 2, 0]),
    ),
    Case(
        "div0",
        "zero-wins",
        values([0, 0, 1, -1, 0, NAN], [0, NAN, 0, 0, INF, 0]),
        each(BINARY["div0"][0]),
        order=0,
    ),
    Case(
        "div0", "gradient-at-zero", values([0, 6], [2, 3]), each(_div), gradients=known([1 / 2, 1 / 3], [0, -2 / 3])
    ),
    # 3. powers
    Case("pow", "positive", lambda r: (r.uniform(0.5, 2, (2, 3)), r.normal(size=3)), each(_pow), scale=4),
    Case("pow", "size-0", lambda r: (r.normal(size=(2, 0)), r.normal(size=(2, 1))), each(_pow)),
    Case("pow", "rank-0", values(np.asarray(1.5), np.asarray(2.5)), each(_pow)),
    *[
        Case("pow", f"scalar-{y}", lambda r, y=y: (r.uniform(0.5, 2, 5), y), each(_pow), scale=4)  # type: ignore[misc]  # a default binds the loop's value
        for y in (2, 3, -1, 0.5, 1.5, -0.5, 1)
    ],
    Case(
        "pow",
        "negative-base",
        values([-1, -2, -3, -0.5, -2, -5], [2, 3, 4, -3, 0, 3]),
        each(_pow),
        exact=True,
        order=0,
    ),
    Case("pow", "negative-base-scalar", values([-1, -2, -3, -0.5, 3], 3), each(_pow), exact=True, scale=32),
    Case("pow", "negative-base-squared", values([-1, -2, -3, 0, 3], 2), each(_pow), exact=True, scale=32),
    Case("pow", "fraction-of-negative", values([-1, -2, -0.5], 0.5), each(_pow), order=0),
    Case("pow", "zero-exponent", values([-1, 0, 2, NAN, INF], 0), each(lambda x, y: 1.0), gradients=known([0.0] * 5)),
    Case("pow", "zero-exponent-array", values([-1, 0, 2], [0, 0, 0]), each(_pow), wrt=["x"], gradients=known([0, 0, 0])),
    Case("pow", "zero-base", values([0, 0, 0, 0], [1, 2, 0.5, 3]), each(_pow), wrt=["y"], gradients=known([0.0] * 4)),
    Case("pow", "zero-to-zero", values([0], [0]), each(_pow), gradients=known([0], [0])),
    Case("pow", "1.5-at-0", values([0, 4], 1.5), each(_pow), gradients=known([0, 3])),
    Case("pow", "square-at-0", values([0, 3, -2], 2), each(_pow), gradients=known([0, 6, -4])),
    Case("pow", "2-to-x", values([2], [3]), each(_pow), wrt=["y"], gradients=known([8 * math.log(2)]), scale=8),
    Case("pow", "x-cubed", values([2], [3]), each(_pow), wrt=["x"], gradients=known([12])),
    Case(
        "pow",
        "singular",
        values([0, 0, INF, INF, 1, -INF, NAN, 1], [-1, -2, -1, 2, INF, 3, 1, NAN]),
        each(_pow),
        order=0,
    ),
    Case(
        "pow",
        "integers",
        lambda r: (np.array([2, -3, 0, 5], np.int32), np.array([10, 3, 0, 1], np.int32)),
        lambda x, y: np.array([1024, -27, 1, 5], np.int32),
    ),
    # 4. extrema of two
    *[
        Case(op, "ties", values([1, 2, 3], [1, 1, 4]), each(f), gradients=known(gx, gy))
        for op, f, gx, gy in (
            ("maximum", _max, [0.5, 1, 0], [0.5, 0, 1]),
            ("minimum", _min, [0.5, 0, 1], [0.5, 1, 0]),
        )
    ],
    *[
        Case(op, "nan", values([NAN, 2, NAN, -INF], [1, NAN, NAN, INF]), each(f), gradients=known(gx, gy))
        for op, f, gx, gy in (
            ("maximum", _max, [1, 0, 0.5, 0], [0, 1, 0.5, 1]),
            ("minimum", _min, [1, 0, 0.5, 1], [0, 1, 0.5, 0]),
        )
    ],
    Case("maximum", "scalar-tie", values([0, -1, 2, NAN], 0), each(_max), gradients=known([0.5, 0, 1, 1])),
    Case("minimum", "scalar-tie", values([0, -1, 2, NAN], 0.0), each(_min), gradients=known([0.5, 1, 0, 1])),
    Case("maximum", "scalar-nan", values([1, 2], NAN), each(_max), order=0),
    Case(
        "maximum",
        "bool",
        lambda r: (np.array([True, False, False]), np.array([False, False, True])),
        lambda x, y: np.array([True, False, True]),
    ),
    Case("clamp", "both", lambda r: (r.normal(size=(2, 5)), -0.5, 0.75), each(_clamp)),
    Case("clamp", "low", lambda r: (r.normal(size=(2, 3)), 0.25, None), each(_clamp)),
    Case("clamp", "high", lambda r: (r.normal(size=()), None, 0.1), each(_clamp)),
    Case("clamp", "neither", lambda r: (r.normal(size=3), None, None), each(_clamp)),
    Case("clamp", "bounds", values([-1, 0, 1, 2, NAN], 0, 1), each(_clamp), gradients=known([0, 1, 1, 0, 1])),
    Case("clamp", "crossed", values([-1, 1.5, 5], 2, 1), each(_clamp), gradients=known([0, 0, 0])),
    Case("clamp", "integers", lambda r: (_int8(-5, 0, 9), -1, 3), lambda x, a, b: _int8(-1, 0, 3)),
    # 5. quotients with a rest
    *[
        Case(op, name, sample, each(f), scale=4)
        for op, f in (
            ("remainder", lambda x, y: x % y),
            ("floor_divide", lambda x, y: x // y),
        )
        for name, sample in (
            ("signs", values([[7.25, -7.25], [7.25, -7.25]], [[2, 2], [-2, -2.0]])),
            ("broadcast", values([[1.25], [-2.5]], [0.75, -1.75, 4])),
            ("scalar", values([5.5, -5.5, 0.5], 2)),
        )
    ],
    Case("remainder", "tenths", values([1.0], [0.1]), each(lambda x, y: x % y), [DType.float64], gradients=known([1], [-9])),
    Case("floor_divide", "tenths", values([1.0, -1.0, 0.3], [0.1, 0.1, 0.1]), lambda x, y: np.array([9, -10, 2.0]), [DType.float64], order=0),
    Case("floor_divide", "infinite", values([5, -5, INF, 1], [INF, INF, 2, 0]), lambda x, y: np.array([0, -1, NAN, INF]), order=0),
    Case("remainder", "infinite", values([5, -5, INF, 1], [INF, INF, 2, 0]), lambda x, y: np.array([5, INF, NAN, NAN]), order=0),
    Case("remainder", "size-0", lambda r: (r.normal(size=(0, 2)), r.normal(size=2)), lambda x, y: x),
    *[
        Case(op, "integers", lambda r: (np.array([7, -7, 7, -7], np.int16), np.array([2, 2, -2, -2], np.int16)), lambda x, y, due=due: np.array(due, np.int16))
        for op, due in (("remainder", [1, 1, -1, -1]), ("floor_divide", [3, -4, -4, 3]))
    ],
]  # fmt: skip


def _pair(x: tuple[int, ...], y: tuple[int, ...]) -> Callable[[np.random.Generator], tuple[Array, Array]]:
    return lambda r: (r.normal(size=x), r.normal(size=y))


BAD_CALLS = [
    *[BadCall(op, "shapes", _pair((2, 3), (2, 4)), ShapeError, ["(2, 3)", "(2, 4)"]) for op in (*list(BINARY)[:6], "pow", "remainder", "floor_divide")],
    BadCall("pow", "negative-power", lambda r: (np.array([2, 3]), -1), DTypeError, ["negative power"]),
    BadCall("pow", "negative-powers", lambda r: (np.array([2, 3]), np.array([1, -1])), DTypeError, ["negative power"]),
    *[BadCall(op, "by-zero", lambda r: (np.array([2, 3]), np.array([1, 0])), ZeroDivisionError) for op in ("remainder", "floor_divide")],
    *[BadCall(op, "by-scalar-zero", lambda r: (np.array([2, 3]), 0), ZeroDivisionError) for op in ("remainder", "floor_divide")],
    *[BadCall(op, "out-of-range", lambda r: (_int8(1, 2), 300), DTypeError, ["300", "int8"]) for op in ("maximum", "minimum", "remainder", "floor_divide", "pow")],
]  # fmt: skip
