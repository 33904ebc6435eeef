"""Cases of products of matrices."""

from __future__ import annotations

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad_ops import DType, DTypeError, ShapeError


def _matmul(x: Array, y: Array) -> Array:
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x = np.broadcast_to(x, (*batch, *x.shape[-2:]))
    y = np.broadcast_to(y, (*batch, *y.shape[-2:]))
    out = np.zeros((*batch, x.shape[-2], y.shape[-1]))
    for at in np.ndindex(out.shape):
        *lead, i, j = at
        out[at] = sum(x[(*lead, i, k)] * y[(*lead, k, j)] for k in range(x.shape[-1]))
    return out


def _case(name: str, x: tuple[int, ...], y: tuple[int, ...]) -> Case:
    def sample(r: np.random.Generator) -> tuple[Array, Array]:
        return r.normal(size=x), r.normal(size=y)

    return Case("matmul", name, sample, _matmul, terms=x[-1])


def _known_gradients(x: Array, y: Array) -> list[Array]:
    return [np.array([[[10.0, 20.0]], [[10.0, 20.0]]]), np.array([[4.0], [6.0]])]


def _whole(r: np.random.Generator, *shape: int) -> Array:
    return np.asarray(r.integers(-3, 4, size=shape), dtype=np.float64)


CASES = [
    _case("plain", (3, 4), (4, 2)),
    _case("one-element", (1, 1), (1, 1)),
    _case("row-by-column", (1, 5), (5, 1)),
    _case("batched", (2, 3, 4), (2, 4, 5)),
    _case("one-matrix-right", (2, 3, 4), (4, 5)),
    _case("one-matrix-right-of-four", (2, 2, 3, 4), (4, 1)),
    _case("one-matrix-left", (3, 4), (2, 4, 5)),
    _case("batch-stretches", (5, 1, 2, 3), (4, 3, 2)),
    _case("batch-of-one", (1, 2, 3), (4, 3, 2)),
    _case("inner-size-0", (2, 0), (0, 3)),
    _case("inner-size-0-batched", (2, 3, 0), (0, 3)),
    _case("outer-size-0", (0, 3), (3, 2)),
    _case("batch-size-0", (0, 2, 3), (3, 2)),
    _case("batch-0-by-1", (0, 2, 3), (1, 3, 2)),
    Case(
        "matmul",
        "integers",
        lambda r: (_whole(r, 2, 3, 4), _whole(r, 4, 3)),
        _matmul,
        dtypes=(DType.int64, DType.int32, DType.int16, DType.int8),
        exact=True,
        order=0,
    ),
    # a float16 sum would stop at 2048
    Case(
        "matmul", "long-sum", lambda r: (np.ones((1, 4000)), np.ones((4000, 2))), _matmul, exact=True, order=0
    ),
    Case(
        "matmul",
        "inf-and-nan",
        lambda r: (np.array([[np.inf, 1.0], [np.nan, 0.0]]), np.array([[1.0, 0.0], [2.0, 3.0]])),
        _matmul,
        exact=True,
        order=0,
    ),
    # B103's pattern for products: each gradient has its operand's shape
    Case(
        "matmul",
        "known",
        lambda r: (np.array([[[1.0, 2.0]], [[3.0, 4.0]]]), np.array([[10.0], [20.0]])),
        _matmul,
        gradients=_known_gradients,
        exact=True,
    ),
]

BAD_CALLS = [
    BadCall(
        "matmul",
        "inner-sizes",
        lambda r: (np.ones((2, 3)), np.ones((4, 2))),
        ShapeError,
        ["(2, 3)", "(4, 2)"],
    ),
    BadCall("matmul", "batch", lambda r: (np.ones((2, 2, 3)), np.ones((3, 3, 2))), ShapeError),
    BadCall(
        "matmul",
        "inner-sizes-folded",
        lambda r: (np.ones((2, 2, 3)), np.ones((4, 2))),
        ShapeError,
        ["(2, 2, 3)"],
    ),
    BadCall("matmul", "vector", lambda r: (np.ones(3), np.ones((3, 2))), ShapeError),
    BadCall("matmul", "right-vector", lambda r: (np.ones((2, 3)), np.ones(3)), ShapeError),
    BadCall("matmul", "rank-0", lambda r: (np.ones(()), np.ones(())), ShapeError),
    BadCall("matmul", "dtypes", lambda r: (np.ones((2, 2)), np.ones((2, 2), np.float32)), DTypeError),
    BadCall("matmul", "booleans", lambda r: (np.ones((2, 2), bool), np.ones((2, 2), bool)), DTypeError),
]
