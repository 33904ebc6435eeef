"""Remainders, signs, blends and the cardinal sine on torch."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops.arithmetic import ArithmeticOps
from everygrad_ops.errors import by_zero, misfit
from everygrad_torch.arrays import LOW, Array


class TorchArithmetic(ArithmeticOps[Array]):
    """Plain ATen calls."""

    @override
    def fmod(self, x: Array, y: Array) -> Array:
        try:
            return torch.fmod(x, y)
        except RuntimeError as error:
            if "ZeroDivisionError" in str(error):
                raise by_zero("fmod") from None
            raise misfit("fmod", error, x=x, y=y) from None

    @override
    def copysign(self, x: Array, y: Array) -> Array:
        try:
            return torch.copysign(x, y)
        except RuntimeError as error:
            raise misfit("copysign", error, x=x, y=y) from None

    @override
    def lerp(self, x: Array, y: Array, weight: Array | float) -> Array:
        try:
            return torch.lerp(x, y, weight)
        except RuntimeError as error:
            raise misfit("lerp", error, x=x, y=y, weight=weight) from None

    @override
    def nan_to_num(
        self, x: Array, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
    ) -> Array:
        return torch.nan_to_num(x, nan, posinf, neginf)

    @override
    def sinc(self, x: Array) -> Array:
        if x.dtype in LOW:
            return torch.sinc(x.float()).to(x.dtype)
        return torch.sinc(x)
