"""Reductions on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, as_array
from everygrad_ops.checks import check_dims
from everygrad_ops.errors import no_extremum
from everygrad_ops.reduction import ReductionOps, size_of


class NumpyReduction(ReductionOps[Array]):
    """float16 and bfloat16 accumulate in float32; integers in int64."""

    @override
    def sum(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("sum", dims, x.ndim)
        result = _sum(x, dims, keepdim)
        return result.astype(x.dtype) if x.dtype in LOW else result

    @override
    def mean(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("mean", dims, x.ndim)
        with np.errstate(all="ignore"):  # over nothing: 0 / 0
            result = as_array(np.true_divide(_sum(x, dims, keepdim), size_of(x.shape, dims)))
            return result.astype(x.dtype) if x.dtype in LOW else result

    @override
    def prod(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("prod", dims, x.ndim)
        with np.errstate(all="ignore"):
            result = _reduce(np.multiply, x, dims, _working(x), keepdim)
            return result.astype(x.dtype) if x.dtype in LOW else result

    @override
    def amax(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("amax", dims, x.ndim)
        try:
            return _reduce(np.maximum, x, dims, None, keepdim)
        except ValueError:
            raise no_extremum("amax", x.shape, dims) from None

    @override
    def amin(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("amin", dims, x.ndim)
        try:
            return _reduce(np.minimum, x, dims, None, keepdim)
        except ValueError:
            raise no_extremum("amin", x.shape, dims) from None

    @override
    def any(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("any", dims, x.ndim)
        return _reduce(np.logical_or, x, dims, None, keepdim)

    @override
    def all(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("all", dims, x.ndim)
        return _reduce(np.logical_and, x, dims, None, keepdim)


_BLOCK = 64


def _reduce(ufunc: np.ufunc, x: Array, dims: tuple[int, ...], dtype: Any, keepdim: bool) -> Array:
    return as_array(ufunc.reduce(x, dims, dtype, keepdims=keepdim))


def _working(x: Array) -> Any:
    """The dtype to accumulate in; None for that of x."""
    return np.float32 if x.dtype in LOW else None if x.dtype.kind == "f" else np.int64


def _sum(x: Array, dims: tuple[int, ...], keepdim: bool) -> Array:
    """The sum in its working dtype. Long columns are summed in blocks, for NumPy adds only rows pairwise."""
    for dim in dims:
        if x.shape[dim] > 8 * _BLOCK and x.dtype.kind != "i" and dim < x.ndim - 1:
            return _sum_blocks(x, dims, keepdim, dim)
    return _reduce(np.add, x, dims, _working(x), keepdim)


def _sum_blocks(x: Array, dims: tuple[int, ...], keepdim: bool, dim: int) -> Array:
    """Sum blocks along `dim` first, then their sums."""
    blocks = x.shape[dim] // _BLOCK
    lead = (slice(None),) * dim
    body, tail = x[(*lead, slice(0, blocks * _BLOCK))], x[(*lead, slice(blocks * _BLOCK, None))]
    parts = body.reshape((*x.shape[:dim], blocks, _BLOCK, *x.shape[dim + 1 :]))
    inner = (dim + 1, *(d + (d > dim) for d in dims if d != dim))
    sums = _reduce(np.add, parts, inner, _working(x), True)
    total = as_array(np.add(_sum(np.squeeze(sums, dim + 1), dims, True), _sum(tail, dims, True)))
    return total if keepdim else np.squeeze(total, dims)
