"""Pools to a given output size: window i of O over L elements covers floor(i * L / O) to ceil((i + 1) * L / O)."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from everygrad_ops.dtypes import LOW_PRECISION, DType
from everygrad_ops.errors import ShapeError
from everygrad_ops.geometry import Ints, ints
from everygrad_ops.marks import outputs
from everygrad_ops.pool import check_floating, check_indices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everygrad_ops.backend import Backend

A = TypeVar("A")


class AdaptivePoolOps(Protocol[A]):
    """Windows reduced to one value each, as many of them as asked for; x is (N, C, spatial...)."""

    def adaptive_avg_pool(self: Backend[A], x: A, output_size: tuple[int, ...]) -> A:
        """The mean of each of `output_size` windows of x, of floats; low precision accumulates in float32."""
        dtype, shape = self.dtype(x), self.shape(x)
        check_floating("adaptive_avg_pool", dtype)
        check_adaptive("adaptive_avg_pool", shape, output_size)
        if dtype in LOW_PRECISION:
            return self.cast(self.adaptive_avg_pool(self.cast(x, DType.float32), output_size), dtype)
        for dim, count in enumerate(output_size, 2):
            read, windows, sizes = _members(self, shape[dim], count)
            into = self.full((*shape[:dim], count, *shape[dim + 1 :]), 0, dtype)
            total = self.index_add(into, dim, windows, self.index_select(x, dim, read))
            x = self.div(total, self.cast(_along(self, sizes, dim, shape), dtype))
            shape = self.shape(x)
        return x

    def adaptive_avg_pool_backward(self: Backend[A], grad: A, x_shape: tuple[int, ...]) -> A:
        """The gradient of `adaptive_avg_pool` in x, of shape `x_shape`: each value spread over its window."""
        dtype, shape = self.dtype(grad), self.shape(grad)
        check_floating("adaptive_avg_pool_backward", dtype)
        check_adaptive_grad("adaptive_avg_pool_backward", shape, x_shape)
        if dtype in LOW_PRECISION:
            wide = self.cast(grad, DType.float32)
            return self.cast(self.adaptive_avg_pool_backward(wide, x_shape), dtype)
        for dim in range(2, len(x_shape)):
            read, windows, sizes = _members(self, x_shape[dim], shape[dim])
            share = self.div(grad, self.cast(_along(self, sizes, dim, shape), dtype))
            into = self.full((*shape[:dim], x_shape[dim], *shape[dim + 1 :]), 0, dtype)
            grad = self.index_add(into, dim, read, self.index_select(share, dim, windows))
            shape = self.shape(grad)
        return grad

    def adaptive_max_pool(self: Backend[A], x: A, output_size: tuple[int, ...]) -> A:
        """The largest value of each of `output_size` windows of x; NaN wins, the first of equals gets the gradient."""
        check_adaptive("adaptive_max_pool", self.shape(x), output_size)
        return self.adaptive_max_pool_with_indices(x, output_size)[0]

    @outputs("values", "indices", integer=("indices",))
    def adaptive_max_pool_with_indices(self: Backend[A], x: A, output_size: tuple[int, ...]) -> tuple[A, A]:
        """(largest value of each window, its flat index in the plane); NaN wins, ties take the lowest."""
        shape = self.shape(x)
        check_adaptive("adaptive_max_pool_with_indices", shape, output_size)
        host = _positions(shape[2:], tuple(output_size))
        taps, count = host.shape
        table = self.from_numpy(host)
        plane = self.reshape(x, (*shape[:2], math.prod(shape[2:])))
        columns = self.index_select(self.detach(plane), 2, self.reshape(table, (taps * count,)))
        best = self.argmax(self.reshape(columns, (*shape[:2], taps, count)), 2, True)
        indices = self.gather(self.broadcast_to(table, (*shape[:2], taps, count)), 2, best)
        indices, out = self.reshape(indices, (*shape[:2], count)), (*shape[:2], *output_size)
        return self.reshape(self.gather(plane, 2, indices), out), self.reshape(indices, out)

    def adaptive_max_pool_with_indices_backward(
        self: Backend[A], grad: A, indices: A, x_shape: tuple[int, ...]
    ) -> A:
        """The gradient of adaptive max pooling in x, of shape `x_shape`: each upstream value goes to its index."""
        op = "adaptive_max_pool_with_indices_backward"
        check_adaptive_grad(op, self.shape(grad), x_shape)
        check_indices(self.shape(indices), self.shape(grad), op)
        plane = self.full((*x_shape[:2], math.prod(x_shape[2:])), 0, self.dtype(grad))
        flat = (*x_shape[:2], math.prod(self.shape(grad)[2:]))
        try:
            summed = self.scatter_add(plane, 2, self.reshape(indices, flat), self.reshape(grad, flat))
        except IndexError as error:
            raise IndexError(f"{op}: {error}") from None
        return self.reshape(summed, x_shape)


def check_adaptive(op: str, shape: Sequence[int], output_size: Sequence[int]) -> None:
    """Refuse an input of another rank than the output, and sizes of 0."""
    if len(shape) != len(output_size) + 2:
        raise ShapeError(
            f"{op}: x must have {len(output_size) + 2} dims (N, C and {len(output_size)} spatial). "
            f"Received: shape {tuple(shape)}"
        )
    if min(output_size, default=1) < 1 or max(output_size, default=1) >= 2**31 or 0 in shape[2:]:
        raise ShapeError(
            f"{op}: output_size must be at least 1 and below 2**31 on each axis, and windows need elements. "
            f"Received: output_size={tuple(output_size)}, x of shape {tuple(shape)}"
        )


def check_adaptive_grad(op: str, grad_shape: Sequence[int], x_shape: Sequence[int]) -> None:
    """Refuse an upstream gradient that no adaptive pool of such an x has."""
    if len(grad_shape) != len(x_shape) or tuple(grad_shape[:2]) != tuple(x_shape[:2]):
        raise ShapeError(
            f"{op}: grad must have the dims of x, and its N and C. "
            f"Received: grad of shape {tuple(grad_shape)}, x of shape {tuple(x_shape)}"
        )
    check_adaptive(op, x_shape, grad_shape[2:])


def output_sizes(op: str, output_size: Ints, rank: int) -> tuple[int, ...]:
    """One size per spatial axis; a refusal names `op`."""
    try:
        return ints(output_size, rank, "output_size", 1)
    except ShapeError as error:
        raise ShapeError(f"{op}: {error}") from None


@functools.lru_cache(maxsize=256)
def bounds(length: int, count: int) -> tuple[tuple[int, int], ...]:
    """Where each window starts and ends.

    >>> bounds(5, 3)
    ((0, 2), (1, 4), (3, 5))
    """
    return tuple((i * length // count, -(-(i + 1) * length // count)) for i in range(count))


def _members(b: Backend[A], length: int, count: int) -> tuple[A, A, A]:
    """(element, window) of every membership, and the size of each window."""
    ends = bounds(length, count)
    read: NDArray[Any] = np.concatenate([np.arange(low, high) for low, high in ends])
    sizes: NDArray[Any] = np.array([high - low for low, high in ends])
    windows: NDArray[Any] = np.repeat(np.arange(count), sizes)
    return b.from_numpy(read), b.from_numpy(windows), b.from_numpy(sizes)


def _along(b: Backend[A], values: A, dim: int, shape: Sequence[int]) -> A:
    return b.reshape(values, (b.shape(values)[0], *(1,) * (len(shape) - dim - 1)))


@functools.lru_cache(maxsize=64)
def _positions(sizes: tuple[int, ...], counts: tuple[int, ...]) -> NDArray[Any]:
    """(taps, windows) flat index of each tap in the plane; a short window repeats its first."""
    flat: NDArray[Any] = np.zeros((1, 1), np.int64)
    real: NDArray[Any] = np.ones((1, 1), np.bool_)
    for length, count in zip(sizes, counts):
        ends: NDArray[Any] = np.array(bounds(length, count))
        taps: NDArray[Any] = np.arange(int((ends[:, 1] - ends[:, 0]).max())).reshape(-1, 1)
        at: NDArray[Any] = ends[:, 0] + taps
        shape = (flat.shape[0] * at.shape[0], flat.shape[1] * at.shape[1])
        flat = (flat[:, None, :, None] * length + at[None, :, None, :]).reshape(shape)
        real = (real[:, None, :, None] & (at < ends[:, 1])[None, :, None, :]).reshape(shape)
    return np.where(real, flat, flat[:1])
