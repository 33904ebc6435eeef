"""Activations made of pieces on NumPy: few passes, into buffers of our own."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array, as_array, hushed
from everygrad_ops import Backend
from everygrad_ops.errors import misfit
from everygrad_ops.piecewise import PiecewiseOps


@hushed
class NumpyPiecewise(PiecewiseOps[Array]):
    """Limits by maximum and minimum, which keep NaN; pieces by masked writes."""

    @override
    def leaky_relu(self, x: Array, slope: float) -> Array:
        return _pieces(x, x, slope)

    @override
    def leaky_relu_backward(self, grad: Array, x: Array, slope: float) -> Array:
        return _pieces(grad, x, slope)

    @override
    def prelu(self, x: Array, weight: Array) -> Array:
        try:
            out = as_array(np.multiply(x, weight))
        except ValueError as error:
            raise misfit("prelu", error, x=x, weight=weight) from None
        np.copyto(out, x, where=x > 0)
        return out

    @override
    def elu(self, x: Array, alpha: float, scale: float = 1.0, input_scale: float = 1.0) -> Array:
        out = as_array(np.minimum(x, 0))
        if input_scale != 1:
            out *= input_scale
        np.expm1(out, out=out)
        if scale * alpha != 1:
            out *= scale * alpha
        np.copyto(out, x if scale == 1 else x * scale, where=x > 0)
        return out

    @override
    def hardtanh(self, x: Array, low: float, high: float) -> Array:
        return as_array(np.minimum(np.maximum(x, low), high))

    @override
    def hardtanh_backward(self, grad: Array, x: Array, low: float, high: float) -> Array:
        return _where(np.logical_or(x <= low, x >= high), grad)

    @override
    def hardswish(self, x: Array) -> Array:
        out = as_array(np.minimum(np.maximum(x + 3, 0), 6))
        out *= np.maximum(x, -3)  # -inf times 0 would be NaN
        out /= 6
        np.copyto(out, x, where=x >= 3)  # which the product may round, or overflow
        return out

    @override
    def threshold_backward(self, grad: Array, x: Array, threshold: float) -> Array:
        return _where(x <= threshold, grad)

    @override
    def shrink(self: Backend[Array], x: Array, lambd: float, bias: float) -> Array:
        if bias != lambd or lambd < 0:
            return Backend[Array].shrink(self, x, lambd, bias)
        out = as_array(np.minimum(np.maximum(x, -lambd), lambd))  # clip widens bfloat16
        with np.errstate(all="ignore"):
            np.subtract(x, out, out=out)
        return out

    @override
    def shrink_backward(self, grad: Array, x: Array, lambd: float) -> Array:
        return _where(np.abs(x) <= lambd, grad)


def _pieces(right: Array, x: Array, slope: float) -> Array:
    out = as_array(right * slope)
    np.copyto(out, right, where=x > 0)
    return out


def _where(flat: Array, grad: Array) -> Array:
    """0 where `flat`, else grad."""
    return np.where(flat, np.zeros((), grad.dtype), grad)
