"""Pooling at any spatial rank, and its adjoints."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from everygrad_ops.dtypes import LOW_PRECISION, DType
from everygrad_ops.errors import DTypeError, ShapeError
from everygrad_ops.geometry import PoolOptions, Window
from everygrad_ops.marks import outputs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everygrad_ops.backend import Backend

A = TypeVar("A")


class PoolOps(Protocol[A]):
    """Windows reduced to one value each."""

    def max_pool(self: Backend[A], x: A, options: PoolOptions) -> A:
        """The largest value of each window of x (N, C, spatial...); NaN wins.

        Padding never wins, integers stay integers; of equals the first in row-major order gets the gradient.
        """
        options.output_size("max_pool", self.shape(x))
        return self.max_pool_with_indices(x, options)[0]

    @outputs("values", "indices", integer=("indices",))
    def max_pool_with_indices(self: Backend[A], x: A, options: PoolOptions) -> tuple[A, A]:
        """(largest value of each window, its flat index in the unpadded plane); NaN wins, ties take the lowest."""
        shape = self.shape(x)
        size = options.output_size("max_pool_with_indices", shape)
        covering = options.covering(shape)
        padded = self.pad(self.detach(x), ((0, 0), (0, 0), *covering.padding), self.lowest(self.dtype(x)))
        unpadded = Window(covering.kernel_size, covering.stride, ((0, 0),) * covering.rank, covering.dilation)
        table = self.from_numpy(_positions(options, shape[2:], size))
        taps, count = self.shape(table)
        columns = self.reshape(self.unfold(padded, unpadded), (*shape[:2], taps, count))
        best = self.argmax(columns, 2, True)
        indices = self.gather(self.broadcast_to(table, (*shape[:2], taps, count)), 2, best)
        indices = self.reshape(indices, (*shape[:2], count))
        plane = self.reshape(x, (*shape[:2], math.prod(shape[2:])))
        out = (*shape[:2], *size)
        return self.reshape(self.gather(plane, 2, indices), out), self.reshape(indices, out)

    def max_pool_with_indices_backward(
        self: Backend[A], grad: A, indices: A, x_shape: tuple[int, ...], options: PoolOptions
    ) -> A:
        """The gradient of max pooling in x, of shape `x_shape`: each upstream value goes to its index."""
        options.check_grad("max_pool_with_indices_backward", self.shape(grad), x_shape)
        check_indices(self.shape(indices), self.shape(grad))
        plane = self.full((*x_shape[:2], math.prod(x_shape[2:])), 0, self.dtype(grad))
        flat = (*x_shape[:2], math.prod(self.shape(grad)[2:]))
        try:
            summed = self.scatter_add(plane, 2, self.reshape(indices, flat), self.reshape(grad, flat))
        except IndexError as error:
            raise IndexError(f"max_pool_with_indices_backward: {error}") from None
        return self.reshape(summed, x_shape)

    def avg_pool(self: Backend[A], x: A, options: PoolOptions) -> A:
        """The mean of each window of x (N, C, spatial...), of floats.

        The divisor is the part of the window inside x and its explicit padding (what hangs over the edge
        in ceil_mode never counts), or inside x alone without count_include_pad, or `divisor_override`.
        float16 and bfloat16 accumulate in float32.
        """
        dtype, shape = self.dtype(x), self.shape(x)
        check_floating("avg_pool", dtype)
        if dtype in LOW_PRECISION:
            return self.cast(self.avg_pool(self.cast(x, DType.float32), options), dtype)
        size = options.output_size("avg_pool", shape)
        columns = self.unfold(x, options.covering(shape))
        taps, count = math.prod(options.window.kernel_size), math.prod(size)
        total = self.sum(self.reshape(columns, (*shape[:2], taps, count)), (2,))
        return _divided(self, self.reshape(total, (*shape[:2], *size)), shape, options)

    def avg_pool_backward(self: Backend[A], grad: A, x_shape: tuple[int, ...], options: PoolOptions) -> A:
        """The gradient of `avg_pool` in x, of shape `x_shape`: each upstream value spread over its window."""
        dtype = self.dtype(grad)
        check_floating("avg_pool_backward", dtype)
        if dtype in LOW_PRECISION:
            wide = self.cast(grad, DType.float32)
            return self.cast(self.avg_pool_backward(wide, x_shape, options), dtype)
        options.check_grad("avg_pool_backward", self.shape(grad), x_shape)
        window = options.covering(x_shape)
        taps, count = math.prod(window.kernel_size), math.prod(self.shape(grad)[2:])
        share = self.reshape(_divided(self, grad, x_shape, options), (*x_shape[:2], 1, count))
        columns = self.broadcast_to(share, (*x_shape[:2], taps, count))
        return self.fold(self.reshape(columns, (x_shape[0], x_shape[1] * taps, count)), x_shape[2:], window)


def check_floating(op: str, dtype: DType) -> None:
    """Refuse to take a mean of integers."""
    if not dtype.is_floating:
        raise DTypeError(f"{op}: a mean needs floats. Received: {dtype}; cast to a float dtype first")


def check_indices(
    indices_shape: tuple[int, ...],
    grad_shape: tuple[int, ...],
    op: str = "max_pool_with_indices_backward",
) -> None:
    """Refuse indices that do not go with the upstream gradient."""
    if tuple(indices_shape) != tuple(grad_shape):
        raise ShapeError(
            f"{op}: indices must have the shape {tuple(grad_shape)} of grad. "
            f"Received: shape {tuple(indices_shape)}"
        )


def divisors(options: PoolOptions, sizes: tuple[int, ...], count: tuple[int, ...]) -> NDArray[Any] | int:
    """What each window's sum is divided by: one number where all agree, else a table (windows...)."""
    return _divisors(options, tuple(sizes), tuple(count))


