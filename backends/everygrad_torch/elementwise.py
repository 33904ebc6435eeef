"""Elementwise ops on torch."""

from __future__ import annotations

from collections.abc import Callable

import torch
from typing_extensions import override

from everygrad_ops.elementwise import ElementwiseOps
from everygrad_ops.errors import misfit
from everygrad_torch.arrays import Array

_tanh_backward: Callable[[Array, Array], Array] = torch.ops.aten.tanh_backward.default


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
        try:
            return torch.pow(x, y)
        except RuntimeError as error:
            raise misfit("pow", error, x=x, y=y) from None

    @override
    def maximum(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.maximum(x, y if isinstance(y, torch.Tensor) else torch.full_like(x, y))
        except RuntimeError as error:
            raise misfit("maximum", error, x=x, y=y) from None

    @override
    def minimum(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.minimum(x, y if isinstance(y, torch.Tensor) else torch.full_like(x, y))
        except RuntimeError as error:
            raise misfit("minimum", error, x=x, y=y) from None

    @override
    def remainder(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.remainder(x, y)
        except RuntimeError as error:
            raise misfit("remainder", error, x=x, y=y) from None

    @override
    def neg(self, x: Array) -> Array:
        return torch.neg(x)

    @override
    def abs(self, x: Array) -> Array:
        return torch.abs(x)

    @override
    def sign(self, x: Array) -> Array:
        return torch.sign(x)

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

    @override
    def accumulate(self, x: Array, y: Array) -> Array:
        return x.add_(y)
