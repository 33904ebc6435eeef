"""Inverse trigonometric and hyperbolic functions on torch."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops.errors import misfit
from everygrad_ops.trigonometric import TrigonometricOps
from everygrad_torch.arrays import Array


class TorchTrigonometric(TrigonometricOps[Array]):
    """Plain ATen calls."""

    @override
    def asin(self, x: Array) -> Array:
        return torch.asin(x)

    @override
    def acos(self, x: Array) -> Array:
        return torch.acos(x)

    @override
    def atan(self, x: Array) -> Array:
        return torch.atan(x)

    @override
    def sinh(self, x: Array) -> Array:
        return torch.sinh(x)

    @override
    def cosh(self, x: Array) -> Array:
        return torch.cosh(x)

    @override
    def asinh(self, x: Array) -> Array:
        return torch.asinh(x)

    @override
    def acosh(self, x: Array) -> Array:
        return torch.acosh(x)

    @override
    def atanh(self, x: Array) -> Array:
        return torch.atanh(x)

    @override
    def atan2(self, y: Array, x: Array) -> Array:
        try:
            return torch.atan2(y, x)
        except RuntimeError as error:
            raise misfit("atan2", error, y=y, x=x) from None

    @override
    def hypot(self, x: Array, y: Array) -> Array:
        try:
            return torch.hypot(x, y)
        except RuntimeError as error:
            raise misfit("hypot", error, x=x, y=y) from None
