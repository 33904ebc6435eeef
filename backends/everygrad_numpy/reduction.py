"""Reductions and order on NumPy."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, as_array
from everygrad_ops import ShapeError
from everygrad_ops.reduction import ReductionOps


class NumpyReduction(ReductionOps[Array]):
    """float16 and bfloat16 accumulate in float32; integers in int64."""

    @override
    def sum(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        if x.dtype in LOW:
            return as_array(np.sum(x, dims, np.float32, keepdims=keepdim)).astype(x.dtype)
        dtype = None if x.dtype.kind == "f" else np.int64
        return as_array(np.sum(x, dims, dtype, keepdims=keepdim))

    @override
    def prod(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        if x.dtype in LOW:
            return as_array(np.prod(x, dims, np.float32, keepdims=keepdim)).astype(x.dtype)
        dtype = None if x.dtype.kind == "f" else np.int64
        return as_array(np.prod(x, dims, dtype, keepdims=keepdim))

    @override
    def amax(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        try:
            return as_array(np.max(x, dims, keepdims=keepdim))
        except ValueError:
            raise _nothing("amax", x, dims) from None

    @override
    def amin(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        try:
            return as_array(np.min(x, dims, keepdims=keepdim))
        except ValueError:
            raise _nothing("amin", x, dims) from None

    @override
    def argmax(self, x: Array, dim: int, keepdim: bool = False) -> Array:
        try:
            return as_array(np.argmax(x, dim, keepdims=keepdim))
        except ValueError:
            raise _nothing("argmax", x, (dim,)) from None

    @override
    def argmin(self, x: Array, dim: int, keepdim: bool = False) -> Array:
        try:
            return as_array(np.argmin(x, dim, keepdims=keepdim))
        except ValueError:
            raise _nothing("argmin", x, (dim,)) from None

    @override
    def sort(self, x: Array, dim: int, descending: bool = False) -> tuple[Array, Array]:
        if not descending:
            order = np.argsort(x, dim, kind="stable")
        else:  # stable downwards: sort the reversed array upwards, then turn both around
            flipped = np.flip(x, dim)
            order = x.shape[dim] - 1 - np.flip(np.argsort(flipped, dim, kind="stable"), dim)
        return np.take_along_axis(x, order, dim), order


def _nothing(op: str, x: Array, dims: tuple[int, ...]) -> ShapeError:
    return ShapeError(f"{op}: there is no extremum of nothing. Received: x of shape {x.shape}, dims={dims}")
