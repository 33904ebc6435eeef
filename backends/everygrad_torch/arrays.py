"""What all torch ops share: the array type, and the dtypes both ways."""

from __future__ import annotations

import math
from typing import Any

import torch

from everygrad_ops import DType, DTypeError
from everygrad_ops.errors import unfit

Array = torch.Tensor

TO_TORCH: dict[DType, torch.dtype] = {
    DType.float64: torch.float64,
    DType.float32: torch.float32,
    DType.float16: torch.float16,
    DType.bfloat16: torch.bfloat16,
    DType.int64: torch.int64,
    DType.int32: torch.int32,
    DType.int16: torch.int16,
    DType.int8: torch.int8,
    DType.uint8: torch.uint8,
    DType.bool_: torch.bool,
}
FROM_TORCH: dict[torch.dtype, DType] = {t: d for d, t in TO_TORCH.items()}
LOW = frozenset({torch.float16, torch.bfloat16})
"""Dtypes that accumulate in float32."""


def dtype_of(x: Array, op: str = "dtype") -> DType:
    """The contract's name of a tensor's dtype."""
    try:
        return FROM_TORCH[x.dtype]
    except KeyError:
        raise DTypeError(
            f"{op}: the torch backend has no dtype {x.dtype}. Received: a tensor of it; "
            "write tensor.to(...) with one of " + ", ".join(d.value for d in DType)
        ) from None


def hold(op: str, x: Array, y: Array | float) -> Array | float:
    """`y` again; a Python number that the integer dtype of `x` cannot hold raises (torch would wrap it)."""
    if y.__class__ is int and not x.dtype.is_floating_point and x.dtype is not torch.bool:
        info = torch.iinfo(x.dtype)
        if not info.min <= y <= info.max:
            raise unfit(op, y, FROM_TORCH[x.dtype].value)
    return y


def kernel(overload: Any) -> Any:
    """The C function behind an ATen overload such as `torch.ops.aten.tanh_backward.default`.

    The overload itself is a Python object around it, and costs a fifth of a small kernel's time.
    """
    return getattr(overload, "_op", overload)


def is_finite(x: Array) -> bool:
    """Whether all is finite; False too where only the sum overflows. Elsewhere than on a CPU asking waits."""
    if not x.is_cpu:
        return False
    if x.numel() <= _A_HANDFUL:  # Python adds a handful of numbers before a kernel has started
        return math.isfinite(sum(x.flatten().tolist()))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]  # of numbers
    return math.isfinite(x.sum().item())


_A_HANDFUL = 16
