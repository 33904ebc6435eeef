"""Gradients of reading and writing by index."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

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


@gradient("index_select", "x")
def index_select_x(b: Backend[A], g: A, x_shape: tuple[int, ...], dim: int, index: A) -> A:
    return b.index_add(b.full(x_shape, 0, b.dtype(g)), dim, index, g)


@gradient("index_add", "x")
def index_add_x(b: Backend[A], g: A) -> A:
    return g


@gradient("index_add", "src")
def index_add_src(b: Backend[A], g: A, dim: int, index: A) -> A:
    return b.index_select(g, dim, index)
