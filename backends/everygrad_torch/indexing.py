"""Reading and writing by index on torch."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from typing_extensions import override

from everygrad_ops.checks import (
    check_count,
    check_gather,
    check_values,
    check_vector,
    common_shape,
    not_int64,
)
from everygrad_ops.errors import bad_index, misfit, mixed_dtypes
from everygrad_ops.indexing import IndexingOps
from everygrad_torch.arrays import LOW, Array


class TorchIndexing(IndexingOps[Array]):
    """ATen's own indexing; it raises for a bad index on the CPU, and the error names it."""

    @override
    def gather(self, x: Array, dim: int, index: Array) -> Array:
        check_gather("gather", x, dim, index)
        check_int64("gather", index)
        try:
            return torch.gather(x, dim, index)
        except (RuntimeError, IndexError) as error:
            raise explain("gather", error, x, dim, index) from None

    @override
    def scatter_add(self, x: Array, dim: int, index: Array, src: Array) -> Array:
        check_gather("scatter_add", x, dim, index, src)
        check_int64("scatter_add", index)
        if x.dtype is not src.dtype:
            raise mixed_dtypes("scatter_add", x=x, src=src)
        wide = x.to(torch.float32) if x.dtype in LOW else x
        try:
            return torch.scatter_add(wide, dim, index, src.to(wide.dtype)).to(x.dtype)
        except (RuntimeError, IndexError) as error:
            raise explain("scatter_add", error, x, dim, index) from None

    @override
    def scatter(self, x: Array, dim: int, index: Array, src: Array) -> Array:
        if index.device.type != "cpu":  # only the kernel of the CPU writes in order
            return super().scatter(x, dim, index, src)  # type: ignore[misc]  # the contract's default
        check_gather("scatter", x, dim, index, src)
        check_int64("scatter", index)
        if x.dtype is not src.dtype:
            raise mixed_dtypes("scatter", x=x, src=src)
        try:
            return torch.scatter(x, dim, index, src)
        except (RuntimeError, IndexError) as error:
            raise explain("scatter", error, x, dim, index) from None

    @override
    def index_select(self, x: Array, dim: int, index: Array) -> Array:
        check_vector("index_select", x, dim, index)
        check_int64("index_select", index)
        try:
            return torch.index_select(x, dim, index)
        except (RuntimeError, IndexError) as error:
            raise explain("index_select", error, x, dim, index) from None

    @override
    def index_add(self, x: Array, dim: int, index: Array, src: Array) -> Array:
        check_vector("index_add", x, dim, index, src)
        check_int64("index_add", index)
        if x.dtype is not src.dtype:
            raise mixed_dtypes("index_add", x=x, src=src)
        wide = x.to(torch.float32) if x.dtype in LOW else x
        try:
            return torch.index_add(wide, dim, index, src.to(wide.dtype)).to(x.dtype)
        except (RuntimeError, IndexError) as error:
            raise explain("index_add", error, x, dim, index) from None

    @override
    def nonzero(self, x: Array) -> Array:
        return torch.nonzero(x)

    @override
    def index(self, x: Array, indices: Sequence[Array]) -> Array:
        _check_indices("index", x, indices)
        try:
            return x[tuple(indices)]
        except (RuntimeError, IndexError):
            common_shape("index", *(i.shape for i in indices))
            raise

    @override
    def index_put(self, x: Array, indices: Sequence[Array], values: Array, accumulate: bool = False) -> Array:
        _check_indices("index_put", x, indices)
        if x.dtype is not values.dtype:
            raise mixed_dtypes("index_put", x=x, values=values)
        sizes, rest = x.shape[: len(indices)], x.shape[len(indices) :]
        check_values(
            "index_put", values.shape, (*common_shape("index_put", *(i.shape for i in indices)), *rest)
        )
        row = _rows(indices, sizes).reshape(-1)
        rows = x.reshape(sizes.numel(), *rest)
        src = values.reshape(row.shape[0], *rest)
        if accumulate:
            return self.index_add(rows, 0, row, src).reshape(x.shape)
        last = _last_writes(row)
        return rows.index_copy(0, row[last], src[last]).reshape(x.shape)


def explain(op: str, error: Exception, x: Array, dim: int, index: Array) -> Exception:
    """What torch meant: an index out of range, or sizes that do not fit."""
    size = x.shape[dim]
    if index.numel():
        low, high = int(index.min()), int(index.max())
        if low < 0 or high >= size:
            return bad_index(op, low, high, size)
    return misfit(op, error, x=x, index=index)


def check_int64(op: str, index: Array) -> None:
    """Refuse an index of another dtype."""
    if index.dtype is not torch.int64:
        raise not_int64(op, index.dtype)


def _check_indices(op: str, x: Array, indices: Sequence[Array]) -> None:
    """Torch would take negative indices here."""
    check_count(op, indices, x.ndim)
    for index, size in zip(indices, x.shape):
        check_int64(op, index)
        if index.numel():
            low, high = torch.aminmax(index)
            if low < 0 or high >= size:
                raise bad_index(op, int(low), int(high), size)


def _rows(indices: Sequence[Array], sizes: Sequence[int]) -> Array:
    """The row that the indices name together, where the dims they index are made one."""
    row = indices[0]
    for index, size in zip(indices[1:], sizes[1:]):
        row = row * size + index
    return row


def _last_writes(row: Array) -> Array:
    """The positions whose row is not repeated further on: torch leaves open which write wins."""
    ordered, order = torch.sort(row, stable=True)
    if row.shape[0] < 2:
        return order
    changes = torch.ones_like(ordered, dtype=torch.bool)
    torch.ne(ordered[1:], ordered[:-1], out=changes[:-1])
    return order[changes]
