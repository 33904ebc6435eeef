"""Reading and writing by index on NumPy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, as_array
from everygrad_ops.checks import (
    check_count,
    check_gather,
    check_values,
    check_vector,
    common_shape,
    not_int64,
)
from everygrad_ops.errors import bad_index, mixed_dtypes
from everygrad_ops.indexing import IndexingOps

INT64 = np.dtype(np.int64)
MANY = 1 << 14
"""From this many added elements on, a sparse product is faster than adding one by one."""

SHORT = 16
"""Up to so many elements after a dim, rows of it are not worth a product."""


class NumpyIndexing(IndexingOps[Array]):
    """Advanced indexing; sums over repeated indices add into a flat float32 or float64 buffer."""

    @override
    def gather(self, x: Array, dim: int, index: Array) -> Array:
        check_gather("gather", x, dim, index)
        check_range("gather", index, x.shape[dim])
        if x.flags.c_contiguous:
            return x.reshape(-1).take(flat_positions(x.shape, dim, index)).reshape(index.shape)
        grid = list(np.ogrid[tuple(slice(0, s) for s in index.shape)])
        grid[dim] = index
        return x[tuple(grid)]

    @override
    def scatter_add(self, x: Array, dim: int, index: Array, src: Array) -> Array:
        check_gather("scatter_add", x, dim, index, src)
        check_range("scatter_add", index, x.shape[dim])
        check_dtypes("scatter_add", x, src)
        result = x.astype(np.float32 if x.dtype in LOW else x.dtype, order="C")
        written = src[tuple(slice(0, s) for s in index.shape)]
        _add_at(result, flat_positions(x.shape, dim, index), written.reshape(-1))
        return result.astype(x.dtype, copy=False)

    @override
    def scatter(self, x: Array, dim: int, index: Array, src: Array) -> Array:
        check_gather("scatter", x, dim, index, src)
        check_range("scatter", index, x.shape[dim])
        check_dtypes("scatter", x, src)
        result = x.copy(order="C")
        written = src[tuple(slice(0, s) for s in index.shape)]
        result.reshape(-1)[flat_positions(x.shape, dim, index)] = written.reshape(-1)
        return result

    @override
    def index_select(self, x: Array, dim: int, index: Array) -> Array:
        check_vector("index_select", x, dim, index)
        check_range("index_select", index, x.shape[dim])
        return np.take(x, index, dim)

    @override
    def index_add(self, x: Array, dim: int, index: Array, src: Array) -> Array:
        check_vector("index_add", x, dim, index, src)
        check_range("index_add", index, x.shape[dim])
        check_dtypes("index_add", x, src)
        trail = math.prod(x.shape[dim + 1 :])
        if dim and trail < SHORT:  # bringing dim to the front would cost more than adding one by one
            flat = x.astype(np.float32 if x.dtype in LOW else x.dtype, order="C")
            lead: Array = np.arange(0, x.size, x.shape[dim] * trail or 1).reshape(-1, 1, 1)
            _add_at(flat, (lead + index[:, None] * trail + np.arange(trail)).reshape(-1), src.reshape(-1))
            return flat.astype(x.dtype, copy=False)
        moved = np.moveaxis(x, dim, 0)
        result = moved.astype(np.float32 if x.dtype in LOW else x.dtype, order="C")
        if src.size:
            rows = np.moveaxis(src, dim, 0).reshape(len(index), -1)
            _add_rows(result.reshape(len(result), -1), index, rows)
        return np.moveaxis(result.astype(x.dtype, copy=False), 0, dim)

    @override
    def nonzero(self, x: Array) -> Array:
        return np.argwhere(x)

    @override
    def index(self, x: Array, indices: Sequence[Array]) -> Array:
        _check_indices("index", x, indices)
        try:
            return as_array(x[tuple(indices)])
        except IndexError:
            common_shape("index", *(i.shape for i in indices))
            raise

    @override
    def index_put(self, x: Array, indices: Sequence[Array], values: Array, accumulate: bool = False) -> Array:
        _check_indices("index_put", x, indices)
        check_dtypes("index_put", x, values)
        common = common_shape("index_put", *(i.shape for i in indices))
        rest = x.shape[len(indices) :]
        check_values("index_put", values.shape, (*common, *rest))
        low = accumulate and x.dtype in LOW
        result = x.astype(np.float32 if low else x.dtype, order="C")
        if values.size:
            # one vector of rows, so that writes come in row-major order and the last one stays
            row = np.ravel_multi_index(tuple(indices), x.shape[: len(indices)]).reshape(-1)
            rows = result.reshape(-1, *rest)
            if accumulate:
                _add_rows(rows.reshape(len(rows), -1), row, values.reshape(len(row), -1))
            else:
                rows[row] = values.reshape(len(row), *rest)
        return result.astype(x.dtype, copy=False)


def check_range(op: str, index: Array, size: int) -> None:
    """Refuse an index that is not int64 with 0 <= i < size."""
    if index.dtype != INT64:
        raise not_int64(op, index.dtype)
    if index.size:
        low, high = int(np.minimum.reduce(index, None)), int(np.maximum.reduce(index, None))
        if low < 0 or high >= size:
            raise bad_index(op, low, high, size)


def _check_indices(op: str, x: Array, indices: Sequence[Array]) -> None:
    check_count(op, indices, x.ndim)
    for index, size in zip(indices, x.shape):
        check_range(op, index, size)


def check_dtypes(op: str, x: Array, src: Array) -> None:
    """Refuse two dtypes."""
    if x.dtype != src.dtype:
        raise mixed_dtypes(op, x=x, src=src)


def flat_positions(shape: tuple[int, ...], dim: int, index: Array) -> Array:
    """Where in a C-ordered buffer of `shape` each element of `index` points, as a vector."""
    flat: Array = np.zeros((), np.int64)
    stride = 1
    for d in reversed(range(len(shape))):
        counted: Array = np.arange(index.shape[d], dtype=np.int64)
        at = index if d == dim else counted.reshape(-1, *(1,) * (len(shape) - 1 - d))
        flat = flat + at * stride
        stride *= shape[d]
    return flat.reshape(-1)


@np.errstate(all="ignore")
def _add_at(result: Array, positions: Array, values: Array) -> None:
    """Add values into a C-ordered buffer; NumPy is fast at this for vectors only."""
    np.add.at(result.reshape(-1), positions, values.astype(result.dtype, copy=False))


@np.errstate(all="ignore")
def _add_rows(result: Array, index: Array, rows: Array) -> None:
    """Add rows (n, d) to those of `result` that a vector names: a product with a matrix of zeros and ones."""
    rows = rows.astype(result.dtype, copy=False)
    if rows.size < MANY or rows.shape[1] == 1 or result.dtype.kind not in "fi":
        width = rows.shape[1]
        _add_at(result, (index[:, None] * width + np.arange(width)).reshape(-1), rows.reshape(-1))
        return
    from scipy.sparse import csc_array

    count = len(index)
    choice = csc_array(
        (np.ones(count, result.dtype), index, np.arange(count + 1)), shape=(len(result), count)
    )
    result += choice @ rows
