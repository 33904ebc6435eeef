"""Resizing on NumPy: small dense matrices along the band of the sparse map, multiplied by BLAS."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, dtype_of, hushed
from everygrad_ops import Backend
from everygrad_ops.checks import check_values
from everygrad_ops.resample import ResampleOps, check_mode
from everygrad_ops.resize import ResizeOptions, Taps

_default_interpolate: Callable[..., Array] = Backend[Array].interpolate
_default_interpolate_backward: Callable[..., Array] = Backend[Array].interpolate_backward
Band = tuple[slice, slice, Array]


@hushed
class NumpyResample(ResampleOps[Array]):
    """A block of outputs at a time reads one run of inputs. Where inf or NaN would spread over it: the default."""

    @override
    def interpolate(self: Backend[Array], x: Array, options: ResizeOptions) -> Array:
        options.check("interpolate", x.shape)
        check_mode("interpolate", options, dtype_of(x))
        if x.dtype in LOW:
            return self.interpolate(x.astype(np.float32), options).astype(x.dtype)
        out = x
        for axis in options.order(x.shape):
            taps, length = options.taps(axis, x.shape[axis + 2]), x.shape[axis + 2]
            if taps.plain:
                out = np.take(out, taps.index[:, 0], axis + 2)
            else:
                out = _banded(out, axis + 2, options.size[axis], _bands(options, axis, length, False))
        return out if _finite(out, options) else _default_interpolate(self, x, options)

    @override
    def interpolate_backward(
        self: Backend[Array], grad: Array, x_shape: tuple[int, ...], options: ResizeOptions
    ) -> Array:
        options.check("interpolate_backward", x_shape)
        check_mode("interpolate_backward", options, dtype_of(grad))
        check_values("interpolate_backward", grad.shape, (*x_shape[:2], *options.size), "grad")
        if grad.dtype in LOW:
            return self.interpolate_backward(grad.astype(np.float32), x_shape, options).astype(grad.dtype)
        if grad.dtype.kind != "f":
            return _default_interpolate_backward(self, grad, x_shape, options)
        out = grad
        for axis in reversed(options.order(x_shape)):
            length = x_shape[axis + 2]
            out = _banded(out, axis + 2, length, _bands(options, axis, length, True))
        if np.isfinite(out.sum()):
            return out
        return _default_interpolate_backward(self, grad, x_shape, options)


def _finite(x: Array, options: ResizeOptions) -> bool:
    with np.errstate(all="ignore"):
        return options.mode.startswith("nearest") or bool(np.isfinite(x.sum()))


def _banded(x: Array, dim: int, size: int, bands: Sequence[Band]) -> Array:
    """The map of `bands` along `dim`."""
    shape = (*x.shape[:dim], size, *x.shape[dim + 1 :])
    out: Array = np.empty(shape, x.dtype)
    rest = math.prod(shape[dim + 1 :])
    with np.errstate(all="ignore"):
        if rest == 1:
            rows, wide = x.reshape(-1, x.shape[dim]), out.reshape(-1, size)
            for to, read, matrix in bands:
                np.matmul(rows[:, read], matrix.T.astype(x.dtype, copy=False), out=wide[:, to])
            return out
        planes, result = x.reshape(-1, x.shape[dim], rest), out.reshape(-1, size, rest)
        for to, read, matrix in bands:
            np.matmul(matrix.astype(x.dtype, copy=False), planes[:, read], out=result[:, to])
    return out


@functools.lru_cache(maxsize=256)
def _bands(options: ResizeOptions, axis: int, length: int, transposed: bool) -> tuple[Band, ...]:
    """(outputs, the inputs that they read, a matrix between the two) for each block of outputs."""
    taps = options.spread(axis, length) if transposed else options.taps(axis, length)
    size, inputs = len(taps.index), options.size[axis] if transposed else length
    step = min(max(32 * size // inputs, 8), 64)
    return tuple(_band(taps, at, min(at + step, size)) for at in range(0, size, step))


def _band(taps: Taps, start: int, stop: int) -> Band:
    index, weight = taps.index[start:stop], taps.weight[start:stop]
    low, high = int(index.min()), int(index.max()) + 1
    matrix: Array = np.zeros((stop - start, high - low))
    np.add.at(matrix, (np.arange(stop - start)[:, None], index - low), weight)
    return slice(start, stop), slice(low, high), matrix
