"""Cases of diagonals, and of windows along one dim."""

from __future__ import annotations

import numpy as np

from everygrad.conformance.case import Array, Case
from everygrad.conformance.cases.indexing import EVERY, NUMBERS, Of, bad, case, positions
from everygrad_ops import DTypeError, ShapeError
from everygrad_ops.errors import DimError

_ones = np.ones


def _on(shape: tuple[int, ...], offset: int) -> list[tuple[int, int]]:
    """The (row, column) pairs of a diagonal."""
    rows, columns = shape[-2:]
    return [(i, j) for i in range(rows) for j in range(columns) if j - i == offset]


def _diagonal(x: Array, offset: int = 0) -> Array:
    pairs = _on(x.shape, offset)
    out = np.zeros((*x.shape[:-2], len(pairs)))
    for p in positions(x.shape[:-2]):
        for k, (i, j) in enumerate(pairs):
            out[(*p, k)] = x[(*p, i, j)]
    return out


def _diagonal_scatter(x: Array, src: Array, offset: int = 0) -> Array:
    out = np.array(x)
    for p in positions(x.shape[:-2]):
        for k, (i, j) in enumerate(_on(x.shape, offset)):
            out[(*p, i, j)] = src[(*p, k)]
    return out


def _unfold_dim(x: Array, dim: int, size: int, step: int) -> Array:
    count = len(range(0, x.shape[dim] - size + 1, step))
    out = np.zeros((*x.shape[:dim], count, *x.shape[dim + 1 :], size))
    for p in positions(out.shape):
        out[p] = x[(*p[:dim], p[dim] * step + p[-1], *p[dim + 1 : -1])]
    return out


def _fold_dim(x: Array, dim: int, length: int, step: int) -> Array:
    out = np.zeros((*x.shape[:dim], length, *x.shape[dim + 1 : -1]))
    for p in positions(x.shape):
        out[(*p[:dim], p[dim] * step + p[-1], *p[dim + 1 : -1])] += x[p]
    return out


DIAGONALS = [
    ("square", (3, 3), 0),
    ("wide", (2, 4), 1),
    ("wide-to-the-edge", (2, 4), 3),
    ("tall", (4, 2), -2),
    ("batch", (2, 3, 2), -1),
    ("beyond", (2, 3), 5),
    ("size-0", (0, 3), 0),
]

WINDOWS = [
    ("apart", (7,), 0, 2, 3),
    ("meeting", (6, 2), 0, 3, 1),
    ("middle", (2, 5, 2), 1, 2, 2),
    ("last", (2, 6), 1, 4, 2),
    ("whole", (2, 3), 1, 3, 1),
    ("nothing", (3,), 0, 0, 1),
    ("rest-of-size-0", (0, 4), 1, 2, 1),
]

CASES = [
    *(case("diagonal", name, _diagonal, Of(*shape), k, dtypes=EVERY) for name, shape, k in DIAGONALS),
    *(
        case(
            "diagonal_scatter",
            name,
            _diagonal_scatter,
            Of(*shape),
            Of(*shape[:-2], len(_on(shape, k))),
            k,
            dtypes=EVERY,
        )
        for name, shape, k in DIAGONALS
    ),
    *(
        case("unfold_dim", name, _unfold_dim, Of(*shape), dim, size, step, dtypes=EVERY)
        for name, shape, dim, size, step in WINDOWS
    ),
    *(
        case(
            "fold_dim",
            name,
            _fold_dim,
            Of(*shape[:dim], len(range(0, shape[dim] - size + 1, step)), *shape[dim + 1 :], size),
            dim,
            shape[dim],
            step,
            dtypes=NUMBERS,
        )
        for name, shape, dim, size, step in WINDOWS
    ),
    # what the step leaves unread gets nothing
    Case("fold_dim", "trailing", lambda r: (r.normal(size=(2, 2)), 0, 5, 2), _fold_dim),
]

BAD_CALLS = [
    bad("diagonal", "rank", _ones(3), error=ShapeError),
    bad("diagonal_scatter", "rank", _ones(3), _ones(3), error=ShapeError),
    bad("diagonal_scatter", "src", _ones((2, 3)), _ones(1), error=ShapeError),
    bad("diagonal_scatter", "dtypes", _ones((2, 2)), _ones(2, np.float32), error=DTypeError),
    bad("unfold_dim", "size", _ones(3), 0, 4, 1, error=ShapeError, words=["4", "3"]),
    bad("unfold_dim", "step", _ones(3), 0, 2, 0, error=ShapeError),
    bad("unfold_dim", "dim", _ones(3), 1, 2, 1, error=DimError),
    bad("fold_dim", "count", _ones((2, 2)), 0, 5, 1, error=ShapeError),
    bad("fold_dim", "length", _ones((1, 4)), 0, 3, 1, error=ShapeError),
]
