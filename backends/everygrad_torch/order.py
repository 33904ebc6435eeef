"""Order on torch."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops.checks import check_dim
from everygrad_ops.errors import no_extremum
from everygrad_ops.order import OrderOps
from everygrad_torch.arrays import Array


class TorchOrder(OrderOps[Array]):
    """Positions of extrema, and stable sorting. torch has no argmax of booleans."""

    @override
    def argmax(self, x: Array, dim: int, keepdim: bool = False) -> Array:
        check_dim("argmax", dim, x.ndim)
        try:
            return torch.argmax(_countable(x), dim, keepdim)
        except (RuntimeError, IndexError):
            raise no_extremum("argmax", x.shape, (dim,)) from None

    @override
    def argmin(self, x: Array, dim: int, keepdim: bool = False) -> Array:
        check_dim("argmin", dim, x.ndim)
        try:
            return torch.argmin(_countable(x), dim, keepdim)
        except (RuntimeError, IndexError):
            raise no_extremum("argmin", x.shape, (dim,)) from None

    @override
    def sort(self, x: Array, dim: int, descending: bool = False) -> tuple[Array, Array]:
        check_dim("sort", dim, x.ndim)
        values, indices = torch.sort(x, dim=dim, descending=descending, stable=True)
        return values, indices


def _countable(x: Array) -> Array:
    return x.to(torch.uint8) if x.dtype is torch.bool else x
