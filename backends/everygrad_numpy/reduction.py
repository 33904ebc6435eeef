"""Reductions on NumPy."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import COMPLAINTS, LOW, Array, as_array, quiet
from everygrad_ops import Backend
from everygrad_ops.checks import check_dims
from everygrad_ops.errors import no_extremum
from everygrad_ops.reduction import ReductionOps, size_of


class NumpyReduction(ReductionOps[Array]):
    """float16 and bfloat16 accumulate in float32; integers in int64."""

    @override
    def sum(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("sum", dims, x.ndim)
        result = total(x, dims, keepdim)
        if x.dtype not in LOW:
            return result
        with np.errstate(all="ignore"):
            return result.astype(x.dtype)

    @override
    def mean(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("mean", dims, x.ndim)
        with np.errstate(all="ignore"):  # over nothing: 0 / 0
            result = as_array(np.true_divide(total(x, dims, keepdim), size_of(x.shape, dims)))
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
    def var(
        self: Backend[Array], x: Array, dims: tuple[int, ...], correction: float = 1, keepdim: bool = False
    ) -> Array:
        check_dims("var", dims, x.ndim)
        divisor = size_of(x.shape, dims) - correction
        if not x.size or divisor <= 0 or not (x.dtype.kind == "f" or x.dtype in LOW):
            return Backend[Array].var(self, x, dims, correction, keepdim)
        with np.errstate(all="ignore"):
            rest = _centred(x, dims)
            result = as_array(np.divide(total(np.square(rest, out=rest), dims, keepdim), divisor))
            return result.astype(x.dtype, copy=False)

    @override
    def logsumexp(self: Backend[Array], x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("logsumexp", dims, x.ndim)
        if not x.size or not (x.dtype.kind == "f" or x.dtype in LOW):
            return Backend[Array].logsumexp(self, x, dims, keepdim)
        y = x.astype(np.float32) if x.dtype in LOW else x
        top = _reduce(np.maximum, y, dims, None, True)
        top[np.isinf(top)] = 0
        with np.errstate(all="ignore"):
            shifted = as_array(np.subtract(y, top))
            result = np.log(total(np.exp(shifted, out=shifted), dims, True)) + top
        result = as_array(result).astype(x.dtype, copy=False)
        return result if keepdim else np.squeeze(result, dims)

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
    try:
        return as_array(ufunc.reduce(x, dims, dtype, keepdims=keepdim))
    except COMPLAINTS:
        return quiet(functools.partial(ufunc.reduce, x, dims, dtype, keepdims=keepdim))


def _working(x: Array) -> Any:
    """The dtype to accumulate in; None for that of x."""
    return np.float32 if x.dtype in LOW else None if x.dtype.kind == "f" else np.int64


def _centred(x: Array, dims: tuple[int, ...]) -> Array:
    """A new array of x less its mean, in working precision; exactly 0 where all are equal."""
    count = size_of(x.shape, dims)
    y = x.astype(np.float32) if x.dtype in LOW else x
    rest = as_array(np.subtract(y, np.true_divide(total(y, dims, True), count)))
    left = np.true_divide(total(rest, dims, True), count)  # what rounding left in the mean
    if np.any(left):
        rest -= np.where(np.isfinite(left), left, 0)
    return rest


def total(x: Array, dims: tuple[int, ...], keepdim: bool) -> Array:
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
    whole = as_array(np.add(total(np.squeeze(sums, dim + 1), dims, True), total(tail, dims, True)))
    return whole if keepdim else np.squeeze(whole, dims)
