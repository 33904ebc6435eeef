"""Pooling at any spatial rank, its adjoints, and the names by rank."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from everygrad_ops.geometry import PoolOptions, Window
from everygrad_ops.marks import outputs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everygrad_ops.backend import Backend

A = TypeVar("A")


class PoolOps(Protocol[A]):
    """Windows reduced to one value each."""

    @outputs("values", "indices", integer=("indices",))
    def max_pool_with_indices(self: Backend[A], x: A, options: PoolOptions) -> tuple[A, A]:
        """(largest value of each window, its flat index in the unpadded plane); NaN wins, ties take the lowest."""
        shape = self.shape(x)
        size = options.output_size("max_pool", shape)
        covering = _cover(options, shape[2:], size)
        padded = self.pad(x, ((0, 0), (0, 0), *covering), self.lowest(self.dtype(x)))
        window = Window(
            options.window.kernel_size,
            options.window.stride,
            ((0, 0),) * options.window.rank,
            options.window.dilation,
        )
        columns = self.unfold(self.detach(padded), window)
        table = self.from_numpy(_positions(options, shape[2:], size))
        taps, count = self.shape(table)
        best = self.argmax(self.reshape(columns, (*shape[:2], taps, count)), 2, True)
        indices = self.gather(self.broadcast_to(table, (*shape[:2], taps, count)), 2, best)
        indices = self.reshape(indices, (*shape[:2], count))
        plane = self.reshape(x, (*shape[:2], _size(shape[2:])))
        out = (*shape[:2], *size)
        return self.reshape(self.gather(plane, 2, indices), out), self.reshape(indices, out)

    def max_pool_backward(
        self: Backend[A], grad: A, indices: A, x_shape: tuple[int, ...], options: PoolOptions
    ) -> A:
        """The gradient of max pooling in x, of shape `x_shape`: each upstream value goes to its index."""
        plane = self.full((*x_shape[:2], _size(x_shape[2:])), 0, self.dtype(grad))
        flat = (*x_shape[:2], _size(self.shape(grad)[2:]))
        summed = self.scatter_add(plane, 2, self.reshape(indices, flat), self.reshape(grad, flat))
        return self.reshape(summed, x_shape)


def _size(sizes: tuple[int, ...]) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total


def _cover(
    options: PoolOptions, sizes: tuple[int, ...], count: tuple[int, ...]
) -> tuple[tuple[int, int], ...]:
    """Padding under which every window, those over the edge in ceil_mode too, lies inside."""
    w = options.window
    need = [(c - 1) * s + e for c, s, e in zip(count, w.stride, w.extent)]
    return tuple((left, max(n - size - left, 0)) for n, size, (left, _) in zip(need, sizes, w.padding))


@functools.lru_cache(maxsize=64)
def _positions(options: PoolOptions, sizes: tuple[int, ...], count: tuple[int, ...]) -> NDArray[Any]:
    """(taps, windows) flat index of each tap in the unpadded plane.

    A tap in the padding stands for the first real tap of its window: it can only win where every
    real element equals the lowest value.
    """
    w = options.window
    flat: NDArray[Any] = np.zeros((1, 1), np.int64)
    real: NDArray[Any] = np.ones((1, 1), np.bool_)
    for axis, size in enumerate(sizes):
        k, n = w.kernel_size[axis], count[axis]
        taps: NDArray[Any] = np.arange(k).reshape(k, 1) * w.dilation[axis]
        starts: NDArray[Any] = np.arange(n).reshape(1, n) * w.stride[axis] - w.padding[axis][0]
        at = taps + starts
        inside = (at >= 0) & (at < size)
        shape = (flat.shape[0] * k, flat.shape[1] * n)
        flat = (flat[:, None, :, None] * size + at[None, :, None, :]).reshape(shape)
        real = (real[:, None, :, None] & inside[None, :, None, :]).reshape(shape)
    first = np.take_along_axis(flat, np.argmax(real, 0)[None, :], 0)
    return np.where(real, flat, first)
