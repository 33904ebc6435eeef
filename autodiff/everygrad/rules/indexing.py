"""Gradients of reading and writing by index."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend, DType

A = TypeVar("A")


@gradient("gather", "x")
def gather_x(b: Backend[A], g: A, x_shape: tuple[int, ...], dim: int, index: A) -> A:
    return b.scatter_add(b.full(x_shape, 0, b.dtype(g)), dim, index, g)


@gradient("scatter_add", "x")
def scatter_add_x(b: Backend[A], g: A) -> A:
    return g


@gradient("scatter_add", "src")
def scatter_add_src(b: Backend[A], g: A, dim: int, index: A, src_shape: tuple[int, ...]) -> A:
    read = b.gather(g, dim, index)
    extra = [(0, big - small) for big, small in zip(src_shape, b.shape(read))]
    return b.pad(read, tuple(extra)) if any(right for _, right in extra) else read


@gradient("scatter", "x")
def scatter_x(b: Backend[A], g: A, dim: int, index: A) -> A:
    return b.scatter(g, dim, index, b.full(b.shape(index), 0, b.dtype(g)))


@gradient("scatter", "src")
def scatter_src(b: Backend[A], g: A, dim: int, index: A, src_shape: tuple[int, ...]) -> A:
    part = b.shape(index)
    # number the writes: where the number that stayed is another one, the write was lost
    number = b.reshape(b.arange(0, math.prod(part), 1, DType.int64), part)
    stayed = b.scatter(b.full(b.shape(g), 0, DType.int64), dim, index, number)
    kept = b.eq(b.gather(stayed, dim, index), number)
    read = b.where(kept, b.gather(g, dim, index), 0)
    extra = [(0, big - small) for big, small in zip(src_shape, part)]
    return b.pad(read, tuple(extra)) if any(right for _, right in extra) else read


@gradient("index_select", "x")
def index_select_x(b: Backend[A], g: A, x_shape: tuple[int, ...], dim: int, index: A) -> A:
    return b.index_add(b.full(x_shape, 0, b.dtype(g)), dim, index, g)


@gradient("index_add", "x")
def index_add_x(b: Backend[A], g: A) -> A:
    return g


@gradient("index_add", "src")
def index_add_src(b: Backend[A], g: A, dim: int, index: A) -> A:
    return b.index_select(g, dim, index)


@gradient("index", "x")
def index_x(b: Backend[A], g: A, x_shape: tuple[int, ...], indices: Sequence[A]) -> A:
    return b.index_put(b.full(x_shape, 0, b.dtype(g)), indices, g, True)


@gradient("index_put", "x")
def index_put_x(
    b: Backend[A], g: A, indices: Sequence[A], values_shape: tuple[int, ...], accumulate: bool
) -> A:
    if accumulate:
        return g
    return b.index_put(g, indices, b.full(values_shape, 0, b.dtype(g)))


@gradient("index_put", "values")
def index_put_values(
    b: Backend[A], g: A, indices: Sequence[A], values_shape: tuple[int, ...], accumulate: bool
) -> A:
    read = b.index(g, indices)
    if accumulate or not math.prod(values_shape):
        return read
    shape = b.shape(g)
    common = values_shape[: len(values_shape) - len(shape) + len(indices)]
    # number the writes: where the number that stayed is another one, the write was lost
    number = b.reshape(b.arange(0, math.prod(common), 1, DType.int64), common)
    stayed = b.index_put(b.full(shape[: len(indices)], 0, DType.int64), indices, number)
    kept = b.eq(b.index(stayed, indices), number)
    return b.where(b.reshape(kept, (*common, *(1,) * (len(values_shape) - len(common)))), read, 0)
