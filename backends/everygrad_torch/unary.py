"""Functions of one array on torch."""

from __future__ import annotations

from collections.abc import Callable

import torch
from typing_extensions import override

from everygrad_ops.unary import UnaryOps
from everygrad_torch.arrays import Array, kernel

_tanh_backward: Callable[[Array, Array], Array] = kernel(torch.ops.aten.tanh_backward.default)


class TorchUnary(UnaryOps[Array]):
    """Plain ATen calls."""

    @override
    def neg(self, x: Array) -> Array:
        return torch.neg(x)

    @override
    def abs(self, x: Array) -> Array:
        return torch.abs(x)

    @override
    def sign(self, x: Array) -> Array:
        result = torch.sign(x)  # which makes 0 of NaN
        return torch.where(torch.isnan(x), x, result) if x.dtype.is_floating_point else result

    @override
    def exp(self, x: Array) -> Array:
        return torch.exp(x)

    @override
    def expm1(self, x: Array) -> Array:
        return torch.expm1(x)

    @override
    def log(self, x: Array) -> Array:
        return torch.log(x)

    @override
    def log1p(self, x: Array) -> Array:
        return torch.log1p(x)

    @override
    def sqrt(self, x: Array) -> Array:
        return torch.sqrt(x)

    @override
    def sin(self, x: Array) -> Array:
        return torch.sin(x)

    @override
    def cos(self, x: Array) -> Array:
        return torch.cos(x)

    @override
    def tanh(self, x: Array) -> Array:
        return torch.tanh(x)

    @override
    def floor(self, x: Array) -> Array:
        return torch.floor(x)

    @override
    def round(self, x: Array) -> Array:
        return torch.round(x)

    @override
    def ceil(self, x: Array) -> Array:
        return torch.ceil(x)

    @override
    def trunc(self, x: Array) -> Array:
        return torch.trunc(x)

    @override
    def reciprocal(self, x: Array) -> Array:
        return torch.reciprocal(x)

    @override
    def rsqrt(self, x: Array) -> Array:
        return torch.rsqrt(x)

    @override
    def square(self, x: Array) -> Array:
        return torch.square(x)

    @override
    def tan(self, x: Array) -> Array:
        return torch.tan(x)

    @override
    def tanh_backward(self, grad: Array, y: Array) -> Array:
        return _tanh_backward(grad, y)
