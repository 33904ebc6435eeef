"""Cases of embedding and its adjoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad_ops import ShapeError


def _embedding(weight: Array, indices: Array, padding_idx: int | None = None, scaled: bool = False) -> Array:
    out = np.zeros((*indices.shape, weight.shape[1]))
    for at in np.ndindex(indices.shape):
        out[at] = weight[indices[at]]
    return out


def _backward(
    grad: Array, indices: Array, num_weights: int, padding_idx: int | None = None, scaled: bool = False
) -> Array:
    out = np.zeros((num_weights, grad.shape[-1]))
    for at in np.ndindex(indices.shape):
        if indices[at] != padding_idx:
            often = sum(1 for i in indices.reshape(-1) if i == indices[at]) if scaled else 1
            out[indices[at]] += grad[at] / often
    return out


def _known(
    weight: Array, indices: Array, padding_idx: int | None = None, scaled: bool = False
) -> list[Array]:
    ones = np.ones((*indices.shape, weight.shape[1]))
    return [_backward(ones, indices, weight.shape[0], padding_idx, scaled)]


def _bags(
    weight: Array,
    indices: Array,
    offsets: Array,
    mode: str = "mean",
    per_sample_weights: Array | None = None,
    padding_idx: int | None = None,
    scaled: bool = False,
) -> Array:
    out = np.zeros((len(offsets), weight.shape[1]))
    ends = [*offsets[1:], len(indices)]
    for bag, (start, end) in enumerate(zip(offsets, ends)):
        chosen = [k for k in range(start, end) if indices[k] != padding_idx]
        for column in range(weight.shape[1]):
            values = [
                weight[indices[k], column] * (1 if per_sample_weights is None else per_sample_weights[k])
                for k in chosen
            ]
            if values and mode == "max":
                out[bag, column] = float(np.max(values))  # NaN wins
            elif values:
                out[bag, column] = sum(values) / (len(values) if mode == "mean" else 1)
    return out


def _cases(
    name: str, indices: Any, rows: int, width: int, padding_idx: int | None = None, scaled: bool = False
) -> list[Case]:
    at = np.asarray(indices, np.int64)

    def forward(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=(rows, width)), at, padding_idx, scaled

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=(*at.shape, width)), at, rows, padding_idx, scaled

    gradients = _known if padding_idx is not None or scaled else None
    return [
        Case("embedding", name, forward, _embedding, exact=True, gradients=gradients),
        Case("embedding_backward", name, backward, _backward, terms=at.size),
    ]


def _repeated(indices: Sequence[int]) -> Array:
    return np.asarray(indices, np.int64)


def _bag_case(
    name: str, indices: Sequence[int], offsets: Sequence[int], padding_idx: int | None, mode: str
) -> Case:
    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        table = np.asarray(r.permutation(12) / 2 - 3, dtype=np.float64).reshape(4, 3)
        return table, _repeated(indices), _repeated(offsets), mode, None, padding_idx

    return Case("embedding_bag", f"{mode}-{name}", sample, _bags, wrt=["weight"])


BAGS: list[tuple[str, list[int], list[int], int | None]] = [
    ("three", [2, 0, 2, 3, 1], [0, 2, 3], None),
    ("of-nothing", [2, 0], [0, 0, 2, 2], None),
    ("padding", [1, 0, 1, 1, 3], [0, 2, 4], 1),
    ("no-bags", [], [], None),
]


def _weighted(r: np.random.Generator) -> tuple[Any, ...]:
    at, starts = _repeated([2, 0, 2, 1, 1]), _repeated([0, 2])
    return r.normal(size=(3, 2)), at, starts, "sum", r.normal(size=5), 0


CASES = [
    *(_bag_case(*row, mode) for row in BAGS for mode in ("sum", "mean", "max")),
    Case("embedding_bag", "weighted", _weighted, _bags),
    # B049: the row that is read twice gets half of each
    Case(
        "embedding_bag",
        "frequency",
        lambda r: (np.ones((4, 1)), _repeated([1, 1, 3]), _repeated([0]), "sum", None, None, True),
        _bags,
        wrt=["weight"],
        gradients=lambda *args: [np.array([[0.0], [1.0], [0.0], [1.0]])],
    ),
    Case(
        "embedding_bag",
        "ties",
        lambda r: (np.array([[1.0], [1.0], [0.0]]), _repeated([0, 1, 2]), _repeated([0]), "max"),
        _bags,
        wrt=["weight"],
        gradients=lambda *args: [np.array([[0.5], [0.5], [0.0]])],
    ),
    *_cases("frequency", [1, 1, 3], 4, 1, None, True),
    *_cases("frequency-padding", [[1, 0, 1], [3, 1, 3]], 4, 2, 0, True),
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

_BAGS: list[tuple[str, type[Exception], tuple[Any, ...], list[str]]] = [
    ("high", IndexError, ([0, 7], [0]), ["7", "3"]),
    ("negative", IndexError, ([0, -1], [0]), ["-1", "3"]),
    ("first-offset", ShapeError, ([0, 1], [1]), []),
    ("falling-offsets", ShapeError, ([0, 1, 2], [0, 2, 1]), []),
    ("offset-too-large", ShapeError, ([0, 1], [0, 3]), []),
    ("no-bag", ShapeError, ([0, 1], []), []),
    ("matrix", ShapeError, ([[0, 1]], [0]), []),
    ("mode", ValueError, ([0, 1], [0], "prod"), ["prod"]),
    ("weighted-mean", ShapeError, ([0, 1], [0], "mean", np.ones(2)), []),
]


def _bag_call(name: str, error: type[Exception], args: tuple[Any, ...], words: list[str]) -> BadCall:
    indices, offsets, *rest = args
    return BadCall(
        "embedding_bag",
        name,
        lambda r: (np.ones((3, 2)), _repeated(indices), _repeated(offsets), *rest),
        error,
        words,
    )


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
    *(_bag_call(*row) for row in _BAGS),
]
