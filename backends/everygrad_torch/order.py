"""Order on torch."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.checks import check_dim
from everygrad_ops.errors import no_extremum
from everygrad_ops.order import OrderOps, check_kth, check_sequence, lowest_place
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

    @override
    def topk(self: Backend[Array], x: Array, k: int, dim: int, largest: bool = True) -> tuple[Array, Array]:
        size = x.shape[dim] if 0 <= dim < x.ndim else 0
        if not (0 < 8 * k <= size) or x.dtype is torch.bool:
            return Backend[Array].topk(self, x, k, dim, largest)
        values, indices = torch.topk(x, k + 1, dim, largest)
        if (values.narrow(dim, 1, k) == values.narrow(dim, 0, k)).any() or (values != values).any():  # noqa: PLR0124  # NaN
            return Backend[Array].topk(self, x, k, dim, largest)  # ties: torch takes any of them
        return values.narrow(dim, 0, k), indices.narrow(dim, 0, k)

    @override
    def kthvalue(
        self: Backend[Array], x: Array, k: int, dim: int, keepdim: bool = False
    ) -> tuple[Array, Array]:
        check_dim("kthvalue", dim, x.ndim)
        check_kth(k, tuple(x.shape), dim)
        if not x.numel():
            return Backend[Array].kthvalue(self, x, k, dim, keepdim)
        value = torch.kthvalue(_countable(x), k, dim, True)[0].to(x.dtype)
        return lowest_place(self, x, value, dim, keepdim)

    @override
    def searchsorted(self: Backend[Array], sequence: Array, values: Array, right: bool = False) -> Array:
        if sequence.dtype.is_floating_point and (torch.isnan(sequence).any() or torch.isnan(values).any()):
            return Backend[Array].searchsorted(self, sequence, values, right)
        check_sequence(tuple(sequence.shape), tuple(values.shape))
        return torch.searchsorted(
            _countable(sequence).contiguous(), _countable(values).contiguous(), right=right
        )


def _countable(x: Array) -> Array:
    return x.to(torch.uint8) if x.dtype is torch.bool else x
