"""Gradients of what is chosen by order: each goes back to where it came from."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.reduction import restore
from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("sort", "x")
def sort_x(b: Backend[A], g_values: A, out_indices: A, dim: int) -> A:
    return b.scatter_add(b.zeros_like(g_values), dim, out_indices, g_values)


@gradient("topk", "x")
def topk_x(b: Backend[A], g_values: A, out_indices: A, x_shape: tuple[int, ...], dim: int) -> A:
    return b.scatter_add(b.full(x_shape, 0, b.dtype(g_values)), dim, out_indices, g_values)


@gradient("kthvalue", "x")
def kthvalue_x(
    b: Backend[A], g_values: A, out_indices: A, x_shape: tuple[int, ...], dim: int, keepdim: bool
) -> A:
    g, index = (restore(b, v, x_shape, (dim,), keepdim) for v in (g_values, out_indices))
    return b.scatter_add(b.full(x_shape, 0, b.dtype(g)), dim, index, g)
