"""Products beyond matrices on torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.errors import mixed_dtypes
from everygrad_ops.product import ProductOps, check_cross, check_rows
from everygrad_torch.arrays import LOW, Array

_linalg: Any = torch.linalg
_cross: Callable[..., Array] = _linalg.cross


class TorchProduct(ProductOps[Array]):
    """ATen's cross product and distances."""

    @override
    def cross(self: Backend[Array], x: Array, y: Array, dim: int) -> Array:
        check_cross(x.shape, y.shape, dim)
        if x.dtype is not y.dtype:
            raise mixed_dtypes("cross", x=x.dtype, y=y.dtype)
        if x.dtype is torch.bool:
            return _default_cross(self, x, y, dim)  # which explains
        return _cross(x, y, dim=dim)

    @override
    def cdist(self: Backend[Array], x: Array, y: Array, p: float) -> Array:
        check_rows("cdist", x.shape, y.shape, p)
        if x.dtype is not y.dtype:
            raise mixed_dtypes("cdist", x=x.dtype, y=y.dtype)
        wide = (x.float(), y.float()) if x.dtype in LOW else (x, y)
        # never by a product of matrices, which cancels for near rows
        return torch.cdist(*wide, p=p, compute_mode="donot_use_mm_for_euclid_dist").to(x.dtype)


_default_cross: Callable[..., Array] = Backend[Array].cross
