"""Inverse trigonometric and hyperbolic functions on NumPy."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array, quiet
from everygrad_ops.errors import misfit
from everygrad_ops.trigonometric import TrigonometricOps


class NumpyTrigonometric(TrigonometricOps[Array]):
    """Universal functions; 0-d results are wrapped back into arrays."""

    @override
    def asin(self, x: Array) -> Array:
        return quiet(np.arcsin, x)

    @override
    def acos(self, x: Array) -> Array:
        return quiet(np.arccos, x)

    @override
    def atan(self, x: Array) -> Array:
        return quiet(np.arctan, x)

    @override
    def sinh(self, x: Array) -> Array:
        return quiet(np.sinh, x)

    @override
    def cosh(self, x: Array) -> Array:
        return quiet(np.cosh, x)

    @override
    def asinh(self, x: Array) -> Array:
        return quiet(np.arcsinh, x)

    @override
    def acosh(self, x: Array) -> Array:
        return quiet(np.arccosh, x)

    @override
    def atanh(self, x: Array) -> Array:
        return quiet(np.arctanh, x)

    @override
    def atan2(self, y: Array, x: Array) -> Array:
        try:
            return quiet(np.arctan2, y, x)
        except ValueError as error:
            raise misfit("atan2", error, y=y, x=x) from None

    @override
    def hypot(self, x: Array, y: Array) -> Array:
        try:
            return quiet(np.hypot, x, y)
        except ValueError as error:
            raise misfit("hypot", error, x=x, y=y) from None
