"""NumPy's ways of reading and adding by index, short and long rows, in order and not, against plain loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from everygrad_numpy import NumpyBackend
from everygrad_numpy.indexing import SHORT

Array = NDArray[Any]
B = NumpyBackend()
RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("last", [1, SHORT - 1, SHORT, 200])
@pytest.mark.parametrize("kind", ["float32", "float16", "int64"])
def test_index_add(dim: int, last: int, kind: str) -> None:
    x: Array = RANDOM.integers(0, 5, (3, 6, last)).astype(kind)
    index: Array = RANDOM.integers(0, x.shape[dim], 40)
    src: Array = RANDOM.integers(0, 5, (*x.shape[:dim], 40, *x.shape[dim + 1 :])).astype(kind)
    due = np.moveaxis(x.copy(), dim, 0)
    for row, place in enumerate(index):
        due[place] += np.moveaxis(src, dim, 0)[row]  # small integers: exact in every dtype
    found = B.index_add(x, dim, index, src)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, np.moveaxis(due, 0, dim))


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("form", ["in order", "transposed", "stretched", "backwards"])
def test_gather(dim: int, form: str) -> None:
    x: Array = RANDOM.normal(size=(5, 4, 3))
    forms: dict[str, Array] = {
        "in order": x,
        "transposed": x.transpose(2, 1, 0),
        "stretched": np.broadcast_to(x[:, :1], (5, 7, 3)),
        "backwards": x[::-1, :, ::-1],
    }
    y = forms[form]
    size = tuple(9 if d == dim else n - 1 for d, n in enumerate(y.shape))
    index: Array = RANDOM.integers(0, y.shape[dim], size)
    found = B.gather(y, dim, index)
    for place in np.ndindex(*size):
        assert found[place] == y[tuple(int(index[place]) if d == dim else i for d, i in enumerate(place))]


@pytest.mark.parametrize("size", [5, 5000, 100_000])
def test_relu(size: int) -> None:
    x: Array = RANDOM.normal(size=size).astype(np.float32)
    x[:4] = np.nan, np.inf, -np.inf, 0
    np.testing.assert_array_equal(B.relu(x), np.where(x < 0, np.float32(0), x))
    np.testing.assert_array_equal(B.relu(x[::-1]), B.relu(x)[::-1])
