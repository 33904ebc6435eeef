"""Small functions that stand beside a method, or say what dtypes make of each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from typing_extensions import TypeIs

from everygrad.functional.creation import Like
from everygrad.functional.creation import tensor as made
from everygrad.functional.shape import reshape, split
from everygrad.registry import resolve
from everygrad.tensor.operands import meeting
from everygrad.tensor.variable import detach
from everygrad.tensor.wrap import is_tensor as _is_tensor
from everygrad.tensor.wrap import need_tensor
from everygrad_ops import DType, DTypeError, as_dtype, promote, promote_scalar

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "as_tensor",
    "asarray",
    "can_cast",
    "clone",
    "detach",
    "finfo",
    "iinfo",
    "is_floating_point",
    "is_tensor",
    "numel",
    "promote_types",
    "result_type",
    "split_with_sizes",
    "vander",
]


class FloatInfo(NamedTuple):
    """What a floating-point dtype holds; `resolution` is the decimal digit that it still tells apart."""

    bits: int
    eps: float
    min: float
    max: float
    tiny: float
    smallest_normal: float
    resolution: float


class IntegerInfo(NamedTuple):
    """What an integer dtype holds."""

    bits: int
    min: int
    max: int


_FORMATS = {
    DType.float64: (52, -1022, 1023),
    DType.float32: (23, -126, 127),
    DType.float16: (10, -14, 15),
    DType.bfloat16: (7, -126, 127),
}
"""Bits after the point, and the powers of two of the smallest normal and the largest number."""


def as_tensor(data: Any, dtype: DType | None = None, *, backend: Like = None) -> Tensor:
    """`data` itself where it is a tensor that fits, else moved or cast, differentiably; anything else as by `eg.tensor`.

    >>> import everygrad as eg
    >>> x = eg.ones(2)
    >>> eg.as_tensor(x) is x, eg.as_tensor([1, 2]).dtype
    (True, everygrad.int64)
    """
    if not _is_tensor(data):
        return made(data, dtype, backend=backend)
    moved = data if backend is None else data.to(resolve(backend))
    return moved if dtype is None else moved.to(as_dtype(dtype))


def asarray(obj: Any, *, dtype: DType | None = None, backend: Like = None) -> Tensor:
    """The same as `as_tensor`.

    >>> import everygrad as eg
    >>> eg.asarray([1.0], dtype=eg.float64).dtype
    everygrad.float64
    """
    return as_tensor(obj, dtype, backend=backend)


def clone(input: Tensor) -> Tensor:
    """The same values, differentiably: a tensor is a value, so there is nothing to copy.

    >>> import everygrad as eg
    >>> eg.clone(eg.tensor([1.0])).tolist()
    [1.0]
    """
    need_tensor("clone", "input", input)
    return reshape(input, input.shape)


def numel(input: Tensor) -> int:
    """The number of elements.

    >>> import everygrad as eg
    >>> eg.numel(eg.ones(2, 3))
    6
    """
    need_tensor("numel", "input", input)
    return input.numel()


def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of the given sizes along a dim.

    >>> import everygrad as eg
    >>> [p.tolist() for p in eg.split_with_sizes(eg.arange(3), [1, 2])]
    [[0], [1, 2]]
    """
    return split(input, list(split_sizes), dim)


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers N - 1, ..., 1, 0 of the elements of a vector, as columns; N is its length unless given.

    >>> import everygrad as eg
    >>> eg.vander(eg.tensor([2.0, 3.0]), 3).tolist()
    [[4.0, 2.0, 1.0], [9.0, 3.0, 1.0]]
    """
    from everygrad.linalg import products  # which stands on this package

    found = products.vander(x, N)
    return found if increasing else found.flip(-1)


def is_tensor(obj: object) -> TypeIs[Tensor]:
    """Whether it is one of everygrad's tensors.

    >>> import everygrad as eg
    >>> eg.is_tensor(eg.ones(2)), eg.is_tensor([1.0])
    (True, False)
    """
    return _is_tensor(obj)


def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is a floating-point one.

    >>> import everygrad as eg
    >>> eg.is_floating_point(eg.ones(2)), eg.is_floating_point(eg.arange(2))
    (True, False)
    """
    need_tensor("is_floating_point", "input", input)
    return input.dtype.is_floating


def finfo(type: DType = DType.float32) -> FloatInfo:
    """What a floating-point dtype holds: its size in bits, the gap after 1, the largest and the smallest numbers.

    >>> import everygrad as eg
    >>> eg.finfo(eg.float32).eps == 2**-23, eg.finfo(eg.float16).max
    (True, 65504.0)
    """
    dtype = as_dtype(type)
    if dtype not in _FORMATS:
        raise DTypeError(f"finfo: needs a floating-point dtype. Received: {dtype}; write iinfo({dtype})")
    digits, low, high = _FORMATS[dtype]
    eps, tiny = math.ldexp(1.0, -digits), math.ldexp(1.0, low)
    largest = math.ldexp(2.0 - eps, high)
    return FloatInfo(
        8 * dtype.itemsize, eps, -largest, largest, tiny, tiny, 10.0 ** -math.floor(digits * math.log10(2))
    )


def iinfo(type: DType) -> IntegerInfo:
    """What an integer dtype holds: its size in bits, the smallest and the largest number.

    >>> import everygrad as eg
    >>> eg.iinfo(eg.int8).min, eg.iinfo(eg.uint8).max
    (-128, 255)
    """
    dtype = as_dtype(type)
    if dtype.category != 1:
        raise DTypeError(f"iinfo: needs an integer dtype. Received: {dtype}")
    bits = 8 * dtype.itemsize
    if dtype is DType.uint8:
        return IntegerInfo(bits, 0, 2**bits - 1)
    return IntegerInfo(bits, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def promote_types(type1: DType, type2: DType) -> DType:
    """The dtype that tensors of two dtypes meet in.

    >>> import everygrad as eg
    >>> eg.promote_types(eg.int64, eg.float16)
    everygrad.float16
    """
    return promote(as_dtype(type1), as_dtype(type2))


def result_type(tensor: Tensor | float, other: Tensor | float) -> DType:
    """The dtype that two operands meet in.

    A Python number takes the tensor's unless it is of a higher category, and so does a tensor of rank 0 beside one with dims.

    >>> import everygrad as eg
    >>> eg.result_type(eg.tensor([1]), 0.5), eg.result_type(eg.ones(1), eg.ones(1, dtype=eg.float64))
    (everygrad.float32, everygrad.float64)
    """
    if _is_tensor(tensor) and _is_tensor(other):
        return meeting(tensor, other)
    if _is_tensor(tensor):
        return promote_scalar(tensor.dtype, other)
    if _is_tensor(other):
        return promote_scalar(other.dtype, tensor)
    raise TypeError(
        f"result_type: one operand must be a Tensor. Received: {type(tensor).__name__} and {type(other).__name__}; "
        "write eg.tensor(...) around one"
    )


def can_cast(from_: DType, to: DType) -> bool:
    """Whether values of a dtype may be written into another: not floats into integers, nor numbers into booleans.

    >>> import everygrad as eg
    >>> eg.can_cast(eg.int64, eg.float16), eg.can_cast(eg.float16, eg.int64)
    (True, False)
    """
    return as_dtype(from_).category <= as_dtype(to).category
