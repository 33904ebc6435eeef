"""Cases of activations: smooth points, kinks, both ends, NaN."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad.conformance.cases.elementwise import fsum

NAN, INF = math.nan, math.inf


def _each(f: Callable[..., float], *arrays: Array) -> Array:
    """`f` at every position, its arguments and result Python floats."""
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    rows = zip(*(a.flat for a in np.broadcast_arrays(*arrays)))
    return np.array([f(*map(float, row)) for row in rows], np.float64).reshape(shape)


def _exp(x: float) -> float:
    return INF if x >= 709 else math.exp(x)


def _sigmoid(x: float) -> float:
    return 1 / (1 + _exp(-x))


def _softplus(x: float, beta: float, threshold: float) -> float:
    return x if x * beta > threshold else math.log1p(_exp(x * beta)) / beta


def _cdf(x: float, approximate: str) -> float:
    if approximate == "tanh":
        return (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2
    return (1 + math.erf(x / math.sqrt(2))) / 2


def _gelu_slope(x: float, approximate: str) -> float:
    if math.isinf(x):
        return float(x > 0)
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        density = (1 - math.tanh(inner) ** 2) / 2 * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)
    else:
        density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return _cdf(x, approximate) + x * density


def _silu_slope(x: float) -> float:
    if math.isinf(x):
        return float(x > 0)
    s = _sigmoid(x)
    return s * (1 + x * (1 - s))


def _relu(x: float) -> float:
    return x if math.isnan(x) or x > 0 else 0.0


def _log_sigmoid(x: float) -> float:
    return min(x, 0.0) - math.log1p(math.exp(-abs(x)))


def _leaky_relu(x: float, slope: float) -> float:
    return x if x > 0 else slope * x


def _elu(x: float, alpha: float) -> float:
    return x if x > 0 else alpha * math.expm1(x)


def _hardtanh(x: float, low: float, high: float) -> float:
    return x if math.isnan(x) else min(max(x, low), high)


def _silu(x: float) -> float:
    return 0.0 if x == -INF else x * _sigmoid(x)


def _gelu(x: float, approximate: str) -> float:
    return 0.0 if x == -INF else x * _cdf(x, approximate)


def _mish(x: float) -> float:
    return 0.0 if x == -INF else x * math.tanh(math.log1p(_exp(x)))


def _mish_slope(x: float) -> float:
    if math.isinf(x):
        return float(x > 0)
    t = math.tanh(math.log1p(_exp(x)))
    return t + x * _sigmoid(x) / math.cosh(math.log1p(_exp(x))) ** 2


def _log_sigmoid_slope(x: float) -> float:
    return _sigmoid(-x)


_FUNCTIONS: dict[str, tuple[Callable[..., float], Sequence[tuple[str, tuple[Any, ...]]]]] = {
    "relu": (_relu, [("", ())]),
    "leaky_relu": (_leaky_relu, [("", (0.01,)), ("negative", (-0.5,))]),
    "elu": (_elu, [("", (1.0,)), ("alpha", (0.3,))]),
    "hardtanh": (_hardtanh, [("", (-1.0, 1.0))]),
    "sigmoid": (_sigmoid, [("", ())]),
    "log_sigmoid": (_log_sigmoid, [("", ())]),
    "softplus": (_softplus, [("", (1.0, 20.0)), ("beta", (2.5, 3.0)), ("no-threshold", (1.0, 1e4))]),
    "silu": (_silu, [("", ())]),
    "mish": (_mish, [("", ())]),
    "gelu": (_gelu, [("none", ("none",)), ("tanh", ("tanh",))]),
}


def _normal(r: np.random.Generator) -> Array:
    return r.normal(size=(3, 4)) + 0.01


def _wide(r: np.random.Generator) -> Array:
    return np.array([-80.0, -21.5, -9.7, 9.3, 21.5, 80.0])


def _scalar(r: np.random.Generator) -> Array:
    return np.asarray(r.normal())


def _empty(r: np.random.Generator) -> Array:
    return np.zeros((2, 0, 3))


def _nan(r: np.random.Generator) -> Array:
    return np.array([NAN, 1.5])


_POINTS: list[tuple[str, Callable[[np.random.Generator], Array], int]] = [
    ("normal", _normal, 3),
    ("wide", _wide, 2),
    ("scalar", _scalar, 2),
    ("size-0", _empty, 2),
    ("nan", _nan, 0),
]


def _function_cases() -> list[Case]:
    cases: list[Case] = []
    for op, (f, variants) in _FUNCTIONS.items():
        for name, options in variants:
            for where, points, order in _POINTS:
                label = f"{name}-{where}" if name else where
                cases.append(_function_case(op, label, f, points, options, order))
    return cases


def _function_case(
    op: str,
    label: str,
    f: Callable[..., float],
    points: Callable[[np.random.Generator], Array],
    options: tuple[Any, ...],
    order: int,
) -> Case:
    def oracle(x: Array, *args: Any) -> Array:
        def at(v: float) -> float:
            return f(v, *args)

        return _each(at, x)

    return Case(op, label, lambda r: (points(r), *options), oracle, order=order)


def kinked(
    op: str, name: str, x: Sequence[float], *options: Any, y: Sequence[float], slope: Sequence[float]
) -> Case:
    """Known values and slopes at known points."""
    return Case(
        op,
        name,
        lambda r: (np.array(x), *options),
        lambda *_: np.array(y, np.float64),
        gradients=lambda *_: [np.array(slope, np.float64)],
    )


_KINKS = [
    kinked(
        "relu", "kink", [-1.0, -0.0, 0.0, 2.0, INF, -INF], y=[0, 0, 0, 2, INF, 0], slope=[0, 0, 0, 1, 1, 0]
    ),
    kinked("leaky_relu", "kink", [-1.0, 0.0, 2.0], 0.25, y=[-0.25, 0, 2], slope=[0.25, 0.25, 1]),
    kinked("elu", "kink", [-INF, 0.0, 2.0, INF], 0.5, y=[-0.5, 0, 2, INF], slope=[0, 0.5, 1, 1]),
    kinked(
        "hardtanh",
        "kink",
        [-2.0, -1.0, 0.5, 1.0, INF],
        -1.0,
        1.0,
        y=[-1, -1, 0.5, 1, 1],
        slope=[0, 0, 1, 0, 0],
    ),
    kinked("sigmoid", "limits", [-INF, 0.0, INF], y=[0, 0.5, 1], slope=[0, 0.25, 0]),
    kinked("log_sigmoid", "limits", [-INF, 0.0, INF], y=[-INF, -math.log(2), 0], slope=[1, 0.5, 0]),
    kinked("softplus", "limits", [-INF, 0.0, INF], 1.0, 20.0, y=[0, math.log(2), INF], slope=[0, 0.5, 1]),
    kinked("silu", "limits", [-INF, 0.0, INF], y=[0, 0, INF], slope=[0, 0.5, 1]),
    kinked("mish", "limits", [-INF, 0.0, INF], y=[0, 0, INF], slope=[0, 0.6, 1]),
    kinked(
        "gelu", "limits", [-INF, -1e9, 0.0, 1e9, INF], "none", y=[0, 0, 0, 1e9, INF], slope=[0, 0, 0.5, 1, 1]
    ),
    kinked("gelu", "limits-tanh", [-INF, 0.0, INF], "tanh", y=[0, 0, INF], slope=[0, 0.5, 1]),
]


def _relu_slope(y: float) -> float:
    return 0.0 if y <= 0 else 1.0


def _sigmoid_slope(y: float) -> float:
    return y * (1 - y)


def _softplus_slope(x: float, beta: float, threshold: float) -> float:
    return 1.0 if x * beta > threshold else _sigmoid(beta * x)


def _backward(op: str, name: str, x: Array, slope: Callable[..., float], *options: Any) -> Case:
    def oracle(g: Array, x: Array, *args: Any) -> Array:
        def at(a: float, b: float) -> float:
            rise = slope(b, *args)
            return a * rise if rise else 0.0  # zero stops an upstream of inf or NaN

        return _each(at, g, x)

    return Case(op, name, lambda r: (r.normal(size=x.shape), x, *options), oracle, order=3)


_LINE = np.linspace(-2.3, 2.4, 12).reshape(3, 4)
_UNIT = np.linspace(0.03, 0.97, 12).reshape(3, 4)

_BACKWARD = [
    _backward("relu_backward", "normal", _LINE, _relu_slope),
    _backward("sigmoid_backward", "unit", _UNIT, _sigmoid_slope),
    _backward("silu_backward", "normal", _LINE, _silu_slope),
    _backward("mish_backward", "normal", _LINE, _mish_slope),
    _backward("mish_backward", "wide", np.array([-40.0, -9.0, 12.0, 40.0]), _mish_slope),
    _backward("log_sigmoid_backward", "normal", _LINE, _log_sigmoid_slope),
    _backward("softplus_backward", "normal", _LINE, _softplus_slope, 1.5, 2.0),
    _backward("gelu_backward", "none", _LINE, _gelu_slope, "none"),
    _backward("gelu_backward", "tanh", _LINE, _gelu_slope, "tanh"),
    Case(
        "relu_backward",
        "kink",
        lambda r: (np.array([5.0, 5.0, 5.0, 5.0]), np.array([-1.0, 0.0, 2.0, NAN])),
        lambda *_: np.array([0.0, 0.0, 5.0, 5.0]),
        gradients=lambda *_: [np.array([0.0, 0, 1, 1]), np.zeros(4)],
    ),
]


def _rows(f: Callable[..., Sequence[float]], dim: int, *arrays: Array) -> Array:
    """`f` of each line along `dim`."""
    out = np.zeros(arrays[0].shape)
    if not out.size:
        return out
    moved = [np.moveaxis(a, dim, -1) for a in arrays]
    for at in np.ndindex(moved[0].shape[:-1]):
        np.moveaxis(out, dim, -1)[at] = f(*([float(v) for v in m[at]] for m in moved))
    return out


def _softmax(row: Sequence[float]) -> list[float]:
    top = max(row)
    if any(map(math.isnan, row)) or math.isinf(top):
        return [NAN] * len(row)
    raised = [math.exp(v - top) for v in row]
    return [v / fsum(raised) for v in raised]


def _log_softmax(row: Sequence[float]) -> list[float]:
    top = max(row)
    if any(map(math.isnan, row)) or math.isinf(top):
        return [NAN] * len(row)
    total = math.log(fsum(math.exp(v - top) for v in row))
    return [v - top - total for v in row]


def _softmax_backward(g: Sequence[float], y: Sequence[float]) -> list[float]:
    mean = fsum(a * b for a, b in zip(g, y))
    return [b * (a - mean) for a, b in zip(g, y)]


def _log_softmax_backward(g: Sequence[float], y: Sequence[float]) -> list[float]:
    return [a - math.exp(b) * fsum(g) for a, b in zip(g, y)]


_SHAPES = [
    ((3, 4), 1),
    ((3, 4), 0),
    ((5,), 0),
    ((2, 3, 2), 1),
    ((2, 1), 1),
    ((0, 3), 1),
    ((3, 0), 1),
    ((0, 3), 0),
]


def _softmax_cases(op: str, row: Callable[[Sequence[float]], Sequence[float]]) -> list[Case]:
    def oracle(x: Array, dim: int) -> Array:
        return _rows(row, dim, x)

    def case(shape: tuple[int, ...], dim: int) -> Case:
        name = "x".join(map(str, shape)) + f"-dim{dim}"
        return Case(op, name, lambda r: (r.normal(size=shape) * 2, dim), oracle, terms=4, order=3, scale=4.0)

    return [
        *(case(shape, dim) for shape, dim in _SHAPES),
        Case(op, "shifted", lambda r: (1000 + np.arange(12.0).reshape(3, 4), 1), oracle, terms=4, scale=4.0),
        Case(op, "only-minus-inf", lambda r: (np.full((2, 3), -INF), 1), oracle, order=0),
        Case(op, "nan", lambda r: (np.array([[NAN, 1.0], [0.0, 1.0], [INF, 0.0]]), 1), oracle, order=0),
    ]


def _softmax_backward_cases(
    op: str,
    row: Callable[[Sequence[float], Sequence[float]], Sequence[float]],
    result: Callable[[Array], Array],
) -> list[Case]:
    def oracle(g: Array, y: Array, dim: int) -> Array:
        return _rows(row, dim, g, y)

    def case(shape: tuple[int, ...], dim: int) -> Case:
        def sample(r: np.random.Generator) -> tuple[Any, ...]:
            return r.normal(size=shape), result(r.uniform(0.1, 0.9, size=shape)), dim

        name = "x".join(map(str, shape)) + f"-dim{dim}"
        return Case(op, name, sample, oracle, terms=4, order=3, scale=4.0)

    return [case(shape, dim) for shape, dim in _SHAPES[:2] + _SHAPES[3:6]]


def _same(x: Array) -> Array:
    return x


def _log(x: Array) -> Array:
    return _each(math.log, x)


_MASKED = np.array([-INF, 0.0, 0.0])

_MASKED_CASES = [
    Case(
        "softmax",
        "masked",
        lambda r: (_MASKED, 0),
        lambda *_: np.array([0.0, 0.5, 0.5]),
        gradients=lambda *_: [np.zeros(3)],
    ),
    Case(
        "log_softmax",
        "masked",
        lambda r: (_MASKED, 0),
        lambda *_: np.array([-INF, -math.log(2), -math.log(2)]),
        gradients=lambda *_: [np.array([1.0, -0.5, -0.5])],
    ),
    Case(
        "softmax",
        "adds-in-float32",
        lambda r: (np.zeros(5000), 0),
        lambda *_: np.full(5000, 1 / 5000),
        scale=1 / 5000,
    ),
]

CASES = [
    *_function_cases(),
    *_KINKS,
    *_BACKWARD,
    *_softmax_cases("softmax", _softmax),
    *_softmax_cases("log_softmax", _log_softmax),
    *_softmax_backward_cases("softmax_backward", _softmax_backward, _same),
    *_softmax_backward_cases("log_softmax_backward", _log_softmax_backward, _log),
    *_MASKED_CASES,
]
BAD_CALLS: list[BadCall] = []
