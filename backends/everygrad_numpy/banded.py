"""Depthwise convolution as products with banded matrices, which BLAS does faster than NumPy adds up shifted taps.

The last axis is cut into strips of results. A strip's inputs, for all taps of the other axes, times a matrix that
holds the kernel along its diagonals give the strip. The zeros beside the diagonals meet every input of the
strip, so an inf or NaN would spread over it: such results are refused.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import as_strided

from everygrad_numpy.arrays import Array
from everygrad_ops import Window

STRIP = 16
"""Results of a strip: more of them waste products, fewer waste calls."""

BLOCK = 1 << 17
"""Elements of the columns made at a time."""


def banded(x: Array, weight: Array, window: Window, size: tuple[int, ...]) -> Array | None:
    """x (N, C, ...) with weight (C * m, 1, kernel...): (N, C * m, *size); None where a value is not finite."""
    n, c = x.shape[:2]
    m, rank = weight.shape[0] // c, window.rank
    k, s, d = window.kernel_size[-1], window.stride[-1], window.dilation[-1]
    strips = -(-size[-1] // STRIP)
    strip = -(-size[-1] // strips)
    reach = (strip - 1) * s + (k - 1) * d + 1
    x = _padded(x, window, (strips * strip - 1) * s + (k - 1) * d + 1)
    kernels = _matrices(weight.reshape(c, m, -1, k), strip, reach, s, d)
    across = x.strides[2:]
    shape = (c, n, *size[:-1], strips, *window.kernel_size[:-1], reach)
    steps = tuple(b * step for b, step in zip(across[:-1], window.stride))
    taps = tuple(b * step for b, step in zip(across[:-1], window.dilation))
    strides = (x.strides[1], x.strides[0], *steps, across[-1] * strip * s, *taps, across[-1])
    view = as_strided(x, shape, strides, writeable=False)
    rows = n * math.prod(size[:-1]) * strips
    several = max(BLOCK // (rows * kernels.shape[1]), 1)
    buffer: Array = np.empty((several, *shape[1:]), x.dtype)
    out: Array = np.empty((n, c, m, *size[:-1], strips, strip), x.dtype)
    order = (1, 0, rank + 2, *range(2, rank + 2), rank + 3)
    for first in range(0, c, several):
        last = min(first + several, c)
        columns = buffer[: last - first]
        np.copyto(columns, view[first:last])
        table = columns.reshape(last - first, rows, kernels.shape[1])
        with np.errstate(all="ignore"):  # found below
            product = np.matmul(table, kernels[first:last])
        apart = product.reshape(last - first, n, *size[:-1], strips, m, strip)
        out[:, first:last] = apart.transpose(order)
    whole = out.reshape(n, c * m, *size[:-1], strips * strip)
    with np.errstate(all="ignore"):
        if not np.isfinite(whole.sum(dtype=np.float64)):
            return None
    return whole if strips * strip == size[-1] else np.ascontiguousarray(whole[..., : size[-1]])


def _padded(x: Array, window: Window, width: int) -> Array:
    """`x` with its padding, and its last axis at least `width` long."""
    full = [length + left + right for length, (left, right) in zip(x.shape[2:], window.padding)]
    full[-1] = max(full[-1], width)
    if tuple(full) == x.shape[2:]:
        return x
    result: Array = np.zeros((*x.shape[:2], *full), x.dtype)
    at = tuple(slice(left, left + length) for length, (left, _) in zip(x.shape[2:], window.padding))
    result[(slice(None), slice(None), *at)] = x
    return result


def _matrices(kernels: Array, strip: int, reach: int, s: int, d: int) -> Array:
    """(C, taps of the other axes * reach, m * strip) from kernels (C, m, taps of the other axes, k)."""
    c, m, other, k = kernels.shape
    result: Array = np.zeros((c, other, reach, m, strip), kernels.dtype)
    place = np.arange(strip)
    for tap in range(k):
        result[:, :, place * s + tap * d, :, place] = kernels[..., tap].transpose(0, 2, 1)
    return result.reshape(c, other * reach, m * strip)
