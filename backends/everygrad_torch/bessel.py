"""Bessel functions on torch: orders 0 and 1 by its kernels, the others on the host."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops.bessel import BesselOps
from everygrad_torch.arrays import Array
from everygrad_torch.special import host, special, wide


class TorchBessel(BesselOps[Array]):
    """ATen's own where they are accurate."""

    @override
    def bessel_i(self, x: Array, n: int) -> Array:
        if n not in (0, 1):
            return host(self, "bessel_i", x, n)
        found = wide(special.i1 if n else special.i0, x)
        return torch.where(x.isinf(), x if n else x.abs(), found)  # ATen's are NaN there

    @override
    def bessel_ie(self, x: Array, n: int) -> Array:
        if n == 0:
            return wide(special.i0e, x)
        return wide(special.i1e, x) if n == 1 else host(self, "bessel_ie", x, n)

    @override
    def bessel_j(self, x: Array, n: int) -> Array:
        if n not in (0, 1) or x.dtype is torch.float64:  # ATen's have nine digits
            return host(self, "bessel_j", x, n)
        return wide(special.bessel_j1 if n == 1 else special.bessel_j0, x).masked_fill(x.isinf(), 0)
