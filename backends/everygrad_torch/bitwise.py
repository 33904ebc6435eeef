"""Logic of bits on torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops.bitwise import BitwiseOps, no_bits
from everygrad_ops.errors import misfit
from everygrad_torch.arrays import Array, dtype_of, hold


class TorchBitwise(BitwiseOps[Array]):
    """Plain ATen calls."""

    @override
    def bitwise_and(self, x: Array, y: Array | float) -> Array:
        return _bits("bitwise_and", torch.bitwise_and, x, y)

    @override
    def bitwise_or(self, x: Array, y: Array | float) -> Array:
        return _bits("bitwise_or", torch.bitwise_or, x, y)

    @override
    def bitwise_xor(self, x: Array, y: Array | float) -> Array:
        return _bits("bitwise_xor", torch.bitwise_xor, x, y)

    @override
    def bitwise_left_shift(self, x: Array, y: Array | float) -> Array:
        return _bits("bitwise_left_shift", torch.bitwise_left_shift, x, y, booleans=False)

    @override
    def bitwise_right_shift(self, x: Array, y: Array | float) -> Array:
        return _bits("bitwise_right_shift", torch.bitwise_right_shift, x, y, booleans=False)

    @override
    def bitwise_not(self, x: Array) -> Array:
        if x.dtype.is_floating_point:
            raise no_bits("bitwise_not", dtype_of(x).value)
        return torch.bitwise_not(x)

    @override
    def gcd(self, x: Array, y: Array) -> Array:
        return _bits("gcd", torch.gcd, x, y, booleans=False)

    @override
    def lcm(self, x: Array, y: Array) -> Array:
        return _bits("lcm", torch.lcm, x, y, booleans=False)


def _bits(
    op: str, function: Callable[[Array, Any], Array], x: Array, y: Array | float, booleans: bool = True
) -> Array:
    if x.dtype.is_floating_point or not (booleans or x.dtype is not torch.bool):
        raise no_bits(op, dtype_of(x).value)
    if isinstance(y, float):
        raise no_bits(op, "float")
    try:
        return function(x, hold(op, x, y))
    except RuntimeError as error:
        raise misfit(op, error, x=x, y=y) from None
