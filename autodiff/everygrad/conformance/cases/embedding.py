"""Cases of embedding and its adjoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad_ops import ShapeError


def _embedding(weight: Array, indices: Array, padding_idx: int | None = None) -> Array:
    out = np.zeros((*indices.shape, weight.shape[1]))
    for at in np.ndindex(indices.shape):
        out[at] = weight[indices[at]]
    return out


def _backward(grad: Array, indices: Array, num_weights: int, padding_idx: int | None = None) -> Array:
    out = np.zeros((num_weights, grad.shape[-1]))
    for at in np.ndindex(indices.shape):
        if indices[at] != padding_idx:
            out[indices[at]] += grad[at]
    return out


def _known(weight: Array, indices: Array, padding_idx: int | None = None) -> list[Array]:
    return [_backward(np.ones((*indices.shape, weight.shape[1])), indices, weight.shape[0], padding_idx)]


def _cases(name: str, indices: Any, rows: int, width: int, padding_idx: int | None = None) -> list[Case]:
    at = np.asarray(indices, np.int64)

    def forward(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=(rows, width)), at, padding_idx

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=(*at.shape, width)), at, rows, padding_idx

    gradients = _known if padding_idx is not None else None
    return [
        Case("embedding", name, forward, _embedding, exact=True, gradients=gradients),
        Case("embedding_backward", name, backward, _backward, terms=at.size),
    ]


def _repeated(indices: Sequence[int]) -> Array:
    return np.asarray(indices, np.int64)


CASES = [
    *_cases("vector", [2, 0, 2], 3, 4),
    *_cases("matrix", [[1, 1, 3], [0, 4, 1]], 5, 2),
    *_cases("scalar", 1, 3, 2),
    *_cases("rank-3", [[[0, 1]], [[1, 1]]], 2, 3),
    *_cases("padding", [1, 1, 3, 0], 4, 2, 1),
    *_cases("padding-first", [[0, 2], [0, 0]], 3, 2, 0),
    *_cases("padding-only", [2, 2], 3, 2, 2),
    *_cases("no-indices", np.zeros((0, 2)), 3, 2),
    *_cases("no-indices-padding", np.zeros(0), 3, 2, 1),
    *_cases("no-width", [0, 1], 2, 0),
    Case(
        "embedding_backward",
        "adds-in-float32",
        lambda r: (np.ones((3000, 2)), np.zeros(3000, np.int64), 2, None),
        _backward,
        terms=3000,
    ),
]

BAD_CALLS = [
    BadCall(
        "embedding", "high", lambda r: (np.ones((3, 2)), _repeated([0, 7]), None), IndexError, ["7", "3"]
    ),
    BadCall(
        "embedding",
        "negative",
        lambda r: (np.ones((3, 2)), _repeated([0, -1]), None),
        IndexError,
        ["-1", "3"],
    ),
    BadCall("embedding", "no-rows", lambda r: (np.ones((0, 2)), _repeated([0]), None), IndexError, ["0"]),
    BadCall(
        "embedding_backward",
        "high",
        lambda r: (np.ones((2, 2)), _repeated([0, 7]), 3, None),
        IndexError,
        ["7", "3"],
    ),
    BadCall(
        "embedding_backward",
        "negative",
        lambda r: (np.ones((2, 2)), _repeated([-4, 1]), 3, None),
        IndexError,
        ["-4"],
    ),
    BadCall(
        "embedding_backward", "sizes", lambda r: (np.ones((2, 2)), _repeated([0, 1, 2]), 3, None), ShapeError
    ),
]
