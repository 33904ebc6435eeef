"""Logic of bits on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array, as_array
from everygrad_ops.bitwise import BitwiseOps, no_bits
from everygrad_ops.errors import misfit, unfit


class NumpyBitwise(BitwiseOps[Array]):
    """Universal functions; 0-d results are wrapped back into arrays."""

    @override
    def bitwise_and(self, x: Array, y: Array | float) -> Array:
        return _bits("bitwise_and", np.bitwise_and, x, y)

    @override
    def bitwise_or(self, x: Array, y: Array | float) -> Array:
        return _bits("bitwise_or", np.bitwise_or, x, y)

    @override
    def bitwise_xor(self, x: Array, y: Array | float) -> Array:
        return _bits("bitwise_xor", np.bitwise_xor, x, y)

    @override
    def bitwise_left_shift(self, x: Array, y: Array | float) -> Array:
        return _bits("bitwise_left_shift", np.left_shift, x, y, "iu")

    @override
    def bitwise_right_shift(self, x: Array, y: Array | float) -> Array:
        return _bits("bitwise_right_shift", np.right_shift, x, y, "iu")

    @override
    def bitwise_not(self, x: Array) -> Array:
        if x.dtype.kind not in "iub":
            raise no_bits("bitwise_not", x.dtype.name)
        return as_array(np.invert(x))

    @override
    def gcd(self, x: Array, y: Array) -> Array:
        return _bits("gcd", np.gcd, x, y, "iu")

    @override
    def lcm(self, x: Array, y: Array) -> Array:
        return _bits("lcm", np.lcm, x, y, "iu")


def _bits(op: str, ufunc: np.ufunc, x: Array, y: Any, kinds: str = "iub") -> Array:
    if x.dtype.kind not in kinds:  # NumPy takes booleans to int8
        raise no_bits(op, x.dtype.name)
    try:
        return as_array(ufunc(x, y))
    except ValueError as error:
        raise misfit(op, error, x=x, y=y) from None
    except OverflowError:
        raise unfit(op, y, x.dtype.name) from None
    except TypeError:
        raise no_bits(op, getattr(y, "dtype", type(y).__name__)) from None
