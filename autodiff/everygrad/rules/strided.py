"""Gradients of diagonals and of windows along one dim: reads and writes are adjoint."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("diagonal", "x")
def diagonal_x(b: Backend[A], g: A, x_shape: tuple[int, ...], offset: int) -> A:
    return b.diagonal_scatter(b.full(x_shape, 0, b.dtype(g)), g, offset)


@gradient("diagonal_scatter", "x")
def diagonal_scatter_x(b: Backend[A], g: A, src_shape: tuple[int, ...], offset: int) -> A:
    return b.diagonal_scatter(g, b.full(src_shape, 0, b.dtype(g)), offset)


@gradient("diagonal_scatter", "src")
def diagonal_scatter_src(b: Backend[A], g: A, offset: int) -> A:
    return b.diagonal(g, offset)


@gradient("unfold_dim", "x")
def unfold_dim_x(b: Backend[A], g: A, x_shape: tuple[int, ...], dim: int, step: int) -> A:
    return b.fold_dim(g, dim, x_shape[dim], step)


@gradient("fold_dim", "x")
def fold_dim_x(b: Backend[A], g: A, x_shape: tuple[int, ...], dim: int, step: int) -> A:
    return b.unfold_dim(g, dim, x_shape[-1], step)
