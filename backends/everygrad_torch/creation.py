"""Creation, conversion and queries on torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from typing_extensions import override

from everygrad_ops import DType
from everygrad_ops.creation import CreationOps
from everygrad_torch.arrays import TO_TORCH, Array, dtype_of

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
            return bits.view(ml_dtypes.bfloat16)
        values: NDArray[Any] = x.detach().cpu().numpy()
        view = values.view()
        view.flags.writeable = False
        return view

    @override
    def from_numpy(self, array: NDArray[Any], copy: bool = True) -> Array:
        if array.dtype.name == "bfloat16":
            bits = _from_numpy(np.array(array).view(np.int16))
            return bits.view(torch.bfloat16).to(self._device)
        shared = not copy and array.flags.writeable and all(s >= 0 for s in array.strides)
        tensor = _from_numpy(array if shared else np.array(array, order="C"))
        dtype_of(tensor)
        return tensor.to(self._device)

    @override
    def full(self, shape: tuple[int, ...], value: float, dtype: DType) -> Array:
        return torch.full(shape, value, dtype=TO_TORCH[dtype], device=self._device)

    @override
    def arange(self, start: float, stop: float, step: float, dtype: DType) -> Array:
        return torch.arange(start, stop, step, device=self._device).to(TO_TORCH[dtype])

    @override
    def cast(self, x: Array, dtype: DType) -> Array:
        return x.to(TO_TORCH[dtype])
