"""Adaptive pools on NumPy: one axis at a time, by windows or by taps, whichever are fewer."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, dtype_of, hushed
from everygrad_numpy.passes import ones
from everygrad_numpy.pool import NumpyPool
from everygrad_ops import Backend, PoolOptions, pool_options
from everygrad_ops.adaptive import AdaptivePoolOps, bounds, check_adaptive, check_adaptive_grad
from everygrad_ops.pool import check_floating

_MOST = 512
"""Rows that NumPy may add one after the other."""
_default_max: Callable[..., tuple[Array, Array]] = Backend[Array].adaptive_max_pool_with_indices


@hushed
class NumpyAdaptive(AdaptivePoolOps[Array]):
    """Windows of one size that do not overlap are an ordinary pool; a mean over all of an axis is one sum."""

    @override
    def adaptive_avg_pool(self, x: Array, output_size: tuple[int, ...]) -> Array:
        check_floating("adaptive_avg_pool", dtype_of(x))
        check_adaptive("adaptive_avg_pool", x.shape, output_size)
        total = x.astype(np.float32) if x.dtype in LOW else x
        if all(count == 1 for count in output_size):
            plane = math.prod(x.shape[2:])
            mean = sums(total.reshape(-1, plane, 1))
            mean /= plane
            return mean.reshape(*x.shape[:2], *output_size).astype(x.dtype, copy=False)
        for axis, count in enumerate(output_size, 2):
            total = _means(total, axis, count)
        return total.astype(x.dtype, copy=False)

    @override
    def adaptive_avg_pool_backward(self, grad: Array, x_shape: tuple[int, ...]) -> Array:
        check_floating("adaptive_avg_pool_backward", dtype_of(grad))
        check_adaptive_grad("adaptive_avg_pool_backward", grad.shape, x_shape)
        share = grad.astype(np.float32) if grad.dtype in LOW else grad
        for axis in reversed(range(2, len(x_shape))):
            share = _spread(share, axis, x_shape[axis])
        return share.astype(grad.dtype, copy=False)

    @override
    def adaptive_max_pool_with_indices(self, x: Array, output_size: tuple[int, ...]) -> tuple[Array, Array]:
        check_adaptive("adaptive_max_pool_with_indices", x.shape, output_size)
        options = even(x.shape[2:], output_size)
        if options is None:
            return _default_max(self, x, output_size)
        return NumpyPool.max_pool_with_indices(self, x, options)  # type: ignore[arg-type]  # a NumPy backend is both  # pyright: ignore[reportArgumentType]


def even(sizes: tuple[int, ...], counts: tuple[int, ...]) -> PoolOptions | None:
    """The pool of windows of one size that do not overlap; None where the sizes do not divide."""
    if any(length % count for length, count in zip(sizes, counts)):
        return None
    kernel = tuple(length // count for length, count in zip(sizes, counts))
    return pool_options(kernel, rank=len(kernel))


def _on(axis: int, part: slice | Array) -> tuple[slice | Array, ...]:
    return (*(slice(None),) * axis, part)


def _plan(axis: int, length: int, count: int, ndim: int) -> tuple[Array, Array, Array, int]:
    """(starts, ends, sizes to divide by, most taps) of the windows of an axis."""
    ends = np.array(bounds(length, count))
    sizes = ends[:, 1] - ends[:, 0]
    return ends[:, 0], ends[:, 1], sizes.reshape(-1, *(1,) * (ndim - axis - 1)), int(sizes.max())


def sums(x: Array) -> Array:
    """The sums over the middle of three dims; BLAS's are faster where there is no third."""
    result: Array = (
        np.add.reduce(x, 1) if x.shape[2] > 1 else np.matmul(x[:, :, 0], ones(x.shape[1], x.dtype))
    )
    return result


def _means(x: Array, axis: int, count: int) -> Array:
    length = x.shape[axis]
    if length % count == 0 and length // count <= _MOST:
        trail = math.prod(x.shape[axis + 1 :])
        even_sums = sums(x.reshape(-1, length // count, trail))
        even_sums /= length // count
        return even_sums.reshape(*x.shape[:axis], count, *x.shape[axis + 1 :])
    starts, ends, sizes, taps = _plan(axis, length, count, x.ndim)
    out: Array = np.zeros((*x.shape[:axis], count, *x.shape[axis + 1 :]), x.dtype)
    if count <= taps:
        for i, (low, high) in enumerate(zip(starts, ends)):
            out[_on(axis, slice(i, i + 1))] = np.sum(x[_on(axis, slice(low, high))], axis, keepdims=True)
    else:
        for tap in range(taps):
            has = starts + tap < ends
            read = np.take(x, starts[has] + tap, axis)
            if has.all():
                out += read
            else:
                out[_on(axis, has)] += read
    out /= sizes.astype(x.dtype)
    return out


def _spread(g: Array, axis: int, length: int) -> Array:
    """The adjoint of `_means`. Within one tap the windows read different elements, if they are no more than those."""
    count = g.shape[axis]
    starts, ends, sizes, taps = _plan(axis, length, count, g.ndim)
    share: Array = g / sizes.astype(g.dtype)
    if length % count == 0:
        return np.repeat(share, taps, axis)
    out: Array = np.zeros((*g.shape[:axis], length, *g.shape[axis + 1 :]), g.dtype)
    if count <= taps or count > length:
        for i, (low, high) in enumerate(zip(starts, ends)):
            out[_on(axis, slice(low, high))] += share[_on(axis, slice(i, i + 1))]
        return out
    for tap in range(taps):
        has = starts + tap < ends
        out[_on(axis, starts[has] + tap)] += share if has.all() else share[_on(axis, has)]
    return out
