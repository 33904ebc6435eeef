"""Cases of gated activations: dims, an empty one, an odd one, gates at both ends."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad_ops import ShapeError

INF = math.inf


def _sigmoid(x: float) -> float:
    return 0.0 if x <= -700 else 1 / (1 + math.exp(-x))


def _halves(x: Array, dim: int) -> tuple[Array, Array]:
    half = x.shape[dim] // 2
    moved = np.moveaxis(x, dim, 0)
    return moved[:half], moved[half:]


def _glu(x: Array, dim: int) -> Array:
    value, gate = _halves(x, dim)
    out = np.zeros(value.shape)
    for at in np.ndindex(value.shape):
        out[at] = float(value[at]) * _sigmoid(float(gate[at]))
    return np.moveaxis(out, 0, dim)


def _glu_backward(g: Array, x: Array, dim: int) -> Array:
    value, gate = _halves(x, dim)
    upstream = np.moveaxis(g, dim, 0)
    out = np.zeros((2 * value.shape[0], *value.shape[1:]))
    for at in np.ndindex(value.shape):
        s, up = _sigmoid(float(gate[at])), float(upstream[at])
        out[at] = up * s
        out[(at[0] + value.shape[0], *at[1:])] = up * float(value[at]) * s * (1 - s)
    return np.moveaxis(out, 0, dim)


def _cases(name: str, shape: tuple[int, ...], dim: int) -> list[Case]:
    half = tuple(n // 2 if d == dim else n for d, n in enumerate(shape))

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=half), r.normal(size=shape), dim

    return [
        Case("glu", name, lambda r: (r.normal(size=shape), dim), _glu, order=3),
        Case("glu_backward", name, backward, _glu_backward, terms=4, order=3),
    ]


CASES = [
    *_cases("last", (2, 4), 1),
    *_cases("first", (4, 3), 0),
    *_cases("middle", (2, 6, 2), 1),
    *_cases("vector", (2,), 0),
    *_cases("size-0", (0, 4), 1),
    *_cases("empty-dim", (3, 0), 1),
    Case("glu", "ends", lambda r: (np.array([2.0, 3.0, INF, -INF]), 0), lambda *_: np.array([2.0, 0.0]), order=0),
]  # fmt: skip

BAD_CALLS = [
    BadCall("glu", "odd", lambda r: (np.zeros((2, 3)), 1), ShapeError, ["even", "(2, 3)"]),
    BadCall("glu", "dim", lambda r: (np.zeros((2, 2)), 2), ShapeError, ["dim"]),
    BadCall("glu_backward", "odd", lambda r: (np.zeros((2, 1)), np.zeros((2, 3)), 1), ShapeError, ["even"]),
]
