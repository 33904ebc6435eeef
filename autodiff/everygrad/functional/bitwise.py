"""Logic of the bits of integers; of booleans, logic as it is. Integers and booleans promote by torch's table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.tensor.operands import known_dtype, operand_arrays, operands
from everygrad.tensor.wrap import wrap
from everygrad_ops.bitwise import no_bits

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "gcd",
    "lcm",
]


def bitwise_and(input: Tensor | int, other: Tensor | int) -> Tensor:
    """The bits set in both, `&`; of booleans, logical and.

    >>> import everygrad as eg
    >>> (eg.tensor([6, 5]) & 3).tolist()
    [2, 1]
    """
    b, x, y, dtype = operands("bitwise_and", input, other)
    if isinstance(y, float):
        raise no_bits("bitwise_and", "float")
    return wrap(b.bitwise_and(x, y), b, dtype)


def bitwise_or(input: Tensor | int, other: Tensor | int) -> Tensor:
    """The bits set in either, `|`; of booleans, logical or.

    >>> import everygrad as eg
    >>> (eg.tensor([6, 5]) | 3).tolist()
    [7, 7]
    """
    b, x, y, dtype = operands("bitwise_or", input, other)
    if isinstance(y, float):
        raise no_bits("bitwise_or", "float")
    return wrap(b.bitwise_or(x, y), b, dtype)


def bitwise_xor(input: Tensor | int, other: Tensor | int) -> Tensor:
    """The bits set in exactly one, `^`; of booleans, logical exclusive or.

    >>> import everygrad as eg
    >>> (eg.tensor([True, False]) ^ eg.tensor([True, True])).tolist()
    [False, True]
    """
    b, x, y, dtype = operands("bitwise_xor", input, other)
    if isinstance(y, float):
        raise no_bits("bitwise_xor", "float")
    return wrap(b.bitwise_xor(x, y), b, dtype)


def bitwise_not(input: Tensor) -> Tensor:
    """Every bit turned over, `~`: -x - 1 of signed integers; of booleans, logical not.

    >>> import everygrad as eg
    >>> (~eg.tensor([0, 5])).tolist(), (~eg.tensor([True])).tolist()
    ([-1, -6], [False])
    """
    dtype = known_dtype("bitwise_not", input)
    return wrap(input.backend.bitwise_not(input.array), input.backend, dtype)


def bitwise_left_shift(input: Tensor | int, other: Tensor | int) -> Tensor:
    """The bits moved left, `<<`: input * 2**other, wrapped; 0 where other is negative or all the bits.

    >>> import everygrad as eg
    >>> (eg.tensor([1, 3]) << 2).tolist()
    [4, 12]
    """
    b, x, y, dtype = operands("bitwise_left_shift", input, other)
    if isinstance(y, float):
        raise no_bits("bitwise_left_shift", "float")
    return wrap(b.bitwise_left_shift(x, y), b, dtype)


def bitwise_right_shift(input: Tensor | int, other: Tensor | int) -> Tensor:
    """The bits moved right, `>>`: floor(input / 2**other); the sign stays.

    >>> import everygrad as eg
    >>> (eg.tensor([12, -3]) >> 1).tolist()
    [6, -2]
    """
    b, x, y, dtype = operands("bitwise_right_shift", input, other)
    if isinstance(y, float):
        raise no_bits("bitwise_right_shift", "float")
    return wrap(b.bitwise_right_shift(x, y), b, dtype)


def gcd(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor, not negative.

    >>> import everygrad as eg
    >>> eg.gcd(eg.tensor([12, -9]), eg.tensor(6)).tolist()
    [6, 3]
    """
    b, x, y, dtype = operand_arrays("gcd", input, other)
    return wrap(b.gcd(x, y), b, dtype)


def lcm(input: Tensor, other: Tensor) -> Tensor:
    """The least common multiple, not negative.

    >>> import everygrad as eg
    >>> eg.lcm(eg.tensor([4, -9]), eg.tensor(6)).tolist()
    [12, 18]
    """
    b, x, y, dtype = operand_arrays("lcm", input, other)
    return wrap(b.lcm(x, y), b, dtype)


def rlshift(input: Tensor | int, other: Tensor | int) -> Tensor:
    """other << input."""
    return bitwise_left_shift(other, input)


def rrshift(input: Tensor | int, other: Tensor | int) -> Tensor:
    """other >> input."""
    return bitwise_right_shift(other, input)
