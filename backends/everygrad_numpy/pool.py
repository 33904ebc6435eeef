"""Pooling on NumPy: one axis at a time, one shifted maximum or sum per tap, no padded copy."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, dtype_of, hushed
from everygrad_numpy.pool_columns import by_columns
from everygrad_numpy.window import spatial
from everygrad_ops import PoolOptions
from everygrad_ops.errors import bad_index
from everygrad_ops.pool import PoolOps, check_floating, check_indices, divisors


@hushed
class NumpyPool(PoolOps[Array]):
    """Windows are boxes, so that a maximum or a sum over one goes axis by axis."""

    @override
    def max_pool(self, x: Array, options: PoolOptions) -> Array:
        return _maxima(x, options, options.output_size("max_pool", x.shape))

    @override
    def max_pool_with_indices(self, x: Array, options: PoolOptions) -> tuple[Array, Array]:
        size = options.output_size("max_pool_with_indices", x.shape)
        found = by_columns(x, options, size)
        if found is not None:
            return found
        values = _maxima(x, options, size)
        return values, _first_equal(x, values, options, size)

    @override
    def max_pool_with_indices_backward(
        self, grad: Array, indices: Array, x_shape: tuple[int, ...], options: PoolOptions
    ) -> Array:
        options.check_grad("max_pool_with_indices_backward", grad.shape, x_shape)
        check_indices(indices.shape, grad.shape)
        planes, plane = x_shape[0] * x_shape[1], math.prod(x_shape[2:])
        if grad.size == 0:
            return np.zeros(x_shape, grad.dtype)
        low, high = int(indices.min()), int(indices.max())
        if low < 0 or high >= plane:
            raise bad_index("max_pool_with_indices_backward", low, high, plane)
        at = indices.reshape(planes, -1) + (np.arange(planes) * plane)[:, None]
        wide = grad.astype(np.float32) if grad.dtype in LOW else grad
        total: Array = np.zeros(planes * plane, wide.dtype)
        np.add.at(total, at.reshape(-1), wide.reshape(-1))
        return total.reshape(x_shape).astype(grad.dtype, copy=False)

    @override
    def avg_pool(self, x: Array, options: PoolOptions) -> Array:
        check_floating("avg_pool", dtype_of(x))
        size = options.output_size("avg_pool", x.shape)
        total = x.astype(np.float32) if x.dtype in LOW else x
        for axis in range(len(size)):
            total = _sums(total, axis, options, size[axis])
        divided: Array = np.true_divide(total, _divisor(options, x.shape[2:], size, total.dtype))
        return divided.astype(x.dtype, copy=False)

    @override
    def avg_pool_backward(self, grad: Array, x_shape: tuple[int, ...], options: PoolOptions) -> Array:
        check_floating("avg_pool_backward", dtype_of(grad))
        options.check_grad("avg_pool_backward", grad.shape, x_shape)
        wide = grad.astype(np.float32) if grad.dtype in LOW else grad
        share: Array = np.true_divide(wide, _divisor(options, x_shape[2:], grad.shape[2:], wide.dtype))
        for axis in reversed(range(len(x_shape) - 2)):
            share = _spread(share, axis, options, x_shape[2 + axis])
        return share.astype(grad.dtype, copy=False)


def _divisor(
    options: PoolOptions, sizes: tuple[int, ...], count: tuple[int, ...], dtype: np.dtype[np.generic]
) -> Array | int:
    table = divisors(options, sizes, count)
    return table if isinstance(table, int) else table.astype(dtype)


def _axis_taps(options: PoolOptions, axis: int, size: int, count: int) -> Iterator[tuple[int, slice, slice]]:
    """Each tap of one axis: (number, windows for which it lies inside the input, what they read there)."""
    w = options.window
    s, left = w.stride[axis], w.padding[axis][0]
    for tap in range(w.kernel_size[axis]):
        offset = tap * w.dilation[axis] - left
        first, last = max(0, -(offset // s)), min(count - 1, (size - 1 - offset) // s)
        if first <= last:
            start = first * s + offset
            yield tap, slice(first, last + 1), slice(start, start + (last - first) * s + 1, s)


def _on(axis: int, part: slice) -> tuple[slice, ...]:
    return (*(slice(None),) * (2 + axis), part)


def _maxima(x: Array, options: PoolOptions, size: tuple[int, ...]) -> Array:
    for axis, count in enumerate(size):
        taps = list(_axis_taps(options, axis, x.shape[2 + axis], count))
        whole = [tap for tap in taps if tap[1] == slice(0, count)]
        shape = (*x.shape[: 2 + axis], count, *x.shape[3 + axis :])
        if len(whole) == len(taps) > 1:
            out = np.maximum(x[_on(axis, taps[0][2])], x[_on(axis, taps[1][2])])
            taps = taps[2:]
        elif whole:
            out = np.array(x[_on(axis, whole[0][2])], order="C")
            taps = [tap for tap in taps if tap is not whole[0]]
        else:
            out = np.empty(shape, x.dtype)
            for _, windows, read in reversed(taps):  # every window meets an element: start from one it has
                out[_on(axis, windows)] = x[_on(axis, read)]
        for _, windows, read in taps:
            target = out[_on(axis, windows)]
            np.maximum(target, x[_on(axis, read)], out=target)
        x = out
    return x


def _first_equal(x: Array, values: Array, options: PoolOptions, size: tuple[int, ...]) -> Array:
    """Flat index of the first tap of each window that equals its maximum, or that is NaN."""
    sizes, kernel = x.shape[2:], options.window.kernel_size
    taps = math.prod(kernel)
    small = np.dtype(np.uint8 if taps < 256 else np.int64)
    rank: Array = np.zeros(values.shape, small)  # taps - number of the tap: the first has the largest
    nan = x.dtype.kind not in "biu" and bool(np.isnan(values).any())
    axes = [list(_axis_taps(options, axis, sizes[axis], size[axis])) for axis in range(len(size))]
    for number, windows, read in _all_taps(axes, kernel):
        seen = x[spatial(read)]
        equal = seen == values[spatial(windows)]
        if nan:
            equal |= np.isnan(seen)
        target = rank[spatial(windows)]
        np.maximum(target, equal.view(np.uint8) * small.type(taps - number), out=target)
    return _flat_index(taps - rank.astype(np.int64), options, sizes, size)


def _all_taps(
    axes: list[list[tuple[int, slice, slice]]], kernel: tuple[int, ...]
) -> Iterator[tuple[int, tuple[slice, ...], tuple[slice, ...]]]:
    if not axes:
        yield 0, (), ()
        return
    for number, windows, read in _all_taps(axes[:-1], kernel[:-1]):
        for tap, last_windows, last_read in axes[-1]:
            yield number * kernel[-1] + tap, (*windows, last_windows), (*read, last_read)


def _flat_index(tap: Array, options: PoolOptions, sizes: tuple[int, ...], size: tuple[int, ...]) -> Array:
    """Flat index into the unpadded plane of each window's tap number."""
    w = options.window
    offset: Array = np.zeros(1, np.int64)
    base: Array = np.zeros((), np.int64)
    for axis, length in enumerate(sizes):
        steps = np.arange(w.kernel_size[axis]) * w.dilation[axis]
        offset = (offset[:, None] * length + steps).reshape(-1)
        base = base[..., None] * length + np.arange(size[axis]) * w.stride[axis] - w.padding[axis][0]
    result = np.take(offset, tap)
    result += base
    return result


