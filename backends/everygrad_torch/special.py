"""Special functions on torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import contract
from everygrad_ops.bessel import BesselOps
from everygrad_ops.errors import misfit
from everygrad_ops.gamma import GammaOps, check_order
from everygrad_ops.special import SpecialOps
from everygrad_torch.arrays import LOW, Array

special: Any = torch.special  # it has no types


class TorchSpecial(SpecialOps[Array], GammaOps[Array], BesselOps[Array]):
    """ATen's own, on the device; what ATen lacks goes through the host."""

    @override
    def erf(self, x: Array) -> Array:
        return torch.erf(x)

    @override
    def erfc(self, x: Array) -> Array:
        return torch.erfc(x)

    @override
    def erfcx(self, x: Array) -> Array:
        return _wide(special.erfcx, x)

    @override
    def erfinv(self, x: Array) -> Array:
        return torch.erfinv(x)

    @override
    def ndtri(self, x: Array) -> Array:
        return _wide(special.ndtri, x)

    @override
    def log_ndtr(self, x: Array) -> Array:
        return _wide(special.log_ndtr, x)

    @override
    def entr(self, x: Array) -> Array:
        return _wide(special.entr, x)

    @override
    def lgamma(self, x: Array) -> Array:
        return torch.lgamma(x)

    @override
    def digamma(self, x: Array) -> Array:
        return torch.digamma(x)

    @override
    def polygamma(self, x: Array, n: int) -> Array:
        check_order("polygamma", n)
        return torch.digamma(x) if n == 0 else _wide(_polygamma, x, n)

    @override
    def zeta(self, x: Array, q: Array) -> Array:
        try:
            return _wide(_zeta, x, q)
        except RuntimeError as error:
            raise misfit("zeta", error, x=x, q=q) from None

    @override
    def gammainc(self, a: Array, x: Array) -> Array:
        try:
            if a.dtype is torch.float64:  # ATen's has ten digits where a and x are large and near
                return _host(self, "gammainc", a, x)
            return _wide(special.gammainc, a, x)
        except RuntimeError as error:
            raise misfit("gammainc", error, a=a, x=x) from None

    @override
    def gammaincc(self, a: Array, x: Array) -> Array:
        try:
            if a.dtype is torch.float64:
                return _host(self, "gammaincc", a, x)
            return _wide(special.gammaincc, a, x)
        except RuntimeError as error:
            raise misfit("gammaincc", error, a=a, x=x) from None

    @override
    def bessel_i(self, x: Array, n: int) -> Array:
        if n == 0:
            return _wide(special.i0, x)
        return _wide(special.i1, x) if n == 1 else _host(self, "bessel_i", x, n)

    @override
    def bessel_ie(self, x: Array, n: int) -> Array:
        if n == 0:
            return _wide(special.i0e, x)
        return _wide(special.i1e, x) if n == 1 else _host(self, "bessel_ie", x, n)

    @override
    def bessel_j(self, x: Array, n: int) -> Array:
        if n > 1 or x.dtype is torch.float64:  # ATen's have nine digits
            return _host(self, "bessel_j", x, n)
        return _wide(special.bessel_j1 if n == 1 else special.bessel_j0, x)


def _polygamma(x: Array, n: int) -> Array:
    """ATen's own takes n! as exp(lgamma(n + 1)), and misses the pole of n = 1 at -1."""
    return _zeta(n + 1, x) * float((-1) ** (n + 1) * math.factorial(n))


def _host(b: Any, op: str, *args: Any) -> Array:
    """The contract's default."""
    found: Array = contract()[op].function(b, *args)
    return found


def _zeta(x: Any, q: Array) -> Array:
    """ATen's gives NaN at q = inf, where every term is 0."""
    found: Array = special.zeta(x, q)
    return torch.where((q == math.inf) & torch.as_tensor(x > 1), 0.0, found)


def _wide(function: Callable[..., Array], *xs: Any) -> Array:
    """The result of a kernel that knows float32 and float64 alone."""
    dtype = xs[0].dtype
    if dtype not in LOW:
        return function(*xs)
    return function(*(x.float() if isinstance(x, torch.Tensor) else x for x in xs)).to(dtype)
