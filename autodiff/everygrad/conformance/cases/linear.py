"""Cases of the affine map and its adjoints."""

from __future__ import annotations

from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad_ops import ShapeError


def _linear(x: Array, weight: Array, bias: Array | None) -> Array:
    out = np.zeros((*x.shape[:-1], weight.shape[0]))
    for at in np.ndindex(x.shape[:-1]):
        for o in range(weight.shape[0]):
            total = sum(x[(*at, i)] * weight[o, i] for i in range(weight.shape[1]))
            out[(*at, o)] = total + (0.0 if bias is None else bias[o])
    return out


def _x_backward(weight: Array, grad: Array) -> Array:
    out = np.zeros((*grad.shape[:-1], weight.shape[1]))
    for at in np.ndindex(out.shape):
        out[at] = sum(grad[(*at[:-1], o)] * weight[o, at[-1]] for o in range(weight.shape[0]))
    return out


def _weight_backward(x: Array, grad: Array) -> Array:
    out = np.zeros((grad.shape[-1], x.shape[-1]))
    for at in np.ndindex(x.shape[:-1]):
        for o, i in np.ndindex(out.shape):
            out[o, i] += grad[(*at, o)] * x[(*at, i)]
    return out


def _bias_backward(grad: Array) -> Array:
    out = np.zeros(grad.shape[-1])
    for at in np.ndindex(grad.shape):
        out[at[-1]] += grad[at]
    return out


def _cases(name: str, lead: tuple[int, ...], n_in: int, n_out: int) -> list[Case]:
    rows = int(np.prod(lead))

    def linear(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=(*lead, n_in)), r.normal(size=(n_out, n_in)), r.normal(size=n_out)

    def no_bias(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=(*lead, n_in)), r.normal(size=(n_out, n_in)), None

    def x_backward(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=(n_out, n_in)), r.normal(size=(*lead, n_out))

    def weight_backward(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=(*lead, n_in)), r.normal(size=(*lead, n_out))

    return [
        Case("linear", name, linear, _linear, terms=n_in + 1),
        Case("linear", f"{name}-no-bias", no_bias, _linear, terms=n_in),
        Case("linear_x_backward", name, x_backward, _x_backward, terms=n_out),
        Case("linear_weight_backward", name, weight_backward, _weight_backward, terms=rows),
        Case(
            "linear_bias_backward",
            name,
            lambda r: (r.normal(size=(*lead, n_out)),),
            _bias_backward,
            terms=rows,
        ),
    ]


CASES = [
    *_cases("vector", (), 3, 2),
    *_cases("matrix", (4,), 3, 2),
    *_cases("square", (2,), 3, 3),
    *_cases("rank-4", (2, 1, 3), 2, 4),
    *_cases("no-rows", (0,), 3, 2),
    *_cases("no-inputs", (2,), 0, 3),
    *_cases("no-outputs", (2, 2), 3, 0),
]

BAD_CALLS = [
    BadCall(
        "linear",
        "inner-sizes",
        lambda r: (np.ones((2, 3)), np.ones((4, 2)), None),
        ShapeError,
        ["(2, 3)", "(4, 2)"],
    ),
    BadCall(
        "linear", "weight-of-rank-1", lambda r: (np.ones((2, 3)), np.ones(3), None), ShapeError, ["(3,)"]
    ),
    BadCall("linear", "bias", lambda r: (np.ones((2, 3)), np.ones((4, 3)), np.ones(3)), ShapeError, ["bias"]),
    BadCall(
        "linear",
        "bias-of-one",
        lambda r: (np.ones((2, 3)), np.ones((4, 3)), np.ones(1)),
        ShapeError,
        ["bias"],
    ),
    BadCall("linear_x_backward", "sizes", lambda r: (np.ones((4, 3)), np.ones((2, 3))), ShapeError),
    BadCall("linear_weight_backward", "rows", lambda r: (np.ones((2, 3)), np.ones((3, 4))), ShapeError),
    BadCall("linear_weight_backward", "lead", lambda r: (np.ones((4, 3)), np.ones((2, 2, 4))), ShapeError),
]
