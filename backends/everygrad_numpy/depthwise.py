"""Convolutions whose groups have one input channel: banded products, else one shifted multiply-add per tap."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from everygrad_numpy import depthwise_planes
from everygrad_numpy.arrays import Array
from everygrad_numpy.banded import banded
from everygrad_numpy.depthwise_planes import worthwhile
from everygrad_numpy.window import padded, spatial
from everygrad_ops import Window

CHUNK = 1 << 15
"""Elements of the planes worked on at a time."""


def depthwise(x: Array, weight: Array, window: Window, size: tuple[int, ...]) -> Array:
    """x (N, C, ...) with weight (C * m, 1, kernel...): each channel gives m results."""
    n, c = x.shape[:2]
    multiplier = weight.shape[0] // c
    if worthwhile((n, c, *size), weight):
        return depthwise_planes.forward(x, weight, window, size)
    if x.dtype.kind == "f" and max(window.kernel_size) > 1:
        found = _banded(x, weight, window, size)
        if found is not None:
            return found
    x = np.ascontiguousarray(padded(x, window))
    full = x.shape[2:]
    planes = x.reshape(n, c, math.prod(full))
    kernels = weight.reshape(c, multiplier, *window.kernel_size)
    out: Array = np.empty((n, c, multiplier, *size), x.dtype)
    if any(s > 1 for s in window.stride):
        return _strided(x, kernels, window, out)
    pitch = [math.prod(full[axis + 1 :]) for axis in range(len(full))]
    reach = sum((m - 1) * p for m, p in zip(size, pitch)) + 1
    for image, first, last in _chunks(n, c, math.prod(full)):
        total: Array = np.empty((last - first, math.prod(full)), x.dtype)
        product: Array = np.empty((last - first, reach), x.dtype)
        for j in range(multiplier):
            for number, tap in enumerate(_taps(window)):
                shift = sum(t * d * p for t, d, p in zip(tap, window.dilation, pitch))
                read = planes[image, first:last, shift : shift + reach]
                factor = _factor(kernels, first, last, j, tap).reshape(-1, 1)
                if number == 0:
                    np.multiply(read, factor, out=total[:, :reach])
                else:
                    np.multiply(read, factor, out=product)
                    np.add(total[:, :reach], product, out=total[:, :reach])
            whole = total.reshape(last - first, *full)
            out[image, first:last, j] = whole[(slice(None), *(slice(0, m) for m in size))]
    return out.reshape(n, c * multiplier, *size)


def _banded(x: Array, weight: Array, window: Window, size: tuple[int, ...]) -> Array | None:
    """By rows; a single column, as rank 1 has it, is laid down first."""
    if x.shape[-1] > 1 or window.rank != 2 or window.kernel_size[1] > 1:
        return banded(x, weight, window, size)
    laid = Window(window.kernel_size[::-1], window.stride[::-1], window.padding[::-1], window.dilation[::-1])
    found = banded(x.swapaxes(2, 3), weight.swapaxes(2, 3), laid, size[::-1])
    return None if found is None else found.swapaxes(2, 3)


def depthwise_x(grad: Array, weight: Array, sizes: tuple[int, ...], window: Window, channels: int) -> Array:
    """The gradient in x, for any stride: each tap adds its share where it read."""
    n, multiplier = grad.shape[0], weight.shape[0] // channels
    if worthwhile(grad.shape, weight):
        return depthwise_planes.x_gradient(grad, weight, sizes, window, channels)
    ends = tuple((e - 1 - left, e - 1 - right) for e, (left, right) in zip(window.extent, window.padding))
    padding_fits = max(window.stride) == 1 and min(e for pair in ends for e in pair) >= 0
    if multiplier == 1 and padding_fits and np.isfinite(weight).all():
        flipped = np.flip(weight, tuple(range(2, weight.ndim)))
        return depthwise(
            grad, flipped, Window(window.kernel_size, window.stride, ends, window.dilation), sizes
        )
    count = grad.shape[2:]
    full = [s + left + right for s, (left, right) in zip(sizes, window.padding)]
    out: Array = np.zeros((n, channels, *full), grad.dtype)
    upstream = grad.reshape(n, channels, multiplier, *count)
    kernels = weight.reshape(channels, multiplier, *window.kernel_size)
    for image, first, last in _chunks(n, channels, math.prod(full)):
        target = out[image, first:last]
        for j, tap in itertools.product(range(multiplier), _taps(window)):
            factor = _factor(kernels, first, last, j, tap)
            target[(slice(None), *_read(tap, window, count))] += upstream[image, first:last, j] * factor
    inner = tuple(slice(left, left + s) for s, (left, _) in zip(sizes, window.padding))
    return np.ascontiguousarray(out[spatial(inner)])


def _strided(x: Array, kernels: Array, window: Window, out: Array) -> Array:
    n, c, multiplier, *count = out.shape
    for image, first, last in _chunks(n, c, math.prod(x.shape[2:])):
        for j in range(multiplier):
            target = out[image, first:last, j]
            for number, tap in enumerate(_taps(window)):
                read = x[image, first:last][(slice(None), *_read(tap, window, tuple(count)))]
                factor = _factor(kernels, first, last, j, tap)
                if number == 0:
                    np.multiply(read, factor, out=target)
                else:
                    target += read * factor
    return out.reshape(n, c * multiplier, *count)


def _factor(kernels: Array, first: int, last: int, j: int, tap: tuple[int, ...]) -> Array:
    at: tuple[slice | int, ...] = (slice(first, last), j, *tap)
    return kernels[at].reshape(-1, *(1,) * len(tap))


def _taps(window: Window) -> Iterator[tuple[int, ...]]:
    return itertools.product(*(range(k) for k in window.kernel_size))


def _read(tap: tuple[int, ...], window: Window, count: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(
        slice(t * d, t * d + (m - 1) * s + 1, s)
        for t, d, m, s in zip(tap, window.dilation, count, window.stride)
    )


def _chunks(images: int, channels: int, plane: int) -> Iterator[tuple[int, int, int]]:
    step = max(CHUNK // max(plane, 1), 1)
    for image in range(images):
        for first in range(0, channels, step):
            yield image, first, min(first + step, channels)
