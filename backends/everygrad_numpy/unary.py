"""Functions of one array on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import COMPLAINTS, Array, as_array, quiet
from everygrad_ops.unary import UnaryOps


class NumpyUnary(UnaryOps[Array]):
    """Universal functions; 0-d results are wrapped back into arrays."""

    @override
    def neg(self, x: Array) -> Array:
        return as_array(np.negative(x))

    @override
    def abs(self, x: Array) -> Array:
        return as_array(np.abs(x))

    @override
    def sign(self, x: Array) -> Array:
        return as_array(np.sign(x))

    @override
    def exp(self, x: Array) -> Array:
        with np.errstate(all="ignore"):
            return as_array(np.exp(x))

    @override
    def expm1(self, x: Array) -> Array:
        with np.errstate(all="ignore"):
            return as_array(np.expm1(x))

    @override
    def log(self, x: Array) -> Array:
        with np.errstate(all="ignore"):
            return as_array(np.log(x))

    @override
    def log1p(self, x: Array) -> Array:
        with np.errstate(all="ignore"):
            return as_array(np.log1p(x))

    @override
    def sqrt(self, x: Array) -> Array:
        with np.errstate(all="ignore"):
            return as_array(np.sqrt(x))

    @override
    def sin(self, x: Array) -> Array:
        with np.errstate(all="ignore"):
            return as_array(np.sin(x))

    @override
    def cos(self, x: Array) -> Array:
        with np.errstate(all="ignore"):
            return as_array(np.cos(x))

    @override
    def tanh(self, x: Array) -> Array:
        return as_array(np.tanh(x))

    @override
    def floor(self, x: Array) -> Array:
        return as_array(np.floor(x))

    @override
    def round(self, x: Array) -> Array:
        return x if x.dtype.kind in "iub" else as_array(np.rint(x))

    @override
    def ceil(self, x: Array) -> Array:
        return as_array(np.ceil(x))

    @override
    def trunc(self, x: Array) -> Array:
        return as_array(np.trunc(x))

    @override
    def reciprocal(self, x: Array) -> Array:
        with np.errstate(all="ignore"):
            return as_array(np.reciprocal(x))

    @override
    def rsqrt(self, x: Array) -> Array:
        with np.errstate(all="ignore"):
            return as_array(np.reciprocal(np.sqrt(x)))

    @override
    def square(self, x: Array) -> Array:
        try:
            return as_array(np.square(x))
        except COMPLAINTS:
            return quiet(np.square, x)

    @override
    def tan(self, x: Array) -> Array:
        with np.errstate(all="ignore"):
            return as_array(np.tan(x))

    @override
    def tanh_backward(self, grad: Array, y: Array) -> Array:
        try:
            return as_array(_tanh_backward(grad, y))
        except COMPLAINTS:
            return quiet(_tanh_backward, grad, y)


def _tanh_backward(grad: Array, y: Array) -> Any:
    return np.multiply(grad, np.subtract(1, np.multiply(y, y)))
