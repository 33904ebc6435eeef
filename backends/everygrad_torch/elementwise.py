"""Arithmetic on torch."""

from __future__ import annotations

import math

import torch
from typing_extensions import override

from everygrad_ops import DTypeError
from everygrad_ops.elementwise import ElementwiseOps
from everygrad_ops.errors import misfit, unfit
from everygrad_torch.arrays import Array, hold, is_finite


class TorchElementwise(ElementwiseOps[Array]):
    """Plain ATen calls."""

    @override
    def add(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.add(x, y)
        except RuntimeError as error:
            raise misfit("add", error, x=x, y=y) from None

    @override
    def sub(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.sub(x, y)
        except RuntimeError as error:
            raise misfit("sub", error, x=x, y=y) from None

    @override
    def mul(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.mul(x, y)
        except RuntimeError as error:
            raise misfit("mul", error, x=x, y=y) from None

    @override
    def div(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.true_divide(x, y)
        except RuntimeError as error:
            raise misfit("div", error, x=x, y=y) from None

    @override
    def pow(self, x: Array, y: Array | float) -> Array:
        if not x.dtype.is_floating_point:
            _no_negative_power(x, y)
        try:
            return torch.pow(x, hold("pow", x, y))
        except RuntimeError as error:
            raise misfit("pow", error, x=x, y=y) from None

    @override
    def maximum(self, x: Array, y: Array | float) -> Array:
        try:
            if isinstance(y, torch.Tensor):
                return torch.maximum(x, y)
            if x.dtype.is_floating_point and not math.isnan(y):
                return torch.clamp_min(x, y)
            hold("maximum", x, y)
            return torch.maximum(x, torch.full_like(x, y))
        except RuntimeError as error:
            raise misfit("maximum", error, x=x, y=y) from None

    @override
    def minimum(self, x: Array, y: Array | float) -> Array:
        try:
            if isinstance(y, torch.Tensor):
                return torch.minimum(x, y)
            if x.dtype.is_floating_point and not math.isnan(y):
                return torch.clamp_max(x, y)
            hold("minimum", x, y)
            return torch.minimum(x, torch.full_like(x, y))
        except RuntimeError as error:
            raise misfit("minimum", error, x=x, y=y) from None

    @override
    def remainder(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.remainder(x, hold("remainder", x, y))
        except RuntimeError as error:
            raise _division("remainder", error, x, y) from None

    @override
    def floor_divide(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.floor_divide(x, hold("floor_divide", x, y))
        except RuntimeError as error:
            raise _division("floor_divide", error, x, y) from None

    @override
    def mul0(self, x: Array, y: Array) -> Array:
        try:
            result = torch.mul(x, y)
        except RuntimeError as error:
            raise misfit("mul0", error, x=x, y=y) from None
        if is_finite(result):  # then no factor was inf or NaN, and the zeros are right already
            return result
        return result.masked_fill_(torch.logical_or(x == 0, y == 0), 0)

    @override
    def div0(self, x: Array, y: Array) -> Array:
        try:
            result = torch.true_divide(x, y)
        except RuntimeError as error:
            raise misfit("div0", error, x=x, y=y) from None
        return result if is_finite(result) else result.masked_fill_(x == 0, 0)

    @override
    def clamp(self, x: Array, low: float | None = None, high: float | None = None) -> Array:
        try:
            return x if low is None and high is None else torch.clamp(x, low, high)
        except RuntimeError:
            raise unfit("clamp", (low, high), str(x.dtype)) from None

    @override
    def accumulate(self, x: Array, y: Array) -> Array:
        return x.add_(y)


def _no_negative_power(x: Array, y: Array | float) -> None:
    if bool((y < 0).any()) if isinstance(y, torch.Tensor) else y < 0:
        raise DTypeError(
            f"pow: an integer has no negative power in its dtype. Received: x of {x.dtype}, y={y!r}; "
            "cast x to a float first"
        )


def _division(op: str, error: RuntimeError, x: Array, y: Array | float) -> Exception:
    if "ZeroDivisionError" in str(error):
        return ZeroDivisionError(f"{op}: integers cannot be divided by 0. Received: a 0 in y")
    return misfit(op, error, x=x, y=y)
