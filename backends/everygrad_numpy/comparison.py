"""Comparisons, logic and selection on NumPy."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array, as_array
from everygrad_ops.comparison import ComparisonOps
from everygrad_ops.errors import misfit


class NumpyComparison(ComparisonOps[Array]):
    """Questions asked of each element."""

    @override
    def eq(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.equal(x, y))
        except ValueError as error:
            raise misfit("eq", error, x=x, y=y) from None

    @override
    def lt(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.less(x, y))
        except ValueError as error:
            raise misfit("lt", error, x=x, y=y) from None

    @override
    def gt(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.greater(x, y))
        except ValueError as error:
            raise misfit("gt", error, x=x, y=y) from None

    @override
    def ne(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.not_equal(x, y))
        except ValueError as error:
            raise misfit("ne", error, x=x, y=y) from None

    @override
    def le(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.less_equal(x, y))
        except ValueError as error:
            raise misfit("le", error, x=x, y=y) from None

    @override
    def ge(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.greater_equal(x, y))
        except ValueError as error:
            raise misfit("ge", error, x=x, y=y) from None

    @override
    def logical_and(self, x: Array, y: Array) -> Array:
        try:
            return as_array(np.logical_and(x, y))
        except ValueError as error:
            raise misfit("logical_and", error, x=x, y=y) from None

    @override
    def logical_or(self, x: Array, y: Array) -> Array:
        try:
            return as_array(np.logical_or(x, y))
        except ValueError as error:
            raise misfit("logical_or", error, x=x, y=y) from None

    @override
    def logical_xor(self, x: Array, y: Array) -> Array:
        try:
            return as_array(np.logical_xor(x, y))
        except ValueError as error:
            raise misfit("logical_xor", error, x=x, y=y) from None

    @override
    def logical_not(self, x: Array) -> Array:
        return as_array(np.logical_not(x))

    @override
    def isnan(self, x: Array) -> Array:
        return as_array(np.isnan(x))

    @override
    def where(self, condition: Array, x: Array | float, y: Array | float) -> Array:
        dtype = x.dtype if isinstance(x, np.ndarray) else y.dtype if isinstance(y, np.ndarray) else None
        try:
            return as_array(np.where(condition, np.asarray(x, dtype), np.asarray(y, dtype)))
        except ValueError as error:
            raise misfit("where", error, condition=condition, x=x, y=y) from None
