"""Floats taken apart, and their neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from everygrad.tensor.operands import floating, floating_arrays
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DType

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["frexp", "nextafter"]


class MantissaExponent(NamedTuple):
    """x = mantissa * 2 ** exponent."""

    mantissa: Tensor
    exponent: Tensor


def frexp(input: Tensor) -> MantissaExponent:
    """(mantissa, exponent) with input = mantissa * 2 ** exponent: 1/2 <= |mantissa| < 1, and an int32.

    0, infinities and NaN are their own mantissas, with exponent 0.

    >>> import everygrad as eg
    >>> [v.tolist() for v in eg.frexp(eg.tensor([6.0, -0.25]))]
    [[0.75, -0.5], [3, -1]]
    """
    need_tensor("frexp", "input", input)
    x = floating(input)
    b = x.backend
    mantissa, exponent = b.frexp(x.array)
    return MantissaExponent(wrap(mantissa, b, x.dtype), wrap(b.cast(exponent, DType.int32), b, DType.int32))


def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """The number next to input in its dtype, on the side of other; its derivative in input is 1.

    >>> import everygrad as eg
    >>> (eg.nextafter(eg.tensor([1.0]), eg.tensor([2.0])) - 1).tolist() == [2**-23]
    True
    """
    need_tensor("nextafter", "input", input)
    b, x, y, dtype = floating_arrays("nextafter", input, other)
    return wrap(b.nextafter(x, y), b, dtype)
