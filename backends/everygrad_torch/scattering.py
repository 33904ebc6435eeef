"""Writes that meet, on torch."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops.checks import check_gather
from everygrad_ops.errors import mixed_dtypes
from everygrad_ops.scattering import ScatterOps
from everygrad_torch.arrays import LOW, Array
from everygrad_torch.indexing import check_int64, explain


class TorchScatter(ScatterOps[Array]):
    """ATen's scatter_reduce; low precision in float32, booleans as bytes."""

    @override
    def scatter_prod(self, x: Array, dim: int, index: Array, src: Array, include_self: bool = True) -> Array:
        return _reduce("scatter_prod", "prod", x, dim, index, src, include_self)

    @override
    def scatter_amax(self, x: Array, dim: int, index: Array, src: Array, include_self: bool = True) -> Array:
        return _reduce("scatter_amax", "amax", x, dim, index, src, include_self)

    @override
    def scatter_amin(self, x: Array, dim: int, index: Array, src: Array, include_self: bool = True) -> Array:
        return _reduce("scatter_amin", "amin", x, dim, index, src, include_self)


def _reduce(op: str, mode: str, x: Array, dim: int, index: Array, src: Array, include_self: bool) -> Array:
    check_gather(op, x, dim, index, src)
    check_int64(op, index)
    if x.dtype is not src.dtype:
        raise mixed_dtypes(op, x=x, src=src)
    kind = torch.float32 if x.dtype in LOW else torch.uint8 if x.dtype is torch.bool else x.dtype
    try:
        out = torch.scatter_reduce(x.to(kind), dim, index, src.to(kind), mode, include_self=include_self)
    except (RuntimeError, IndexError) as error:
        raise explain(op, error, x, dim, index) from None
    return out.to(x.dtype)
