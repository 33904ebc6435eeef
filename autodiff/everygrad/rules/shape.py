"""Gradients of views, padding and joining."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend
from everygrad_ops.checks import Slices
from everygrad_ops.geometry import Pairs

A = TypeVar("A")


@gradient("reshape", "x")
def reshape_x(b: Backend[A], g: A, x_shape: tuple[int, ...]) -> A:
    return b.reshape(g, x_shape)


@gradient("permute", "x")
def permute_x(b: Backend[A], g: A, dims: tuple[int, ...]) -> A:
    inverse = sorted(range(len(dims)), key=dims.__getitem__)
    return b.permute(g, tuple(inverse))


@gradient("broadcast_to", "x")
def broadcast_to_x(b: Backend[A], g: A, x_shape: tuple[int, ...]) -> A:
    return b.sum_to(g, x_shape)


@gradient("slice", "x")
def slice_x(b: Backend[A], g: A, x_shape: tuple[int, ...], slices: Slices) -> A:
    return b.slice_scatter(b.full(x_shape, 0, b.dtype(g)), g, slices)


@gradient("slice_scatter", "x")
def slice_scatter_x(b: Backend[A], g: A, src_shape: tuple[int, ...], slices: Slices) -> A:
    return b.slice_scatter(g, b.full(src_shape, 0, b.dtype(g)), slices)


@gradient("slice_scatter", "src")
def slice_scatter_src(b: Backend[A], g: A, slices: Slices) -> A:
    return b.slice(g, slices)


@gradient("pad", "x")
def pad_x(b: Backend[A], g: A, x_shape: tuple[int, ...], padding: Pairs) -> A:
    return b.slice(g, tuple((left, size, 1) for size, (left, _) in zip(x_shape, padding)))


@gradient("cat", "xs")
def cat_xs(b: Backend[A], g: A, xs_shape: tuple[tuple[int, ...], ...], dim: int) -> list[A]:
    whole = [(0, size, 1) for size in b.shape(g)]
    parts: list[A] = []
    start = 0
    for shape in xs_shape:
        part = (*whole[:dim], (start, shape[dim], 1), *whole[dim + 1 :])
        parts.append(b.slice(g, part))
        start += shape[dim]
    return parts
