"""Activations on torch: a fused kernel each, forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.activation import ActivationOps, Approximate
from everygrad_ops.checks import check_dim
from everygrad_torch.arrays import Array, kernel
from everygrad_torch.looks import binding, has_no_nan

_Kernel = Callable[..., Array]
_aten: Any = torch.ops.aten
_threshold_backward: _Kernel = kernel(_aten.threshold_backward.default)
_sigmoid_backward: _Kernel = kernel(_aten.sigmoid_backward.default)
_log_sigmoid: _Kernel = binding("log_sigmoid")
_softplus: _Kernel = binding("softplus")
_softplus_backward: _Kernel = kernel(_aten.softplus_backward.default)
_silu: _Kernel = binding("silu")
_silu_backward: _Kernel = kernel(_aten.silu_backward.default)
_gelu: _Kernel = binding("gelu")
_gelu_backward: _Kernel = kernel(_aten.gelu_backward.default)
_mish: _Kernel = binding("mish")
_mish_backward: _Kernel = kernel(_aten.mish_backward.default)
_softmax_backward: _Kernel = binding("_softmax_backward_data")
_log_softmax_backward: _Kernel = binding("_log_softmax_backward_data")
_LINEAR = 80
"""Up to this threshold softplus's exponential is in range."""

_FAR = 1e4
"""Inputs stop there, where every gate is 0 or 1, once a result shows that the kernel made NaN of inf times 0."""

_default_softplus: Callable[..., Array] = Backend[Array].softplus
_default_softplus_backward: Callable[..., Array] = Backend[Array].softplus_backward


class TorchActivation(ActivationOps[Array]):
    """ATen's activations."""

    @override
    def relu(self, x: Array) -> Array:
        return torch.relu(x)

    @override
    def relu_backward(self, grad: Array, y: Array) -> Array:
        return _threshold_backward(grad, y, 0)

    @override
    def sigmoid(self, x: Array) -> Array:
        return torch.sigmoid(x)

    @override
    def sigmoid_backward(self, grad: Array, y: Array) -> Array:
        return _sigmoid_backward(grad, y)

    @override
    def log_sigmoid(self, x: Array) -> Array:
        return _log_sigmoid(x)

    @override
    def softplus(self, x: Array, beta: float, threshold: float) -> Array:
        if not threshold <= _LINEAR:
            return _default_softplus(self, x, beta, threshold)
        return _softplus(x, beta, threshold)

    @override
    def softplus_backward(self, grad: Array, x: Array, beta: float, threshold: float) -> Array:
        if not threshold <= _LINEAR:
            return _default_softplus_backward(self, grad, x, beta, threshold)
        return _softplus_backward(grad, x, beta, threshold)

    @override
    def silu(self, x: Array) -> Array:
        out = _silu(x)
        return out if has_no_nan(out) else _silu(x.clamp_min(-_FAR))

    @override
    def silu_backward(self, grad: Array, x: Array) -> Array:
        out = _silu_backward(grad, x)
        return out if has_no_nan(out) else _silu_backward(grad, x.clamp(-_FAR, _FAR))

    @override
    def gelu(self, x: Array, approximate: Approximate = "none") -> Array:
        out = _gelu(x, approximate=approximate)
        return out if has_no_nan(out) else _gelu(x.clamp_min(-_FAR), approximate=approximate)

    @override
    def gelu_backward(self, grad: Array, x: Array, approximate: Approximate = "none") -> Array:
        out = _gelu_backward(grad, x, approximate=approximate)
        return out if has_no_nan(out) else _gelu_backward(grad, x.clamp(-_FAR, _FAR), approximate=approximate)

    @override
    def mish(self, x: Array) -> Array:
        out = _mish(x)
        return out if has_no_nan(out) else _mish(x.clamp_min(-_FAR))

    @override
    def mish_backward(self, grad: Array, x: Array) -> Array:
        out = _mish_backward(grad, x)
        return out if has_no_nan(out) else _mish_backward(grad, x.clamp(-_FAR, _FAR))

    @override
    def softmax(self, x: Array, dim: int) -> Array:
        check_dim("softmax", dim, x.ndim)
        return torch.softmax(x, dim)

    @override
    def softmax_backward(self, grad: Array, y: Array, dim: int) -> Array:
        return _softmax_backward(grad, y, dim, y.dtype)

    @override
    def log_softmax(self, x: Array, dim: int) -> Array:
        check_dim("log_softmax", dim, x.ndim)
        return torch.log_softmax(x, dim)

    @override
    def log_softmax_backward(self, grad: Array, y: Array, dim: int) -> Array:
        return _log_softmax_backward(grad, y, dim, y.dtype)
