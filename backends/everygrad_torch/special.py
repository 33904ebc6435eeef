"""Special functions on torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import contract
from everygrad_ops.special import SpecialOps
from everygrad_torch.arrays import LOW, Array

special: Any = torch.special  # it has no types


class TorchSpecial(SpecialOps[Array]):
    """ATen's own, on the device; what ATen lacks goes through the host."""

    @override
    def erf(self, x: Array) -> Array:
        return torch.erf(x)

    @override
    def erfc(self, x: Array) -> Array:
        return torch.erfc(x)

    @override
    def erfcx(self, x: Array) -> Array:
        return wide(special.erfcx, x)

    @override
    def erfinv(self, x: Array) -> Array:
        return torch.erfinv(x)

    @override
    def ndtri(self, x: Array) -> Array:
        return wide(special.ndtri, x)

    @override
    def log_ndtr(self, x: Array) -> Array:
        return wide(special.log_ndtr, x)

    @override
    def entr(self, x: Array) -> Array:
        return wide(special.entr, x)


def host(b: Any, op: str, *args: Any) -> Array:
    """The contract's default."""
    found: Array = contract()[op].function(b, *args)
    return found


def wide(function: Callable[..., Array], *xs: Any) -> Array:
    """The result of a kernel that knows float32 and float64 alone."""
    dtype = xs[0].dtype
    if dtype not in LOW:
        return function(*xs)
    return function(*(x.float() if isinstance(x, torch.Tensor) else x for x in xs)).to(dtype)
