"""Cases of activations: smooth points, kinks, both ends, NaN."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case

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
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        density = (1 - math.tanh(inner) ** 2) / 2 * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)
    else:
        density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return _cdf(x, approximate) + x * density


def _silu_slope(x: float) -> float:
    s = _sigmoid(x)
    return s * (1 + x * (1 - s))


def _relu(x: float) -> float:
    return x if math.isnan(x) or x > 0 else 0.0


def _log_sigmoid(x: float) -> float:
    return min(x, 0.0) - math.log1p(math.exp(-abs(x)))


_FUNCTIONS: dict[str, tuple[Callable[..., float], Sequence[tuple[str, tuple[Any, ...]]]]] = {
    "relu": (_relu, [("", ())]),
    "leaky_relu": (lambda x, slope: x if x > 0 else slope * x, [("", (0.01,)), ("negative", (-0.5,))]),
    "elu": (lambda x, a: x if x > 0 else a * math.expm1(x), [("", (1.0,)), ("alpha", (0.3,))]),
    "hardtanh": (lambda x, low, high: x if math.isnan(x) else min(max(x, low), high), [("", (-1.0, 1.0))]),
    "sigmoid": (_sigmoid, [("", ())]),
    "log_sigmoid": (_log_sigmoid, [("", ())]),
    "softplus": (_softplus, [("", (1.0, 20.0)), ("beta", (2.5, 3.0)), ("no-threshold", (1.0, 1e4))]),
    "silu": (lambda x: x * _sigmoid(x), [("", ())]),
    "gelu": (lambda x, approximate: x * _cdf(x, approximate), [("none", ("none",)), ("tanh", ("tanh",))]),
}


def _function_cases() -> list[Case]:
    cases: list[Case] = []
    for op, (f, variants) in _FUNCTIONS.items():
        for name, options in variants:

            def oracle(x: Array, *args: Any, f: Callable[..., float] = f) -> Array:
                return _each(lambda v: f(v, *args), x)

            def case(
                where: str, sample: Callable[[np.random.Generator], Array], order: int = 2, op: str = op,
                name: str = name, options: tuple[Any, ...] = options, oracle: Any = oracle,
            ) -> Case:  # fmt: skip
                label = f"{name}-{where}" if name else where
                return Case(op, label, lambda r: (sample(r), *options), oracle, scale=1.0, order=order)

            cases += [
                case("normal", lambda r: r.normal(size=(3, 4)) + 0.01, order=3),
                case("wide", lambda r: np.array([-80.0, -21.5, -9.7, 9.3, 21.5, 80.0])),
                case("scalar", lambda r: r.normal(size=())),
                case("size-0", lambda r: np.zeros((2, 0, 3))),
                case("nan", lambda r: np.array([NAN, 1.5]), order=0),
            ]
    return cases


def _kinked(
    op: str, name: str, x: Sequence[float], *options: Any, y: Sequence[float], slope: Sequence[float]
) -> Case:
    return Case(
        op,
        name,
        lambda r: (np.array(x), *options),
        lambda *_: np.array(y, np.float64),
        gradients=lambda *_: [np.array(slope, np.float64)],
    )


_KINKS = [
    _kinked(
        "relu", "kink", [-1.0, -0.0, 0.0, 2.0, INF, -INF], y=[0, 0, 0, 2, INF, 0], slope=[0, 0, 0, 1, 1, 0]
    ),
    _kinked("leaky_relu", "kink", [-1.0, 0.0, 2.0], 0.25, y=[-0.25, 0, 2], slope=[0.25, 0.25, 1]),
    _kinked("elu", "kink", [-INF, 0.0, 2.0, INF], 0.5, y=[-0.5, 0, 2, INF], slope=[0, 0.5, 1, 1]),
    _kinked(
        "hardtanh",
        "kink",
        [-2.0, -1.0, 0.5, 1.0, INF],
        -1.0,
        1.0,
        y=[-1, -1, 0.5, 1, 1],
        slope=[0, 0, 1, 0, 0],
    ),
    _kinked("sigmoid", "limits", [-INF, 0.0, INF], y=[0, 0.5, 1], slope=[0, 0.25, 0]),
    _kinked("log_sigmoid", "limits", [-INF, 0.0, INF], y=[-INF, -math.log(2), 0], slope=[1, 0.5, 0]),
    _kinked("softplus", "limits", [-INF, 0.0, INF], 1.0, 20.0, y=[0, math.log(2), INF], slope=[0, 0.5, 1]),
    _kinked("silu", "zero", [0.0], y=[0], slope=[0.5]),
    _kinked("gelu", "zero", [0.0], "none", y=[0], slope=[0.5]),
]


def _backward_cases() -> list[Case]:
    def with_grad(
        op: str, name: str, x: Callable[[np.random.Generator], Array], oracle: Any, *options: Any
    ) -> Case:
        return Case(op, name, lambda r: (r.normal(size=x(r).shape), x(r), *options), oracle, order=3)

    def normal(r: np.random.Generator) -> Array:
        return np.linspace(-2.3, 2.4, 12).reshape(3, 4)

    def unit(r: np.random.Generator) -> Array:
        return np.linspace(0.03, 0.97, 12).reshape(3, 4)

    cases = [
        with_grad("relu_backward", "normal", normal, lambda g, y: _each(lambda a, b: a if b > 0 else 0.0, g, y)),
        with_grad("sigmoid_backward", "unit", unit, lambda g, y: _each(lambda a, b: a * b * (1 - b), g, y)),
        with_grad("silu_backward", "normal", normal, lambda g, x: _each(lambda a, b: a * _silu_slope(b), g, x)),
        with_grad(
            "softplus_backward", "normal", normal,
            lambda g, x, beta, threshold: _each(
                lambda a, b: a if b * beta > threshold else a * _sigmoid(beta * b), g, x
            ),
            1.5, 2.0,
        ),
    ]  # fmt: skip
    for approximate in ("none", "tanh"):
        cases.append(
            with_grad(
                "gelu_backward", approximate, normal,
                lambda g, x, approximate: _each(lambda a, b: a * _gelu_slope(b, approximate), g, x),
                approximate,
            )
        )  # fmt: skip
    cases.append(
        Case(
            "relu_backward",
            "kink",
            lambda r: (np.array([5.0, 5.0, 5.0, 5.0]), np.array([-1.0, 0.0, 2.0, NAN])),
            lambda g, y: np.array([0.0, 0.0, 5.0, 5.0]),
            gradients=lambda g, y: [np.array([0.0, 0, 1, 1]), np.zeros(4)],
        )
    )
    return cases


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
    return [v / math.fsum(raised) for v in raised]


def _log_softmax(row: Sequence[float]) -> list[float]:
    top = max(row)
    if any(map(math.isnan, row)) or math.isinf(top):
        return [NAN] * len(row)
    total = math.log(math.fsum(math.exp(v - top) for v in row))
    return [v - top - total for v in row]


def _softmax_backward(g: Sequence[float], y: Sequence[float]) -> list[float]:
    mean = math.fsum(a * b for a, b in zip(g, y))
    return [b * (a - mean) for a, b in zip(g, y)]


def _log_softmax_backward(g: Sequence[float], y: Sequence[float]) -> list[float]:
    return [a - math.exp(b) * math.fsum(g) for a, b in zip(g, y)]


def _softmax_cases() -> list[Case]:
    cases: list[Case] = []
    shapes = [
        ((3, 4), 1),
        ((3, 4), 0),
        ((5,), 0),
        ((2, 3, 2), 1),
        ((2, 1), 1),
        ((0, 3), 1),
        ((3, 0), 1),
        ((0, 3), 0),
    ]
    for op, row in (("softmax", _softmax), ("log_softmax", _log_softmax)):

        def oracle(x: Array, dim: int, row: Any = row) -> Array:
            return _rows(row, dim, x)

        for shape, dim in shapes:
            name = "x".join(map(str, shape)) + f"-dim{dim}"
            cases.append(
                Case(
                    op,
                    name,
                    lambda r, s=shape, d=dim: (r.normal(size=s) * 2, d),
                    oracle,
                    terms=4,
                    order=3,
                    scale=4.0,
                )
            )
        cases += [
            Case(
                op, "shifted", lambda r: (1000 + np.arange(12.0).reshape(3, 4), 1), oracle, terms=4, scale=4.0
            ),
            Case(op, "only-minus-inf", lambda r: (np.full((2, 3), -INF), 1), oracle, order=0),
            Case(op, "nan", lambda r: (np.array([[NAN, 1.0], [0.0, 1.0], [INF, 0.0]]), 1), oracle, order=0),
        ]
    masked = np.array([-INF, 0.0, 0.0])
    cases += [
        Case(
            "softmax", "masked", lambda r: (masked, 0), lambda x, dim: np.array([0.0, 0.5, 0.5]),
            gradients=lambda x, dim: [np.zeros(3)],
        ),
        Case(
            "log_softmax", "masked", lambda r: (masked, 0),
            lambda x, dim: np.array([-INF, -math.log(2), -math.log(2)]),
            gradients=lambda x, dim: [np.array([1.0, -0.5, -0.5])],
        ),
        Case(
            "softmax", "adds-in-float32", lambda r: (np.zeros(5000), 0),
            lambda x, dim: np.full(5000, 1 / 5000), scale=1 / 5000,
        ),
    ]  # fmt: skip

    def logs(r: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return np.log(r.uniform(0.1, 0.9, size=shape))

    for shape, dim in (((3, 4), 1), ((3, 4), 0), ((2, 3, 2), 1), ((0, 3), 1)):
        name = "x".join(map(str, shape)) + f"-dim{dim}"
        cases += [
            Case(
                "softmax_backward", name,
                lambda r, s=shape, d=dim: (r.normal(size=s), r.uniform(0.1, 0.9, size=s), d),
                lambda g, y, d: _rows(_softmax_backward, d, g, y), terms=4, order=3, scale=4.0,
            ),
            Case(
                "log_softmax_backward", name,
                lambda r, s=shape, d=dim: (r.normal(size=s), logs(r, s), d),
                lambda g, y, d: _rows(_log_softmax_backward, d, g, y), terms=4, order=3, scale=4.0,
            ),
        ]  # fmt: skip
    return cases


CASES = [*_function_cases(), *_KINKS, *_backward_cases(), *_softmax_cases()]
BAD_CALLS: list[BadCall] = []
