"""Creation, conversion and queries on NumPy."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import TO_NUMPY, Array, as_array, dtype_of
from everygrad_ops import DType
from everygrad_ops.creation import CreationOps, arange_count
from everygrad_ops.errors import misfit, unfit


class NumpyCreation(CreationOps[Array]):
    """How arrays come in and go out."""

    @override
    def shape(self, x: Array) -> tuple[int, ...]:
        return x.shape

    @override
    def dtype(self, x: Array) -> DType:
        return dtype_of(x)

    @override
    def signature(self, x: Array) -> tuple[object, object]:
        return x.shape, x.dtype

    @override
    def device(self, x: Array) -> str:
        return "cpu"

    @override
    def to_numpy(self, x: Array) -> Array:
        view = x.view()
        view.flags.writeable = False
        return view

    @override
    def from_numpy(self, array: Array, copy: bool = True) -> Array:
        dtype_of(array, "from_numpy")
        result: Array = np.array(array, copy=True) if copy else np.asarray(array)
        return result

    @override
    def full(self, shape: tuple[int, ...], value: float, dtype: DType) -> Array:
        try:
            with np.errstate(all="ignore"):
                return np.full(shape, value, TO_NUMPY[dtype])
        except (OverflowError, ValueError) as error:
            if any(size < 0 for size in shape):
                raise misfit("full", error, shape=shape) from None
            if shape:
                self.full((), value, dtype)  # which says so where it is the value that does not fit
                raise MemoryError(f"full: {error}. Received: shape={shape}; write smaller sizes") from None
            raise unfit("full", value, dtype.value) from None

    @override
    def zeros_like(self, x: Array) -> Array:
        return np.zeros(x.shape, x.dtype)

    @override
    def ones_like(self, x: Array) -> Array:
        return np.ones(x.shape, x.dtype)

    @override
    def arange(self, start: float, stop: float, step: float, dtype: DType) -> Array:
        count = np.arange(arange_count(start, stop, step))
        with np.errstate(all="ignore"):
            return as_array(start + step * count).astype(TO_NUMPY[dtype])

    @override
    def cast(self, x: Array, dtype: DType) -> Array:
        with np.errstate(all="ignore"):
            return x.astype(TO_NUMPY[dtype], copy=False)
