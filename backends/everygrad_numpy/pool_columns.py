"""Max pooling by columns: the elements of each window side by side, and the place of the largest of them.

It takes few calls, which is what small arrays cost, and one pass where large windows do not overlap.
"""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np

from everygrad_numpy.arrays import LOW, Array
from everygrad_ops import PoolOptions

SMALL = 1 << 14
"""Elements of all columns up to which calls cost more than what they do."""
WIDE = 16
"""Elements of a window from which on columns cost less than a pass for each."""


def by_columns(x: Array, options: PoolOptions, size: tuple[int, ...]) -> tuple[Array, Array] | None:
    """(largest value of each window, its flat index in the plane); None where windows are better gone through by tap."""
    if x.dtype.kind not in "fiu" or x.dtype in LOW or not x.size:
        return None
    sizes, taps, windows = x.shape[2:], math.prod(options.window.kernel_size), math.prod(size)
    planes = x.shape[0] * x.shape[1]
    if planes * windows * taps <= SMALL:
        table = _table(options, sizes, size)
        columns = x.reshape(planes, -1).take(table, 1)
    elif taps >= WIDE and _is_tiling(options, sizes):
        table = _table(options, sizes, size)
        columns = _tiles(x, options.window.kernel_size, size)
    else:
        return None
    best = columns.reshape(-1, taps).argmax(1)  # the first of equals, or the first NaN
    best += _rows(planes * windows, taps)
    values = columns.reshape(-1).take(best).reshape(*x.shape[:2], *size)
    place = best.reshape(planes, -1)
    place -= _rows(planes, windows * taps)[:, None]
    return values, table.take(place).reshape(values.shape)


@functools.lru_cache(maxsize=64)
def _rows(count: int, width: int) -> Array:
    """Where each row starts."""
    starts: Array = np.arange(count, dtype=np.int64) * width
    starts.flags.writeable = False
    return starts


@functools.lru_cache(maxsize=64)
def _table(options: PoolOptions, sizes: tuple[int, ...], size: tuple[int, ...]) -> Array:
    """The flat index of each window's taps, one window after the other.

    A tap in the padding names the window's first element, so that it never wins alone.
    """
    w, rank = options.window, len(sizes)
    index: Array = np.zeros((1,) * (2 * rank), np.int64)
    inside: Array = np.ones((1,) * (2 * rank), np.bool_)
    for axis, length in enumerate(sizes):
        first = np.arange(size[axis]) * w.stride[axis] - w.padding[axis][0]
        at = first[:, None] + np.arange(w.kernel_size[axis]) * w.dilation[axis]
        shape = [1] * (2 * rank)
        shape[axis], shape[rank + axis] = at.shape
        at = at.reshape(shape)
        index = index * length + at
        inside = inside & (at >= 0) & (at < length)
    taps = math.prod(w.kernel_size)
    index, inside = index.reshape(-1, taps), inside.reshape(-1, taps)
    start = np.take_along_axis(index, inside.argmax(1)[:, None], 1)
    table: Array = np.where(inside, index, start).reshape(-1)
    table.flags.writeable = False
    return table


def _is_tiling(options: PoolOptions, sizes: tuple[int, ...]) -> bool:
    """Whether each element is in one window."""
    w = options.window
    plain = w.stride == w.kernel_size and all(d == 1 for d in w.dilation)
    whole = not any(length % k for length, k in zip(sizes, w.kernel_size))
    return plain and whole and not any(p for pair in w.padding for p in pair)


def _tiles(x: Array, kernel: tuple[int, ...], size: tuple[int, ...]) -> Array:
    """The elements of each window side by side."""
    rank = len(size)
    apart = x.reshape(-1, *itertools.chain.from_iterable(zip(size, kernel)))
    order = (0, *range(1, 2 * rank + 1, 2), *range(2, 2 * rank + 1, 2))
    return np.ascontiguousarray(apart.transpose(order))