@functools.lru_cache(maxsize=256)
def _divisors(options: PoolOptions, sizes: tuple[int, ...], count: tuple[int, ...]) -> NDArray[Any] | int:
    if options.divisor_override is not None:
        return options.divisor_override
    w = options.window
    table: NDArray[Any] = np.ones((), np.int64)
    for axis, size in enumerate(sizes):
        left, right = w.padding[axis] if options.count_include_pad else (0, 0)
        at = _taps(w, axis, count[axis])
        table = table[..., None] * ((at >= -left) & (at < size + right)).sum(0)
    first = int(table.flat[0])
    return first if (table == first).all() else table


def _taps(w: Window, axis: int, count: int) -> NDArray[Any]:
    """(taps, windows) positions on one axis of the unpadded input."""
    taps: NDArray[Any] = np.arange(w.kernel_size[axis]).reshape(-1, 1) * w.dilation[axis]
    starts: NDArray[Any] = np.arange(count).reshape(1, -1) * w.stride[axis] - w.padding[axis][0]
    at: NDArray[Any] = taps + starts
    return at


def _divided(b: Backend[A], x: A, x_shape: tuple[int, ...], options: PoolOptions) -> A:
    """One value per window, divided by the window's divisor."""
    divisor = divisors(options, x_shape[2:], b.shape(x)[2:])
    return b.div(x, divisor if isinstance(divisor, int) else b.cast(b.from_numpy(divisor), b.dtype(x)))


@functools.lru_cache(maxsize=64)
def _positions(options: PoolOptions, sizes: tuple[int, ...], count: tuple[int, ...]) -> NDArray[Any]:
    """(taps, windows) flat index of each tap in the unpadded plane.

    A tap in the padding stands for the first real tap of its window: it can only win where every
    real element equals the lowest value.
    """
    flat: NDArray[Any] = np.zeros((1, 1), np.int64)
    real: NDArray[Any] = np.ones((1, 1), np.bool_)
    for axis, size in enumerate(sizes):
        at = _taps(options.window, axis, count[axis])
        inside = (at >= 0) & (at < size)
        shape = (flat.shape[0] * at.shape[0], flat.shape[1] * at.shape[1])
        flat = (flat[:, None, :, None] * size + at[None, :, None, :]).reshape(shape)
        real = (real[:, None, :, None] & inside[None, :, None, :]).reshape(shape)
    first = np.take_along_axis(flat, np.argmax(real, 0)[None, :], 0)
    return np.where(real, flat, first)
