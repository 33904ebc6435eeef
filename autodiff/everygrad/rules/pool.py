"""Gradients of pooling."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend, PoolOptions

A = TypeVar("A")


@gradient("max_pool_with_indices", "x")
def max_pool_with_indices_x(
    b: Backend[A], g_values: A, out_indices: A, x_shape: tuple[int, ...], options: PoolOptions
) -> A:
    return b.max_pool_backward(g_values, out_indices, x_shape, options)
