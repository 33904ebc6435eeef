"""Activations made of pieces on torch: a fused kernel each, forwards and backwards."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.errors import misfit
from everygrad_ops.piecewise import PiecewiseOps
from everygrad_torch.arrays import Array, kernel

_Kernel = Callable[..., Array]
_aten: Any = torch.ops.aten
_leaky_relu: _Kernel = kernel(_aten.leaky_relu.default)
_leaky_relu_backward: _Kernel = kernel(_aten.leaky_relu_backward.default)
_prelu: _Kernel = kernel(_aten._prelu_kernel.default)
_elu: _Kernel = kernel(_aten.elu.default)
_elu_backward: _Kernel = kernel(_aten.elu_backward.default)
_hardtanh: _Kernel = kernel(_aten.hardtanh.default)
_hardtanh_backward: _Kernel = kernel(_aten.hardtanh_backward.default)
_hardsigmoid: _Kernel = kernel(_aten.hardsigmoid.default)
_hardsigmoid_backward: _Kernel = kernel(_aten.hardsigmoid_backward.default)
_hardswish: _Kernel = kernel(_aten.hardswish.default)
_hardswish_backward: _Kernel = kernel(_aten.hardswish_backward.default)
_threshold: _Kernel = kernel(_aten.threshold.default)
_threshold_backward: _Kernel = kernel(_aten.threshold_backward.default)
_softshrink: _Kernel = kernel(_aten.softshrink.default)
_hardshrink: _Kernel = kernel(_aten.hardshrink.default)
_hardshrink_backward: _Kernel = kernel(_aten.hardshrink_backward.default)
_SIXTH = 1 / 6


class TorchPiecewise(PiecewiseOps[Array]):
    """ATen's piecewise activations."""

    @override
    def leaky_relu(self, x: Array, slope: float) -> Array:
        return _leaky_relu(x, slope)

    @override
    def leaky_relu_backward(self, grad: Array, x: Array, slope: float) -> Array:
        return _leaky_relu_backward(grad, x, slope, False)

    @override
    def prelu(self, x: Array, weight: Array) -> Array:
        try:
            return _prelu(x, weight)
        except RuntimeError as error:
            raise misfit("prelu", error, x=x, weight=weight) from None

    @override
    def elu(self, x: Array, alpha: float, scale: float = 1.0, input_scale: float = 1.0) -> Array:
        return _elu(x, alpha, scale, input_scale)

    @override
    def elu_backward(
        self, grad: Array, x: Array, alpha: float, scale: float = 1.0, input_scale: float = 1.0
    ) -> Array:
        return _elu_backward(grad, alpha, scale, input_scale, False, x)

    @override
    def hardtanh(self, x: Array, low: float, high: float) -> Array:
        return _hardtanh(x, low, high)

    @override
    def hardtanh_backward(self, grad: Array, x: Array, low: float, high: float) -> Array:
        return _hardtanh_backward(grad, x, low, high)

    @override
    def hard_sigmoid(self: Backend[Array], x: Array, alpha: float, beta: float) -> Array:
        if alpha == _SIXTH and beta == 0.5:
            return _hardsigmoid(x)
        return _default_hard_sigmoid(self, x, alpha, beta)

    @override
    def hard_sigmoid_backward(
        self: Backend[Array], grad: Array, x: Array, alpha: float, beta: float
    ) -> Array:
        if alpha == _SIXTH and beta == 0.5 and x.dtype is not torch.float64:  # for which 1 / 6 is a float32
            return _hardsigmoid_backward(grad, x)
        return _default_hard_sigmoid_backward(self, grad, x, alpha, beta)

    @override
    def hardswish(self, x: Array) -> Array:
        return _hardswish(x.clamp_min(-3))  # the kernel makes NaN of -inf

    @override
    def hardswish_backward(self, grad: Array, x: Array) -> Array:
        return _hardswish_backward(grad, x)

    @override
    def threshold(self, x: Array, threshold: float, value: float) -> Array:
        return _threshold(x, threshold, value)

    @override
    def threshold_backward(self, grad: Array, x: Array, threshold: float) -> Array:
        return _threshold_backward(grad, x, threshold)

    @override
    def shrink(self: Backend[Array], x: Array, lambd: float, bias: float) -> Array:
        if bias == 0:
            return _hardshrink(x, lambd)
        if bias == lambd and 0 < lambd < math.inf:
            return _softshrink(x, lambd)
        return _default_shrink(self, x, lambd, bias)

    @override
    def shrink_backward(self, grad: Array, x: Array, lambd: float) -> Array:
        return _hardshrink_backward(grad, x, lambd)


_default_hard_sigmoid: _Kernel = Backend[Array].hard_sigmoid
_default_hard_sigmoid_backward: _Kernel = Backend[Array].hard_sigmoid_backward
_default_shrink: _Kernel = Backend[Array].shrink
