"""Creation, conversion and queries on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import TO_NUMPY, Array, as_array, dtype_of
from everygrad_ops import DType
from everygrad_ops.creation import CreationOps


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
        dtype_of(array)
        result: Array = np.array(array, copy=True) if copy else np.asarray(array)
        return result

    @override
    def full(self, shape: tuple[int, ...], value: float, dtype: DType) -> Array:
        return np.full(shape, value, TO_NUMPY[dtype])

    @override
    def arange(self, start: float, stop: float, step: float, dtype: DType) -> Array:
        result: Array = np.arange(start, stop, step).astype(TO_NUMPY[dtype])
        return result

    @override
    def cast(self, x: Array, dtype: DType) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            result: Any = x.astype(TO_NUMPY[dtype])
        return as_array(result)
