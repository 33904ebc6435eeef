"""Comparisons, logic and selection on NumPy."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array, as_array
from everygrad_ops.comparison import ComparisonOps
from everygrad_ops.errors import misfit, unfit


class NumpyComparison(ComparisonOps[Array]):
    """Questions asked of each element."""

    @override
    def eq(self, x: Array, y: Array | float) -> Array:
        return _compare("eq", np.equal, x, y)

    @override
    def lt(self, x: Array, y: Array | float) -> Array:
        return _compare("lt", np.less, x, y)

    @override
    def gt(self, x: Array, y: Array | float) -> Array:
        return _compare("gt", np.greater, x, y)

    @override
    def ne(self, x: Array, y: Array | float) -> Array:
        return _compare("ne", np.not_equal, x, y)

    @override
    def le(self, x: Array, y: Array | float) -> Array:
        return _compare("le", np.less_equal, x, y)

    @override
    def ge(self, x: Array, y: Array | float) -> Array:
        return _compare("ge", np.greater_equal, x, y)

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
    def isinf(self, x: Array) -> Array:
        return as_array(np.isinf(x))

    @override
    def isfinite(self, x: Array) -> Array:
        return as_array(np.isfinite(x))

    @override
    def where(self, condition: Array, x: Array | float, y: Array | float) -> Array:
        like = x if isinstance(x, np.ndarray) else y
        assert isinstance(like, np.ndarray), "where: x or y must be an array"
        try:
            return as_array(np.where(condition, _operand(x, like), _operand(y, like)))
        except ValueError as error:
            raise misfit("where", error, condition=condition, x=x, y=y) from None


def _compare(op: str, ufunc: np.ufunc, x: Array, y: Array | float) -> Array:
    try:
        if isinstance(y, float) and not -60000 < y < 60000:  # may round to inf in the dtype of x
            with np.errstate(all="ignore"):
                return as_array(ufunc(x, y))
        return as_array(ufunc(x, y))
    except ValueError as error:
        raise misfit(op, error, x=x, y=y) from None


def _operand(value: Array | float, like: Array) -> Array:
    if isinstance(value, np.ndarray):
        return value
    try:
        with np.errstate(all="ignore") if isinstance(value, float) and abs(value) > 60000 else _NOTHING:
            return np.asarray(value, like.dtype)
    except OverflowError:
        raise unfit("where", value, like.dtype.name) from None


_NOTHING: AbstractContextManager[None] = nullcontext()
