"""Products beyond matrices on torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.errors import mixed_dtypes
from everygrad_ops.product import ProductOps, check_cross, check_rows
from everygrad_torch.arrays import LOW, Array, kernel

_linalg: Any = torch.linalg
_aten: Any = torch.ops.aten
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
        if _FAR < p < math.inf:  # the kernel's powers leave the range of the dtype
            return _default_cdist(self, x, y, p)
        if p in (0, math.inf) and not (torch.isfinite(x).all() and torch.isfinite(y).all()):
            # of NaN the kernel makes NaN for p = 0, where it is one more difference, and nothing for inf
            return _default_cdist(self, x, y, p)
        wide = (x.float(), y.float()) if x.dtype in LOW else (x, y)
        # never by a product of matrices, which cancels for near rows
        return torch.cdist(*wide, p=p, compute_mode="donot_use_mm_for_euclid_dist").to(x.dtype)

    @override
    def cdist_backward(
        self: Backend[Array], grad: Array, x: Array, y: Array, p: float, distance: Array | None = None
    ) -> Array:
        plain = x.dim() == y.dim() == 2 and 0 not in (*x.shape, *y.shape)
        if not plain or p > _FAR or x.dtype in LOW:  # for inf the kernel gives every tie the whole
            return _default_cdist_backward(self, grad, x, y, p, distance)
        check_rows("cdist_backward", x.shape, y.shape, p)
        size = self.cdist(x, y, p) if distance is None else distance
        return _cdist_backward(grad.contiguous(), x.contiguous(), y.contiguous(), p, size.contiguous())


_FAR = 8
"""Up to this p the powers of usual distances are in range."""

_cdist_backward: Callable[..., Array] = kernel(_aten._cdist_backward.default)
_default_cdist: Callable[..., Array] = Backend[Array].cdist
_default_cdist_backward: Callable[..., Array] = Backend[Array].cdist_backward
_default_cross: Callable[..., Array] = Backend[Array].cross
