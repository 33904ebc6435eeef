"""Logarithms and powers of other bases on NumPy."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array, as_array, quiet
from everygrad_ops.errors import misfit
from everygrad_ops.logarithm import LogarithmOps


class NumpyLogarithm(LogarithmOps[Array]):
    """Universal functions; 0-d results are wrapped back into arrays."""

    @override
    def log2(self, x: Array) -> Array:
        return quiet(np.log2, x)

    @override
    def log10(self, x: Array) -> Array:
        return quiet(np.log10, x)

    @override
    def exp2(self, x: Array) -> Array:
        return quiet(np.exp2, x)

    @override
    def logaddexp(self, x: Array, y: Array) -> Array:
        try:
            return quiet(np.logaddexp, x, y)
        except ValueError as error:
            raise misfit("logaddexp", error, x=x, y=y) from None

    @override
    def logaddexp2(self, x: Array, y: Array) -> Array:
        try:
            return quiet(np.logaddexp2, x, y)
        except ValueError as error:
            raise misfit("logaddexp2", error, x=x, y=y) from None

    @override
    def xlogy(self, x: Array, y: Array) -> Array:
        try:
            return quiet(_times, np.log, x, y)
        except ValueError as error:
            raise misfit("xlogy", error, x=x, y=y) from None

    @override
    def xlog1py(self, x: Array, y: Array) -> Array:
        try:
            return quiet(_times, np.log1p, x, y)
        except ValueError as error:
            raise misfit("xlog1py", error, x=x, y=y) from None


def _times(log: np.ufunc, x: Array, y: Array) -> Array:
    result = as_array(np.multiply(x, log(y)))
    np.copyto(result, 0, where=(x == 0) & ~np.isnan(y))
    return result
