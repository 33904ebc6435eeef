"""Sliding windows on NumPy."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, hushed
from everygrad_ops import Window
from everygrad_ops.window import WindowOps


@hushed
class NumpyWindow(WindowOps[Array]):
    """Strided views one way, one shifted addition per tap the other."""

    @override
    def unfold(self, x: Array, window: Window) -> Array:
        size = window.output_size("unfold", x.shape)
        view = windows(padded(x, window), window, size)
        rank = window.rank
        taps, count = int(np.prod(window.kernel_size)), int(np.prod(size))
        order = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
        return view.transpose(order).reshape(x.shape[0], x.shape[1] * taps, count)

    @override
    def fold(self, x: Array, size: tuple[int, ...], window: Window) -> Array:
        c, count = window.folding("fold", x.shape, size)
        n = x.shape[0]
        columns = x.reshape(n, c, *window.kernel_size, *count)
        full = tuple(s + left + right for s, (left, right) in zip(size, window.padding))
        result = np.zeros((n, c, *full), np.float32 if x.dtype in LOW else x.dtype)
        for tap, at in window.taps(count):
            read: tuple[int | slice, ...] = (slice(None), slice(None), *tap)
            result[(slice(None), slice(None), *at)] += columns[read]
        inner: tuple[slice, ...] = tuple(slice(left, left + s) for s, (left, _) in zip(size, window.padding))
        return result[(slice(None), slice(None), *inner)].astype(x.dtype, copy=False)


def padded(x: Array, window: Window, value: float = 0) -> Array:
    """`x` with the window's padding on its spatial axes."""
    if not any(p for pair in window.padding for p in pair):
        return x
    sizes = tuple(s + left + right for s, (left, right) in zip(x.shape[2:], window.padding))
    result = np.full((*x.shape[:2], *sizes), value, x.dtype)
    at = tuple(slice(left, left + s) for s, (left, _) in zip(x.shape[2:], window.padding))
    result[(slice(None), slice(None), *at)] = x
    return result


def windows(x: Array, window: Window, size: tuple[int, ...]) -> Array:
    """A view (N, C, windows..., taps...) of a padded array."""
    spatial = x.strides[2:]
    steps = tuple(b * s for b, s in zip(spatial, window.stride))
    taps = tuple(b * d for b, d in zip(spatial, window.dilation))
    shape = (*x.shape[:2], *size, *window.kernel_size)
    strides = (*x.strides[:2], *steps, *taps)
    return as_strided(x, shape, strides, writeable=False)


def spatial(part: tuple[slice, ...]) -> tuple[slice, ...]:
    """An index of the spatial axes alone."""
    return (slice(None), slice(None), *part)
