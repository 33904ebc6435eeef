"""Logic of the bits of integers; of booleans, logic as it is. Operands have equal dtypes; shapes broadcast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.dtypes import DType
from everygrad_ops.errors import DTypeError, missing
from everygrad_ops.marks import broadcasting, non_differentiable, optional, primitive

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class BitwiseOps(Protocol[A]):
    """Integers as rows of bits. Floats raise `DTypeError`; so does a number that the dtype of x cannot hold."""

    @primitive
    @broadcasting
    @non_differentiable
    def bitwise_and(self, x: A, y: A | float) -> A:
        """The bits set in both."""
        raise missing(self, "bitwise_and")

    @primitive
    @broadcasting
    @non_differentiable
    def bitwise_or(self, x: A, y: A | float) -> A:
        """The bits set in either."""
        raise missing(self, "bitwise_or")

    @primitive
    @broadcasting
    @non_differentiable
    def bitwise_xor(self, x: A, y: A | float) -> A:
        """The bits set in exactly one."""
        raise missing(self, "bitwise_xor")

    @primitive
    @broadcasting
    @non_differentiable
    def bitwise_left_shift(self, x: A, y: A | float) -> A:
        """The bits y places to the left, x * 2**y wrapped. Booleans raise `DTypeError`.

        A shift by a negative number, or by all the bits or more, leaves none: 0.
        """
        raise missing(self, "bitwise_left_shift")

    @primitive
    @broadcasting
    @non_differentiable
    def bitwise_right_shift(self, x: A, y: A | float) -> A:
        """The bits y places to the right, the sign repeated: floor(x / 2**y). Booleans raise `DTypeError`.

        A shift by a negative number, or by all the bits or more, leaves the sign: 0 or -1.
        """
        raise missing(self, "bitwise_right_shift")

    @non_differentiable
    def bitwise_not(self: Backend[A], x: A) -> A:
        """Every bit turned over: -x - 1 (255 - x of uint8)."""
        dtype = self.dtype(x)
        if dtype is DType.bool_:
            return self.logical_not(x)
        if dtype.is_floating:
            raise no_bits("bitwise_not", dtype.value)
        return self.sub(self.neg(x), 1)

    @optional
    @broadcasting
    @non_differentiable
    def gcd(self: Backend[A], x: A, y: A) -> A:
        """The greatest common divisor of integers, not negative; gcd(0, 0) is 0."""
        import numpy as np

        return _integers_on_host(self, "gcd", np.gcd, x, y)

    @optional
    @broadcasting
    @non_differentiable
    def lcm(self: Backend[A], x: A, y: A) -> A:
        """The least common multiple of integers, not negative; 0 where either is 0."""
        import numpy as np

        return _integers_on_host(self, "lcm", np.lcm, x, y)


def _integers_on_host(b: Backend[A], op: str, function: object, x: A, y: A) -> A:
    from everygrad_ops.host import pair_on_host

    if b.dtype(x).category != 1:
        raise no_bits(op, b.dtype(x).value)
    return pair_on_host(b, op, function, x, y)


def no_bits(op: str, dtype: object) -> DTypeError:
    """The error for a dtype that an op of integers does not take.

    >>> no_bits("gcd", "float32")
    DTypeError('gcd: takes integers. Received: float32; write x.to(everygrad.int64) first')
    """
    return DTypeError(f"{op}: takes integers. Received: {dtype}; write x.to(everygrad.int64) first")
