"""The gamma function and its kin on torch."""

from __future__ import annotations

import math
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops.errors import misfit
from everygrad_ops.gamma import GammaOps, check_order
from everygrad_torch.arrays import Array
from everygrad_torch.special import host, special, wide


class TorchGamma(GammaOps[Array]):
    """ATen's own where they are right; the others go through the host."""

    @override
    def lgamma(self, x: Array) -> Array:
        return torch.lgamma(x)

    @override
    def digamma(self, x: Array) -> Array:
        return torch.digamma(x)

    @override
    def polygamma(self, x: Array, n: int) -> Array:
        check_order("polygamma", n)
        return torch.digamma(x) if n == 0 else wide(_polygamma, x, n)

    @override
    def zeta(self, x: Array, q: Array) -> Array:
        try:
            return wide(_zeta, x, q)
        except RuntimeError as error:
            raise misfit("zeta", error, x=x, q=q) from None

    @override
    def gammainc(self, a: Array, x: Array) -> Array:
        try:
            if a.dtype is torch.float64:  # ATen's has ten digits where a and x are large and near
                return host(self, "gammainc", a, x)
            return wide(special.gammainc, a, x)
        except RuntimeError as error:
            raise misfit("gammainc", error, a=a, x=x) from None

    @override
    def gammaincc(self, a: Array, x: Array) -> Array:
        try:
            if a.dtype is torch.float64:
                return host(self, "gammaincc", a, x)
            return wide(special.gammaincc, a, x)
        except RuntimeError as error:
            raise misfit("gammaincc", error, a=a, x=x) from None


def _polygamma(x: Array, n: int) -> Array:
    """ATen's own takes n! as exp(lgamma(n + 1)), and misses the pole of n = 1 at -1."""
    return _zeta(n + 1, x) * float((-1) ** (n + 1) * math.factorial(n))


def _zeta(x: Any, q: Array) -> Array:
    """ATen's gives NaN at q = inf, where every term is 0."""
    found: Array = special.zeta(x, q)
    return torch.where((q == math.inf) & torch.as_tensor(x > 1), 0.0, found)