def _sums(x: Array, axis: int, options: PoolOptions, count: int) -> Array:
    taps = list(_axis_taps(options, axis, x.shape[2 + axis], count))
    if len(taps) > 1 and taps[0][1] == taps[1][1] == slice(0, count):
        out = np.add(x[_on(axis, taps[0][2])], x[_on(axis, taps[1][2])])
        taps = taps[2:]
    else:
        out = np.zeros((*x.shape[: 2 + axis], count, *x.shape[3 + axis :]), x.dtype)
    for _, windows, read in taps:
        target = out[_on(axis, windows)]
        np.add(target, x[_on(axis, read)], out=target)
    return out


def _spread(g: Array, axis: int, options: PoolOptions, size: int) -> Array:
    """The adjoint of `_sums`: each window's value added to what it read on one axis."""
    out: Array = np.zeros((*g.shape[: 2 + axis], size, *g.shape[3 + axis :]), g.dtype)
    w = options.window
    apart = w.stride[axis] >= w.extent[axis]
    for _, windows, read in _axis_taps(options, axis, size, g.shape[2 + axis]):
        if apart:
            out[_on(axis, read)] = g[_on(axis, windows)]
        else:
            target = out[_on(axis, read)]
            np.add(target, g[_on(axis, windows)], out=target)
    return out
