"""Activations on NumPy: few passes, and buffers of our own are written into."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from typing_extensions import override

from everygrad_numpy import normal
from everygrad_numpy.arrays import LOW, Array, as_array
from everygrad_numpy.normal import FAR
from everygrad_numpy.passes import BLOCK, elementwise, ones, rowwise
from everygrad_ops import Backend
from everygrad_ops.activation import ActivationOps, Approximate
from everygrad_ops.checks import check_dim

_DENSITY = 1 / math.sqrt(2 * math.pi)


class NumpyActivation(ActivationOps[Array]):
    """Low precision goes through float32."""

    @override
    def relu(self, x: Array) -> Array:
        if x.dtype.char not in "fd" or x.size < 1024:
            return as_array(np.maximum(x, 0))
        out: Array = np.empty(x.shape, x.dtype)
        flat, into, zeros = x.reshape(-1), out.reshape(-1), _zeros(x.dtype)
        for start in range(0, x.size, BLOCK):  # NumPy takes a number three times as long as an array
            block = flat[start : start + BLOCK]
            np.maximum(block, zeros[: block.size], out=into[start : start + BLOCK])
        return out

    @override
    def relu_backward(self, grad: Array, y: Array) -> Array:
        return np.where(y <= 0, np.zeros((), grad.dtype), grad)

    @override
    def sigmoid(self, x: Array) -> Array:
        if x.dtype == np.float32 or x.dtype in LOW:
            return normal.sigmoid(x)
        from scipy.special import expit

        return as_array(expit(x))

    @override
    @np.errstate(all="ignore")
    def sigmoid_backward(self, grad: Array, y: Array) -> Array:
        out = as_array(np.subtract(1, y))
        out *= y
        out *= grad
        return out

    @override
    def silu(self, x: Array) -> Array:
        return elementwise(_silu, x) if x.dtype == np.float64 else normal.silu(x)

    @override
    def silu_backward(self, grad: Array, x: Array) -> Array:
        return (
            elementwise(_silu_backward, x, grad) if x.dtype == np.float64 else normal.silu_backward(x, grad)
        )

    @override
    def gelu(self: Backend[Array], x: Array, approximate: Approximate = "none") -> Array:
        if approximate == "tanh":
            return Backend[Array].gelu(self, x, approximate)
        return elementwise(_gelu, x) if x.dtype == np.float64 else normal.gelu(x)

    @override
    def gelu_backward(
        self: Backend[Array], grad: Array, x: Array, approximate: Approximate = "none"
    ) -> Array:
        if approximate == "tanh":
            return Backend[Array].gelu_backward(self, grad, x, approximate)
        return (
            elementwise(_gelu_backward, x, grad) if x.dtype == np.float64 else normal.gelu_backward(x, grad)
        )

    @override
    def softmax(self, x: Array, dim: int) -> Array:
        check_dim("softmax", dim, x.ndim)
        return _along(_softmax, dim, x)

    @override
    def softmax_backward(self, grad: Array, y: Array, dim: int) -> Array:
        return _along(_softmax_backward, dim, y, grad)

    @override
    def log_softmax(self, x: Array, dim: int) -> Array:
        check_dim("log_softmax", dim, x.ndim)
        return _along(_log_softmax, dim, x)

    @override
    def log_softmax_backward(self, grad: Array, y: Array, dim: int) -> Array:
        return _along(_log_softmax_backward, dim, y, grad)


@functools.lru_cache(maxsize=2)
def _zeros(dtype: np.dtype[Any]) -> Array:
    zeros: Array = np.zeros(BLOCK, dtype)
    zeros.flags.writeable = False
    return zeros


def _along(work: Callable[..., object], dim: int, x: Array, *others: Array) -> Array:
    """`work` on rows, with `dim` brought to their end."""
    if 0 in x.shape or not x.ndim:
        return rowwise(work, x.reshape(1), *(a.reshape(1) for a in others)).reshape(()) if x.size else x
    if dim == x.ndim - 1:
        return rowwise(work, x, *others)
    moved = (np.moveaxis(a, dim, -1) for a in (x, *others))
    return np.moveaxis(rowwise(work, *moved), -1, dim)


def _silu(x: Array) -> Array:
    from scipy.special import expit

    y = np.maximum(x, -FAR)
    return as_array(np.multiply(y, expit(y)))


def _silu_backward(x: Array, grad: Array) -> Array:
    from scipy.special import expit

    y = _inside(x)
    s = expit(y)
    out = as_array(np.subtract(1, s))
    out *= y
    out += 1
    out *= s
    out *= grad
    return out


def _gelu(x: Array) -> Array:
    from scipy.special import ndtr

    y = np.maximum(x, -FAR)
    return as_array(np.multiply(y, ndtr(y)))


def _gelu_backward(x: Array, grad: Array) -> Array:
    from scipy.special import ndtr

    y = _inside(x)
    out = as_array(np.square(y))
    out *= -0.5
    np.exp(out, out=out)
    out *= _DENSITY
    out *= y
    out += ndtr(y)
    out *= grad
    return out


def _softmax(out: Array, x: Array) -> None:
    np.exp(_below_maximum(out, x), out)
    out /= _sums(out)


def _softmax_backward(out: Array, y: Array, grad: Array) -> None:
    np.subtract(grad, np.vecdot(grad, y)[:, None], out)
    out *= y


def _log_softmax(out: Array, x: Array) -> None:
    out -= np.log(_sums(np.exp(_below_maximum(out, x))))


def _log_softmax_backward(out: Array, y: Array, grad: Array) -> None:
    np.exp(y, out)
    out *= _sums(grad)
    np.subtract(grad, out, out)


def _inside(x: Array) -> Array:
    return as_array(np.clip(x, -FAR, FAR))


def _below_maximum(out: Array, x: Array) -> Array:
    """`x` minus the largest value of its row: -inf only, or inf, gives NaN as it must."""
    return np.subtract(x, np.maximum.reduce(x, -1, keepdims=True), out)


def _sums(x: Array) -> Array:
    """The sum of each row, as a column."""
    sums: Array = np.matmul(x, ones(x.shape[1], x.dtype))
    return sums[:, None]
