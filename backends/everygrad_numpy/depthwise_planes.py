"""Depthwise convolutions of large planes: BLAS's y += a * x on one channel at a time, laid out flat.

The padded planes of a channel lie one after the other, so that a tap is the same vector from another start. What windows
that run over an edge give is dropped. With strides the planes are parted first, one plane for each remainder of the
places, and a tap is a start within one of these.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from everygrad_numpy.arrays import Array
from everygrad_ops import Window

LEAST = 1024
"""Results per channel from which on a call per tap costs less than products with banded matrices."""
MOST = 1 << 15
"""Elements of a vector: two of them stay in the cache."""


def large(results: tuple[int, ...], dtype: np.dtype[Any]) -> bool:
    """Whether planes of results of this shape are for this file."""
    images, _, *size = results
    return dtype.char in "fd" and images * math.prod(size) >= LEAST


def worthwhile(results: tuple[int, ...], weight: Array) -> bool:
    """The same for a weight to multiply with: BLAS takes 0 * inf for 0, and zeros lie between the windows."""
    return large(results, weight.dtype) and bool(np.isfinite(weight).all()) and bool(weight.all())


class Planes:
    """Room for some images of one channel, parted by stride, and where each tap starts in it."""

    def __init__(
        self,
        images: int,
        sizes: tuple[int, ...],
        window: Window,
        count: tuple[int, ...],
        dtype: np.dtype[Any],
    ) -> None:
        self.window, self.count = window, count
        padded = [size + left + right for size, (left, right) in zip(sizes, window.padding)]
        self.full = tuple(-(-length // s) for length, s in zip(padded, window.stride))
        plane = math.prod(self.full)
        self.images = max(1, min(images, MOST // plane))
        self.length = self.images * plane
        phases = math.prod(window.stride)
        self.starts = [self._start(tap) for tap in itertools.product(*map(range, window.kernel_size))]
        self.room: Array = np.zeros(phases * self.length + plane, dtype)
        remainders = itertools.product(*map(range, window.stride))
        self.parts = [self._part(number, phase, sizes) for number, phase in enumerate(remainders)]
        self.results: Array = np.zeros(self.length, dtype)
        """A vector of results, or of their gradients."""
        at = (slice(None), *(slice(0, n) for n in count))
        self.windows = self.results.reshape(self.images, *self.full)[at]

    def fill(self, x: Array) -> None:
        """Lay (images, ...) down; fewer than there is room for leave the others as they are."""
        for inside, read in self.parts:
            inside[: len(x)] = x[read]

    def take(self, out: Array) -> None:
        """The other way."""
        for inside, read in self.parts:
            out[read] = inside[: len(out)]

    def chunks(self, images: int) -> Iterator[slice]:
        """The images, as many at a time as there is room for."""
        return (slice(at, min(at + self.images, images)) for at in range(0, images, self.images))

    def _start(self, tap: tuple[int, ...]) -> int:
        phase = shift = 0
        for t, d, s, full in zip(tap, self.window.dilation, self.window.stride, self.full):
            phase, shift = phase * s + t * d % s, shift * full + t * d // s
        return phase * self.length + shift

    def _part(
        self, number: int, phase: tuple[int, ...], sizes: tuple[int, ...]
    ) -> tuple[Array, tuple[slice, ...]]:
        """The view of one remainder's planes that is no padding, and what of an image lies there."""
        whole = self.room[number * self.length : (number + 1) * self.length]
        inside, read = [slice(None)], [slice(None)]
        for p, (left, _), s, size in zip(phase, self.window.padding, self.window.stride, sizes):
            first = max(0, -((p - left) // s))
            begin = first * s + p - left
            inside.append(slice(first, first + len(range(begin, size, s))))
            read.append(slice(begin, size, s))
        return whole.reshape(self.images, *self.full)[tuple(inside)], tuple(read)


def forward(x: Array, weight: Array, window: Window, size: tuple[int, ...]) -> Array:
    """x (N, C, ...) with weight (C * m, 1, kernel...): (N, C * m, *size)."""
    planes, add = Planes(len(x), x.shape[2:], window, size, x.dtype), _axpy(x.dtype)
    out: Array = np.empty((len(x), len(weight), *size), x.dtype)
    room, results, length = planes.room, planes.results, planes.length
    for part in planes.chunks(len(x)):
        count = part.stop - part.start
        for channel, kernels in enumerate(_by_channel(weight, x.shape[1])):
            planes.fill(x[part, channel])
            for j, kernel in enumerate(kernels):
                first = planes.starts[0]
                np.multiply(room[first : first + length], kernel[0], out=results)
                for start, factor in zip(planes.starts[1:], kernel[1:]):
                    add(room, results, length, factor, start, 1, 0, 1)
                out[part, channel * len(kernels) + j] = planes.windows[:count]
    return out


def x_gradient(grad: Array, weight: Array, sizes: tuple[int, ...], window: Window, channels: int) -> Array:
    """The gradient in an x of spatial `sizes`."""
    planes, add = Planes(len(grad), sizes, window, grad.shape[2:], grad.dtype), _axpy(grad.dtype)
    out: Array = np.empty((len(grad), channels, *sizes), grad.dtype)
    room, results, length = planes.room, planes.results, planes.length
    for part in planes.chunks(len(grad)):
        count = part.stop - part.start
        for channel, kernels in enumerate(_by_channel(weight, channels)):
            room.fill(0)
            for j, kernel in enumerate(kernels):
                planes.windows[:count] = grad[part, channel * len(kernels) + j]
                for start, factor in zip(planes.starts, kernel):
                    add(results, room, length, factor, 0, 1, start, 1)
            planes.take(out[part, channel])
    return out


def weight_gradient(x: Array, grad: Array, window: Window) -> Array:
    """The gradient in the weight, (C * m, taps)."""
    planes = Planes(len(x), x.shape[2:], window, grad.shape[2:], x.dtype)
    total: Array = np.zeros((grad.shape[1], len(planes.starts)), x.dtype)
    multiplier = grad.shape[1] // x.shape[1]
    reads = [planes.room[start : start + planes.length] for start in planes.starts]
    for part in planes.chunks(len(x)):
        count = part.stop - part.start
        planes.windows[count:] = 0
        for channel in range(x.shape[1]):
            planes.fill(x[part, channel])
            for row in range(channel * multiplier, (channel + 1) * multiplier):
                planes.windows[:count] = grad[part, row]
                total[row] += [read.dot(planes.results) for read in reads]
    return total


def _by_channel(weight: Array, channels: int) -> list[list[list[float]]]:
    kernels: list[list[list[float]]] = weight.reshape(channels, len(weight) // channels, -1).tolist()
    return kernels


def _axpy(dtype: np.dtype[Any]) -> Callable[..., object]:
    """BLAS's y += a * x of a dtype: (x, y, count, a, first of x, its step, first of y, its step)."""
    from scipy.linalg import blas

    function: Callable[..., object] = blas.saxpy if dtype.char == "f" else blas.daxpy
    return function
