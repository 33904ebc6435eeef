"""Reading and writing by index on torch."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops.errors import bad_index, misfit
from everygrad_ops.indexing import IndexingOps
from everygrad_torch.arrays import LOW, Array


class TorchIndexing(IndexingOps[Array]):
    """ATen's own indexing; it raises for a bad index on the CPU, and the error names it."""

    @override
    def gather(self, x: Array, dim: int, index: Array) -> Array:
        try:
            return torch.gather(x, dim, index)
        except (RuntimeError, IndexError) as error:
            raise _explain("gather", error, x, dim, index) from None

    @override
    def scatter_add(self, x: Array, dim: int, index: Array, src: Array) -> Array:
        wide = x.to(torch.float32) if x.dtype in LOW else x
        try:
            return torch.scatter_add(wide, dim, index, src.to(wide.dtype)).to(x.dtype)
        except (RuntimeError, IndexError) as error:
            raise _explain("scatter_add", error, x, dim, index) from None

    @override
    def index_select(self, x: Array, dim: int, index: Array) -> Array:
        try:
            return torch.index_select(x, dim, index)
        except (RuntimeError, IndexError) as error:
            raise _explain("index_select", error, x, dim, index) from None

    @override
    def index_add(self, x: Array, dim: int, index: Array, src: Array) -> Array:
        wide = x.to(torch.float32) if x.dtype in LOW else x
        try:
            return torch.index_add(wide, dim, index, src.to(wide.dtype)).to(x.dtype)
        except (RuntimeError, IndexError) as error:
            raise _explain("index_add", error, x, dim, index) from None

    @override
    def nonzero(self, x: Array) -> Array:
        return torch.nonzero(x)


def _explain(op: str, error: Exception, x: Array, dim: int, index: Array) -> Exception:
    size = x.shape[dim]
    if index.numel():
        low, high = int(index.min()), int(index.max())
        if low < 0 or high >= size:
            return bad_index(op, low, high, size)
    return misfit(op, error, x=x, index=index)
