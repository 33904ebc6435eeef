"""More that torch's tensors can be asked or told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.functional.creation import shape_of
from everygrad.functional.parts import narrow
from everygrad.functional.piecewise import hardshrink, prelu
from everygrad.functional.shape import split
from everygrad.functional.without_nan import fmax, fmin
from everygrad.tensor.operands import cast_to
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DType

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether the shapes are equal."""
    need_tensor("is_same_size", "other", other)
    return input.shape == other.shape


def is_signed(input: Tensor) -> bool:
    """Whether the dtype has negative numbers."""
    return input.dtype not in (DType.bool_, DType.uint8)


def is_complex(input: Tensor) -> bool:
    """False: there are no complex dtypes."""
    return False


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not 0."""
    return bool(input.detach() != 0)


def short(input: Tensor) -> Tensor:
    """In int16."""
    return cast_to(input, DType.int16)


def char(input: Tensor) -> Tensor:
    """In int8."""
    return cast_to(input, DType.int8)


def byte(input: Tensor) -> Tensor:
    """In uint8."""
    return cast_to(input, DType.uint8)


def sum_to_size(input: Tensor, size: Any = (), *more: int) -> Tensor:
    """Summed over the dims that broadcasting from `size` would have stretched."""
    shape = shape_of("sum_to_size", (size, *more))
    x = input if input.dtype.is_floating else cast_to(input, DType.int64)  # as sums are
    return wrap(x.backend.sum_to(x.array, shape), x.backend, x.dtype)


class AboutMethods:
    """Small methods of tensors."""

    __slots__ = ()

    byte = byte
    char = char
    fmax = fmax
    fmin = fmin
    hardshrink = hardshrink
    is_complex = is_complex
    is_nonzero = is_nonzero
    is_same_size = is_same_size
    is_signed = is_signed
    narrow_copy = narrow
    prelu = prelu
    short = short
    split_with_sizes = split
    sum_to_size = sum_to_size
