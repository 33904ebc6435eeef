"""Small things that torch's tensors can be asked or told."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from everygrad.functional.comparison import where as where_function
from everygrad.functional.shape import broadcast_to, reshape
from everygrad.tensor.convert import to
from everygrad.tensor.operands import cast_to
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DType, as_dtype

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

BYTES = {DType.bool_: 1, DType.bfloat16: 2}


def clone(input: Tensor) -> Tensor:
    """The same values, differentiably: a tensor is a value, so there is nothing to copy."""
    return reshape(input, input.shape)


def contiguous(input: Tensor) -> Tensor:
    """The tensor itself: how values lie in memory is the backend's own affair."""
    return input


def is_contiguous(input: Tensor) -> bool:
    """True: how values lie in memory is the backend's own affair."""
    return True


def cpu(input: Tensor) -> Tensor:
    """On the CPU, in the same array library."""
    return to(input, "cpu")


def cuda(input: Tensor, device: int = 0) -> Tensor:
    """On a CUDA device, in the same array library."""
    return to(input, f"cuda:{device}")


def as_type(input: Tensor, dtype: Any = None) -> Any:
    """In another dtype; without one, the dtype's name."""
    return str(input.dtype.value) if dtype is None else cast_to(input, as_dtype(dtype))


def type_as(input: Tensor, other: Tensor) -> Tensor:
    """In the dtype of another tensor."""
    need_tensor("type_as", "other", other)
    return cast_to(input, other.dtype)


def view_as(input: Tensor, other: Tensor) -> Tensor:
    """In the shape of another tensor of as many elements."""
    need_tensor("view_as", "other", other)
    return reshape(input, other.shape)


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Stretched to the shape of another tensor."""
    need_tensor("expand_as", "other", other)
    return broadcast_to(input, other.shape)


def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is a floating-point one."""
    return input.dtype.is_floating


def element_size(input: Tensor) -> int:
    """The bytes of one element."""
    dtype = input.dtype
    return BYTES[dtype] if dtype in BYTES else int("".join(c for c in dtype.value if c.isdigit())) // 8


def where(input: Tensor, condition: Tensor, other: Tensor | float) -> Tensor:
    """The tensor where a condition holds, else other."""
    return where_function(condition, input, other)


def new_full(input: Tensor, size: Any, fill_value: float, *, dtype: DType | None = None) -> Tensor:
    """One value, on the backend and in the dtype of this tensor."""
    shape, chosen = (size,) if isinstance(size, builtins.int) else tuple(size), dtype or input.dtype
    return wrap(input.backend.full(shape, fill_value, chosen), input.backend, chosen)


def new_zeros(input: Tensor, *size: Any, dtype: DType | None = None) -> Tensor:
    """Zeros, on the backend and in the dtype of this tensor."""
    return new_full(input, _sizes(size), 0, dtype=dtype)


def new_ones(input: Tensor, *size: Any, dtype: DType | None = None) -> Tensor:
    """Ones, on the backend and in the dtype of this tensor."""
    return new_full(input, _sizes(size), 1, dtype=dtype)


def _sizes(given: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(given[0]) if len(given) == 1 and not isinstance(given[0], builtins.int) else given
