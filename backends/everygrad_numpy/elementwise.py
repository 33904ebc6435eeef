"""Arithmetic on NumPy. Infinities and NaN are the contract's answers: no warning of NumPy's reaches the user."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import COMPLAINTS, Array, as_array, quiet, weak
from everygrad_ops import DTypeError
from everygrad_ops.elementwise import ElementwiseOps
from everygrad_ops.errors import misfit, unfit


class NumpyElementwise(ElementwiseOps[Array]):
    """Universal functions; 0-d results are wrapped back into arrays."""

    @override
    def add(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.add(x, y if y.__class__ is np.ndarray else weak(y)))
        except ValueError as error:
            raise misfit("add", error, x=x, y=y) from None
        except OverflowError:
            return as_array(np.add(x, _wrapped(x, y)))
        except COMPLAINTS:
            return quiet(np.add, x, weak(y))

    @override
    def sub(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.subtract(x, y if y.__class__ is np.ndarray else weak(y)))
        except ValueError as error:
            raise misfit("sub", error, x=x, y=y) from None
        except OverflowError:
            return as_array(np.subtract(x, _wrapped(x, y)))
        except COMPLAINTS:
            return quiet(np.subtract, x, weak(y))

    @override
    def mul(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.multiply(x, y if y.__class__ is np.ndarray else weak(y)))
        except ValueError as error:
            raise misfit("mul", error, x=x, y=y) from None
        except OverflowError:
            return as_array(np.multiply(x, _wrapped(x, y)))
        except COMPLAINTS:
            return quiet(np.multiply, x, weak(y))

    @override
    def div(self, x: Array, y: Array | float) -> Array:
        try:
            with np.errstate(all="ignore"):
                return as_array(np.true_divide(x, weak(y)))
        except ValueError as error:
            raise misfit("div", error, x=x, y=y) from None

    @override
    def pow(self, x: Array, y: Array | float) -> Array:
        if x.dtype.kind in "iu":
            _no_negative_power(x, y)
        elif not isinstance(y, np.ndarray) and y == 2:
            return quiet(np.square, x)
        try:
            with np.errstate(all="ignore"):
                return as_array(np.power(x, weak(y)))
        except ValueError as error:
            raise misfit("pow", error, x=x, y=y) from None
        except OverflowError:
            raise unfit("pow", y, x.dtype.name) from None

    @override
    def maximum(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.maximum(x, weak(y)))
        except ValueError as error:
            raise misfit("maximum", error, x=x, y=y) from None
        except OverflowError:
            raise unfit("maximum", y, x.dtype.name) from None

    @override
    def minimum(self, x: Array, y: Array | float) -> Array:
        try:
            return as_array(np.minimum(x, weak(y)))
        except ValueError as error:
            raise misfit("minimum", error, x=x, y=y) from None
        except OverflowError:
            raise unfit("minimum", y, x.dtype.name) from None

    @override
    def remainder(self, x: Array, y: Array | float) -> Array:
        return _divided("remainder", np.remainder, x, y)

    @override
    def floor_divide(self, x: Array, y: Array | float) -> Array:
        return _divided("floor_divide", np.floor_divide, x, y)

    @override
    def mul0(self, x: Array, y: Array) -> Array:
        try:
            with np.errstate(all="ignore"):
                result = as_array(np.multiply(x, y))
                if not _is_finite(result):  # else no factor was inf or NaN, and the zeros are right already
                    np.copyto(result, 0, where=(x == 0) | (y == 0))
        except ValueError as error:
            raise misfit("mul0", error, x=x, y=y) from None
        return result

    @override
    def div0(self, x: Array, y: Array) -> Array:
        try:
            with np.errstate(all="ignore"):
                result = as_array(np.true_divide(x, y))
                if not _is_finite(result):
                    np.copyto(result, 0, where=x == 0)
        except ValueError as error:
            raise misfit("div0", error, x=x, y=y) from None
        return result

    @override
    def clamp(self, x: Array, low: float | None = None, high: float | None = None) -> Array:
        try:
            if low is not None:
                x = as_array(np.maximum(x, weak(low)))
            return x if high is None else as_array(np.minimum(x, weak(high)))
        except OverflowError:
            raise unfit("clamp", (low, high), x.dtype.name) from None

    @override
    def accumulate(self, x: Array, y: Array) -> Array:
        try:
            np.add(x, y, out=x)
        except COMPLAINTS:  # which come after the loop: x is complete
            return x
        return x


def _is_finite(x: Array) -> bool:
    """Whether all is finite; False too where only the sum of squares overflows, which costs time alone."""
    if x.dtype.char in "fd":
        return math.isfinite(np.vdot(x, x))
    return bool(np.isfinite(x).all())


def _wrapped(x: Array, y: Any) -> Array:
    """A Python integer beyond the dtype of x, wrapped to it: sums and products are modular anyway."""
    if x.dtype.kind not in "iu" or not -(2**63) <= y < 2**63:
        raise DTypeError(
            f"arithmetic: {x.dtype} cannot hold this number. Received: an integer of {y.bit_length()} bits; write a float"
        )
    bits = 8 * x.dtype.itemsize
    return np.asarray(y % 2**bits, f"u{x.dtype.itemsize}").astype(x.dtype)


def _no_negative_power(x: Array, y: Array | float) -> None:
    if (y < 0).any() if isinstance(y, np.ndarray) else y < 0:
        raise DTypeError(
            f"pow: an integer has no negative power in its dtype. Received: x of {x.dtype}, y={y!r}; "
            "cast x to a float first"
        )


def _divided(op: str, ufunc: np.ufunc, x: Array, y: Array | float) -> Array:
    """remainder or floor_divide; of integers by zero, NumPy would give 0."""
    try:
        if x.dtype.kind != "f" and x.dtype.kind != "V" and not np.all(y) and x.size:
            raise ZeroDivisionError(f"{op}: integers cannot be divided by 0. Received: a 0 in y")
        with np.errstate(all="ignore"):
            return as_array(ufunc(x, weak(y)))
    except ValueError as error:
        raise misfit(op, error, x=x, y=y) from None
    except OverflowError:
        raise unfit(op, y, x.dtype.name) from None
