"""Diagonals, and windows along one dim, on NumPy."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, hushed
from everygrad_numpy.indexing import check_dtypes
from everygrad_ops.checks import check_values
from everygrad_ops.strided import StridedOps, diagonal_of, folded_to, windows_of


@hushed
class NumpyStrided(StridedOps[Array]):
    """Views; windows that do not meet are added back in one go."""

    @override
    def diagonal(self, x: Array, offset: int = 0) -> Array:
        diagonal_of("diagonal", x.shape, offset)
        return np.diagonal(x, offset, -2, -1)

    @override
    def diagonal_scatter(self, x: Array, src: Array, offset: int = 0) -> Array:
        start, count = diagonal_of("diagonal_scatter", x.shape, offset)
        check_values("diagonal_scatter", src.shape, (*x.shape[:-2], count), "src")
        check_dtypes("diagonal_scatter", x, src)
        result = x.copy()
        if src.size:
            flat = result.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])
            step = x.shape[-1] + 1
            flat[..., start : start + (count - 1) * step + 1 : step] = src
        return result

    @override
    def unfold_dim(self, x: Array, dim: int, size: int, step: int) -> Array:
        count = windows_of("unfold_dim", x.shape, dim, size, step)
        return _windows(x, dim, count, size, step)

    @override
    def fold_dim(self, x: Array, dim: int, length: int, step: int) -> Array:
        shape = folded_to("fold_dim", x.shape, dim, length, step)
        count, size = x.shape[dim], x.shape[-1]
        result: Array = np.zeros(shape, np.float32 if x.dtype in LOW else x.dtype)
        apart = -(-size // step) or 1  # windows this many steps from each other do not meet
        for first in range(min(apart, count)):
            chosen = (*(slice(None),) * dim, slice(first, None, apart))
            part = x[chosen]
            start = (*(slice(None),) * dim, slice(first * step, None))
            view = _windows(result[start], dim, part.shape[dim], size, step * apart, writeable=True)
            view += part
        return result.astype(x.dtype, copy=False)


def _windows(x: Array, dim: int, count: int, size: int, step: int, writeable: bool = False) -> Array:
    """A view with the number of windows at `dim`, and their elements at the end."""
    stride = x.strides[dim]
    shape = (*x.shape[:dim], count, *x.shape[dim + 1 :], size)
    strides = (*x.strides[:dim], stride * step, *x.strides[dim + 1 :], stride)
    return as_strided(x, shape, strides, writeable=writeable)
