"""Each way in which NumPy's pools go through an array gives what plain loops give."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from everygrad_numpy import NumpyBackend, pool_columns
from everygrad_ops import pool_options

Array = NDArray[Any]
B = NumpyBackend()
OPTIONS = [(2, 2, 0, 1), (3, 2, 1, 1), (3, 1, 1, 2), ((2, 3), (3, 1), (1, 0), (1, 2)), (4, 4, 0, 1)]


def first_largest(x: Array, options: Any, size: tuple[int, ...]) -> tuple[Array, Array]:
    """(values, indices) by loops: the first NaN, else the first of the largest."""
    w = options.window
    values: Array = np.empty((*x.shape[:2], *size), x.dtype)
    indices: Array = np.empty(values.shape, np.int64)
    for n, c, i, j in np.ndindex(*values.shape):
        best = None
        for a, b in itertools.product(range(w.kernel_size[0]), range(w.kernel_size[1])):
            row = i * w.stride[0] - w.padding[0][0] + a * w.dilation[0]
            column = j * w.stride[1] - w.padding[1][0] + b * w.dilation[1]
            if not (0 <= row < x.shape[2] and 0 <= column < x.shape[3]):
                continue
            value = float(x[n, c, row, column])
            if best is None or (not math.isnan(best[0]) and (value > best[0] or math.isnan(value))):
                best = value, row * x.shape[3] + column
        assert best is not None
        values[n, c, i, j], indices[n, c, i, j] = best
    return values, indices


@pytest.mark.parametrize(
    ("small", "wide"), [(0, 10**6), (10**6, 10**6), (0, 1)], ids=["taps", "table", "tiles"]
)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "int32", "uint8"])
def test_max_pool(monkeypatch: pytest.MonkeyPatch, small: int, wide: int, options: Any, kind: str) -> None:
    monkeypatch.setattr(pool_columns, "SMALL", small)
    monkeypatch.setattr(pool_columns, "WIDE", wide)
    x: Array = np.random.default_rng(0).integers(0, 4, (2, 3, 8, 12)).astype(kind)  # many ties
    if np.dtype(kind).kind == "f":
        x[0, 0, 2, 3] = x[0, 0, 2, 4] = np.nan
        x[1] = -np.inf
        x[1, 0, 4] = np.inf
    parsed = pool_options(*options, rank=2)
    size = parsed.output_size("max_pool", x.shape)
    values, indices = B.max_pool_with_indices(x, parsed)
    due = first_largest(x, parsed, size)
    assert values.dtype == x.dtype and indices.dtype == np.int64
    np.testing.assert_array_equal(values, due[0])
    np.testing.assert_array_equal(indices, due[1])


@pytest.mark.parametrize("size", [(1, 1), (4, 4), (2, 12), (8, 3), (3, 5)], ids=str)
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_adaptive_avg_pool(size: tuple[int, int], kind: str) -> None:
    x: Array = np.random.default_rng(0).normal(size=(2, 3, 8, 12)).astype(kind)
    x[1, 2, 7, 11] = np.inf
    found = B.adaptive_avg_pool(x, size)
    due: Array = np.empty(found.shape)
    for i, j in np.ndindex(*size):
        rows = slice(i * 8 // size[0], -(-(i + 1) * 8 // size[0]))
        columns = slice(j * 12 // size[1], -(-(j + 1) * 12 // size[1]))
        due[:, :, i, j] = x[:, :, rows, columns].astype(np.float64).mean((2, 3))
    assert found.dtype == kind
    np.testing.assert_allclose(found, due, rtol=0, atol=4e-7)
    assert np.isinf(found).sum() == 1
