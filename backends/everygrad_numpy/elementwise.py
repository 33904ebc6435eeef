"""Elementwise ops on NumPy."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array, as_array
from everygrad_ops.elementwise import ElementwiseOps
from everygrad_ops.errors import misfit


class NumpyElementwise(ElementwiseOps[Array]):
    """Universal functions; 0-d results are wrapped back into arrays."""

    @override
    def add(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.add(x, y))
        except ValueError as error:
            raise misfit("add", error, x=x, y=y) from None

    @override
    def sub(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.subtract(x, y))
        except ValueError as error:
            raise misfit("sub", error, x=x, y=y) from None

    @override
    def mul(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.multiply(x, y))
        except ValueError as error:
            raise misfit("mul", error, x=x, y=y) from None

    @override
    def div(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.true_divide(x, y))
        except ValueError as error:
            raise misfit("div", error, x=x, y=y) from None

    @override
    def pow(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.power(x, y))
        except ValueError as error:
            raise misfit("pow", error, x=x, y=y) from None

    @override
    def maximum(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.maximum(x, y))
        except ValueError as error:
            raise misfit("maximum", error, x=x, y=y) from None

    @override
    def minimum(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.minimum(x, y))
        except ValueError as error:
            raise misfit("minimum", error, x=x, y=y) from None

    @override
    def remainder(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.remainder(x, y))
        except ValueError as error:
            raise misfit("remainder", error, x=x, y=y) from None

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
        return as_array(np.exp(x))

    @override
    def expm1(self, x: Array) -> Array:
        return as_array(np.expm1(x))

    @override
    def log(self, x: Array) -> Array:
        return as_array(np.log(x))

    @override
    def log1p(self, x: Array) -> Array:
        return as_array(np.log1p(x))

    @override
    def sqrt(self, x: Array) -> Array:
        return as_array(np.sqrt(x))

    @override
    def sin(self, x: Array) -> Array:
        return as_array(np.sin(x))

    @override
    def cos(self, x: Array) -> Array:
        return as_array(np.cos(x))

    @override
    def tanh(self, x: Array) -> Array:
        return as_array(np.tanh(x))

    @override
    def floor(self, x: Array) -> Array:
        return as_array(np.floor(x))

    @override
    def round(self, x: Array) -> Array:
        return as_array(np.rint(x))

    @override
    def tanh_backward(self, grad: Array, y: Array) -> Array:
        result = np.multiply(y, y)
        result = as_array(np.subtract(1, result))
        return as_array(np.multiply(grad, result))

    @override
    def accumulate(self, x: Array, y: Array) -> Array:
        np.add(x, y, out=x)
        return x
