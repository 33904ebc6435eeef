"""Activations on NumPy: few passes, and buffers of our own are written into."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, as_array
from everygrad_ops import Backend
from everygrad_ops.activation import ActivationOps, Approximate
from everygrad_ops.checks import check_dim

_FAR = 1e4
"""Inputs stop there, where every gate is 0 or 1: inf meets no 0."""
_DENSITY = 1 / math.sqrt(2 * math.pi)


class NumpyActivation(ActivationOps[Array]):
    """Low precision goes through float32."""

    @override
    def relu(self, x: Array) -> Array:
        return as_array(np.maximum(x, 0))

    @override
    def relu_backward(self, grad: Array, y: Array) -> Array:
        return np.where(y <= 0, np.zeros((), grad.dtype), grad)

    @override
    def sigmoid(self, x: Array) -> Array:
        from scipy.special import expit

        return _narrow(as_array(expit(_wide(x))), x)

    @override
    def sigmoid_backward(self, grad: Array, y: Array) -> Array:
        out = as_array(np.subtract(1, y))
        out *= y
        out *= grad
        return out

    @override
    def silu_backward(self, grad: Array, x: Array) -> Array:
        from scipy.special import expit

        y = _inside(x)
        s = as_array(expit(y))
        out = as_array(np.subtract(1, s))
        out *= y
        out += 1
        out *= s
        out *= _wide(grad)
        return _narrow(out, x)

    @override
    def gelu_backward(
        self: Backend[Array], grad: Array, x: Array, approximate: Approximate = "none"
    ) -> Array:
        if approximate == "tanh":
            return Backend[Array].gelu_backward(self, grad, x, approximate)
        from scipy.special import ndtr

        y = _inside(x)
        out = as_array(np.square(y))
        out *= -0.5
        np.exp(out, out=out)
        out *= _DENSITY
        out *= y
        out += ndtr(y)
        out *= _wide(grad)
        return _narrow(out, x)

    @override
    def softmax(self, x: Array, dim: int) -> Array:
        check_dim("softmax", dim, x.ndim)
        if 0 in x.shape:
            return x
        out = _below_maximum(_wide(x), dim)
        np.exp(out, out=out)
        out /= np.sum(out, dim, keepdims=True)
        return _narrow(out, x)

    @override
    def softmax_backward(self, grad: Array, y: Array, dim: int) -> Array:
        wide_grad, wide_y = _wide(grad), _wide(y)
        out = wide_grad - np.sum(wide_grad * wide_y, dim, keepdims=True)
        out *= wide_y
        return _narrow(out, y)

    @override
    def log_softmax(self, x: Array, dim: int) -> Array:
        check_dim("log_softmax", dim, x.ndim)
        if 0 in x.shape:
            return x
        out = _below_maximum(_wide(x), dim)
        with np.errstate(divide="ignore"):
            out -= np.log(np.sum(np.exp(out), dim, keepdims=True))
        return _narrow(out, x)

    @override
    def log_softmax_backward(self, grad: Array, y: Array, dim: int) -> Array:
        wide_grad = _wide(grad)
        out = as_array(np.exp(_wide(y)))
        out *= np.sum(wide_grad, dim, keepdims=True)
        np.subtract(wide_grad, out, out=out)
        return _narrow(out, y)


def _inside(x: Array) -> Array:
    return as_array(np.clip(_wide(x), -_FAR, _FAR))


def _wide(x: Array) -> Array:
    return x.astype(np.float32) if x.dtype in LOW else x


def _narrow(out: Array, x: Array) -> Array:
    result: Any = out if out.dtype == x.dtype else out.astype(x.dtype)
    return as_array(result)


def _below_maximum(x: Array, dim: int) -> Array:
    """`x` minus its largest value along `dim`: -inf only, or inf, gives NaN as it must."""
    with np.errstate(invalid="ignore"):
        return as_array(x - np.max(x, dim, keepdims=True))
