"""Cases of activations made of pieces: each piece, each kink, the infinities, NaN."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad.conformance.cases.activation import kinked
from everygrad_ops import ShapeError

NAN, INF = math.nan, math.inf
_Scalar = Callable[..., float]


def _prelu(x: float, w: float) -> float:
    return x if x > 0 else w * x


def _elu(x: float, alpha: float, scale: float, inner: float) -> float:
    return scale * (x if x > 0 else alpha * math.expm1(inner * x))


def _elu_slope(x: float, alpha: float, scale: float, inner: float) -> float:
    return scale * (1.0 if x > 0 else alpha * inner * math.exp(inner * x))


def _leaky_slope(x: float, slope: float) -> float:
    return 1.0 if x > 0 else slope


def _between(x: float, low: float, high: float) -> float:
    return 1.0 if low < x < high else 0.0


def _hard_sigmoid(x: float, alpha: float, beta: float) -> float:
    return x if math.isnan(x) else min(max(alpha * x + beta, 0.0), 1.0)


def _hard_sigmoid_slope(x: float, alpha: float, beta: float) -> float:
    return alpha if 0 < alpha * x + beta < 1 else 0.0


def _hardswish(x: float) -> float:
    return x if math.isnan(x) or x >= 3 else 0.0 if x <= -3 else x * (x + 3) / 6


def _hardswish_slope(x: float) -> float:
    return 1.0 if x >= 3 else 0.0 if x <= -3 else x / 3 + 0.5


def _threshold(x: float, threshold: float, value: float) -> float:
    return value if x <= threshold else x


def _threshold_slope(x: float, threshold: float) -> float:
    return 0.0 if x <= threshold else 1.0


def _shrink(x: float, lambd: float, bias: float) -> float:
    return 0.0 if abs(x) <= lambd else x - math.copysign(bias, x)


def _shrink_slope(x: float, lambd: float) -> float:
    return 0.0 if abs(x) <= lambd else 1.0


_SELU = (1.6732632423543772, 1.0507009873554805, 1.0)
_SIXTH = 1 / 6

_FORWARD: dict[str, tuple[_Scalar, Sequence[tuple[str, tuple[Any, ...]]]]] = {
    "elu": (_elu, [("selu", _SELU), ("celu", (0.5, 1.0, 2.0))]),
    "hard_sigmoid": (_hard_sigmoid, [("torch", (_SIXTH, 0.5)), ("burn", (0.2, 0.5)), ("falling", (-0.4, 0.3))]),
    "hardswish": (_hardswish, [("", ())]),
    "threshold": (_threshold, [("", (0.5, -2.0))]),
    "shrink": (_shrink, [("hard", (0.5, 0.0)), ("soft", (0.4, 0.4)), ("own", (0.5, 0.25)), ("zero", (0.0, 0.0))]),
}  # fmt: skip

_BACKWARD: dict[str, tuple[_Scalar, Sequence[tuple[str, tuple[Any, ...]]]]] = {
    "elu_backward": (_elu_slope, [("elu", (0.7, 1.0, 1.0)), ("selu", _SELU), ("celu", (0.5, 1.0, 2.0))]),
    "leaky_relu_backward": (_leaky_slope, [("", (0.1,)), ("negative", (-0.5,))]),
    "hardtanh_backward": (_between, [("", (-1.0, 2.0))]),
    "hard_sigmoid_backward": (_hard_sigmoid_slope, [("torch", (_SIXTH, 0.5)), ("burn", (0.2, 0.5))]),
    "hardswish_backward": (_hardswish_slope, [("", ())]),
    "threshold_backward": (_threshold_slope, [("", (0.5,))]),
    "shrink_backward": (_shrink_slope, [("", (0.6,))]),
}

_LINE = np.array([[-4.3, -2.7, -1.41, -0.23], [0.17, 0.95, 2.3, 3.7]])
"""Away from every kink by more than the steps of the differences."""


def _at(f: _Scalar, *options: Any) -> Callable[..., Array]:
    def oracle(x: Array, *_: Any) -> Array:
        return np.array([f(float(v), *options) for v in x.flat], np.float64).reshape(x.shape)

    return oracle


def _forward_cases() -> list[Case]:
    cases: list[Case] = []
    for op, (f, variants) in _FORWARD.items():
        for name, options in variants:
            oracle, rest = _at(f, *options), options
            label = f"{name}-" if name else ""
            cases += [
                Case(op, f"{label}line", _points(_LINE, rest), oracle, order=3),
                Case(op, f"{label}strides", _points(_LINE.T[::-1], rest), oracle),
                Case(op, f"{label}size-0", _points(np.zeros((0, 2)), rest), oracle),
                Case(op, f"{label}scalar", _points(np.asarray(0.8), rest), oracle),
                Case(op, f"{label}nan", _points(np.array([NAN, 1.5]), rest), oracle, order=0),
            ]
    return cases


def _points(x: Array, options: tuple[Any, ...]) -> Callable[[np.random.Generator], tuple[Any, ...]]:
    return lambda r: (x, *options)


def _backward_cases() -> list[Case]:
    return [
        _backward(op, name or "line", slope, options)
        for op, (slope, variants) in _BACKWARD.items()
        for name, options in variants
    ]


def _backward(op: str, name: str, slope: _Scalar, options: tuple[Any, ...]) -> Case:
    at = _at(slope, *options)

    def oracle(g: Array, x: Array, *_: Any) -> Array:
        slopes = at(x)
        return np.where(slopes == 0, 0.0, g * slopes)  # zero stops an upstream of inf or NaN

    return Case(op, name, lambda r: (r.normal(size=_LINE.shape), _LINE, *options), oracle, order=3)


_KINKS = [
    kinked("elu", "celu-kink", [-INF, 0.0, 1.0, INF], 0.5, 1.0, 2.0, y=[-0.5, 0, 1, INF], slope=[0, 1, 1, 1]),
    kinked("elu", "scaled-kink", [-INF, 0.0, INF], 0.5, 2.0, 1.0, y=[-1, 0, INF], slope=[0, 1, 2]),
    kinked(
        "hard_sigmoid", "kinks", [-INF, -3.0, 0.0, 3.0, INF], _SIXTH, 0.5,
        y=[0, 0, 0.5, 1, 1], slope=[0, 0, _SIXTH, 0, 0],
    ),
    kinked(
        "hard_sigmoid", "kinks-of-quarters", [-INF, -2.0, 0.0, 2.0, INF], 0.25, 0.5,
        y=[0, 0, 0.5, 1, 1], slope=[0, 0, 0.25, 0, 0],
    ),
    kinked(
        "hardswish", "kinks", [-INF, -3.0, 0.0, 3.0, 1e4, INF], y=[0, 0, 0, 3, 1e4, INF], slope=[0, 0, 0.5, 1, 1, 1]
    ),
    kinked("threshold", "kink", [-INF, 0.5, 1.0, INF], 0.5, 2.0, y=[2, 2, 1, INF], slope=[0, 0, 1, 1]),
    kinked(
        "shrink", "kinks-soft", [-INF, -1.0, -0.5, 0.0, 0.5, 1.0, INF], 0.5, 0.5,
        y=[-INF, -0.5, 0, 0, 0, 0.5, INF], slope=[1, 1, 0, 0, 0, 1, 1],
    ),
    kinked(
        "shrink", "kinks-hard", [-INF, -1.0, -0.5, 0.0, 0.5, 1.0, INF], 0.5, 0.0,
        y=[-INF, -1, 0, 0, 0, 1, INF], slope=[1, 1, 0, 0, 0, 1, 1],
    ),
    kinked("shrink", "kinks-own", [-1.0, -0.5, 0.5, 1.0], 0.5, 0.25, y=[-0.75, 0, 0, 0.75], slope=[1, 0, 0, 1]),
    Case(
        "prelu", "kink", lambda r: (np.array([[-2.0, 0.0, 2.0, INF]]), np.array([[0.25]])),
        lambda *_: np.array([[-0.5, 0, 2, INF]]),
        gradients=lambda *_: [np.array([[0.25, 0.25, 1, 1]]), np.array([[-2.0]])],
    ),
]  # fmt: skip


def _prelu_case(name: str, x: Array, shape: tuple[int, ...]) -> Case:
    def oracle(x: Array, w: Array) -> Array:
        pairs = np.broadcast_arrays(x, w)
        out = [_prelu(float(a), float(c)) for a, c in zip(*(p.flat for p in pairs))]
        return np.array(out, np.float64).reshape(pairs[0].shape)

    return Case("prelu", name, lambda r: (x, r.normal(size=shape)), oracle, order=3)


CASES = [
    *_forward_cases(),
    *_backward_cases(),
    *_KINKS,
    _prelu_case("one", _LINE, ()),
    _prelu_case("channels", _LINE.reshape(2, 2, 2), (1, 2, 1)),
    _prelu_case("each", _LINE, (2, 4)),
    _prelu_case("scalar", np.asarray(-0.7), ()),
    _prelu_case("size-0", np.zeros((0, 2)), (2,)),
]

BAD_CALLS = [
    BadCall("prelu", "sizes", lambda r: (np.zeros((2, 3)), np.zeros(2)), ShapeError, ["prelu", "(2,)"]),
]
