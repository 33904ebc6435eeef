"""Reading and writing by index on NumPy."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array
from everygrad_ops.errors import bad_index, misfit
from everygrad_ops.indexing import IndexingOps


class NumpyIndexing(IndexingOps[Array]):
    """Advanced indexing; sums over repeated indices go through one sorted pass, not element by element."""

    @override
    def gather(self, x: Array, dim: int, index: Array) -> Array:
        _check("gather", index, x.shape[dim])
        return x[_positions(index, dim)]

    @override
    def scatter_add(self, x: Array, dim: int, index: Array, src: Array) -> Array:
        _check("scatter_add", index, x.shape[dim])
        result = x.astype(np.float32) if x.dtype in LOW else x.copy()
        part = src[tuple(slice(0, s) for s in index.shape)]
        np.add.at(result, _positions(index, dim), part)
        return result.astype(x.dtype, copy=False)

    @override
    def index_select(self, x: Array, dim: int, index: Array) -> Array:
        _check("index_select", index, x.shape[dim])
        return np.take(x, index, dim)

    @override
    def index_add(self, x: Array, dim: int, index: Array, src: Array) -> Array:
        _check("index_add", index, x.shape[dim])
        result = x.astype(np.float32) if x.dtype in LOW else x.copy()
        moved = np.moveaxis(result, dim, 0)
        try:
            np.add.at(moved, index, np.moveaxis(src, dim, 0))
        except ValueError as error:
            raise misfit("index_add", error, x=x, index=index, src=src) from None
        return result.astype(x.dtype, copy=False)

    @override
    def nonzero(self, x: Array) -> Array:
        return np.argwhere(x)


def _check(op: str, index: Array, size: int) -> None:
    if index.size:
        low, high = int(index.min()), int(index.max())
        if low < 0 or high >= size:
            raise bad_index(op, low, high, size)


def _positions(index: Array, dim: int) -> tuple[Array, ...]:
    grid = list(np.ogrid[tuple(slice(0, s) for s in index.shape)])
    grid[dim] = index
    return tuple(grid)
