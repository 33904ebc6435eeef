"""Creation, conversion and queries on torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from typing_extensions import override

from everygrad_ops import DType
from everygrad_ops.creation import CreationOps, arange_count
from everygrad_ops.errors import misfit, unfit
from everygrad_torch.arrays import LOW, TO_TORCH, Array, dtype_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


_from_numpy: Callable[[NDArray[Any]], Array] = torch.from_numpy  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # untyped in torch


class TorchCreation(CreationOps[Array]):
    """How tensors come in and go out, on the device of the backend."""

    _device: torch.device

    @override
    def shape(self, x: Array) -> tuple[int, ...]:
        return tuple(x.shape)

    @override
    def dtype(self, x: Array) -> DType:
        return dtype_of(x)

    @override
    def signature(self, x: Array) -> tuple[object, object]:
        return x.shape, x.dtype

    @override
    def device(self, x: Array) -> str:
        return str(x.device)

    @override
    def to_numpy(self, x: Array) -> NDArray[Any]:
        if x.dtype is torch.bfloat16:  # NumPy has no bfloat16 of its own: carry the bits over
            import ml_dtypes

            bits: NDArray[Any] = x.detach().cpu().contiguous().view(torch.int16).numpy()
            bits = bits.view(ml_dtypes.bfloat16)
            bits.flags.writeable = False
            return bits
        values: NDArray[Any] = x.detach().cpu().numpy()
        view = values.view()
        view.flags.writeable = False
        return view

    @override
    def from_numpy(self, array: NDArray[Any], copy: bool = True) -> Array:
        if array.dtype.name == "bfloat16":
            bits = _from_numpy(np.array(array, order="C").view(np.int16))
            return bits.view(torch.bfloat16).to(self._device)
        shared = not copy and array.flags.writeable and all(s >= 0 for s in array.strides)
        tensor = _from_numpy(array if shared else np.array(array, order="C"))
        dtype_of(tensor, "from_numpy")
        return tensor.to(self._device)

    @override
    def zeros_like(self, x: Array) -> Array:
        return torch.zeros_like(x)

    @override
    def ones_like(self, x: Array) -> Array:
        return torch.ones_like(x)

    @override
    def full(self, shape: tuple[int, ...], value: float, dtype: DType) -> Array:
        if value < 0 and dtype is DType.uint8:  # torch would wrap it
            raise unfit("full", value, dtype.value)
        try:
            return torch.full(shape, value, dtype=TO_TORCH[dtype], device=self._device)
        except (RuntimeError, OverflowError) as error:
            if any(size < 0 for size in shape):
                raise misfit("full", error, shape=shape) from None
            if shape:  # whichever does not fit, the value or the shape, says so
                return self.full((), value, dtype).expand(shape).clone()
            if not dtype.is_floating:
                raise unfit("full", value, dtype.value) from None
            # torch refuses what rounds to inf, and integers of more than 64 bits
            far = isinstance(error, OverflowError)
            rounded = float(value) if far else math.copysign(math.inf, value)
            return torch.full((), rounded, dtype=TO_TORCH[dtype], device=self._device)

    @override
    def arange(self, start: float, stop: float, step: float, dtype: DType) -> Array:
        count = torch.arange(arange_count(start, stop, step), device=self._device)
        if any(isinstance(v, float) for v in (start, stop, step)):
            count = count.to(torch.float64)
        return self.cast(torch.add(torch.mul(count, step), start), dtype)

    @override
    def cast(self, x: Array, dtype: DType) -> Array:
        target = TO_TORCH[dtype]
        if x.dtype is torch.float64 and target in LOW:
            x = _to_odd(x)
        return x.to(target)


def _to_odd(x: Array) -> Array:
    """float64 in float32, rounded towards 0 with the last bit set where that loses something.

    torch goes from float64 to low precision by way of float32, and would round twice; from here the
    second rounding alone decides. Source: Boldo, Melquiond, "When double rounding is odd", 2005.
    """
    near = x.to(torch.float32)
    back = near.to(torch.float64)
    inexact = torch.logical_and(back != x, torch.isfinite(near))
    bits = near.view(torch.int32) - (back.abs() > x.abs()).to(torch.int32)
    return torch.where(inexact, (bits | 1).view(torch.float32), near)
