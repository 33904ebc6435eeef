"""Gradients of pooling at any rank: avg_pool and its backward are each other's; indices are constants."""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.registry import gradient, residual_form
from everygrad_ops import Backend, PoolOptions

A = TypeVar("A")


@gradient("avg_pool", "x")
def avg_pool_x(b: Backend[A], g: A, x_shape: tuple[int, ...], options: PoolOptions) -> A:
    return b.avg_pool_backward(g, x_shape, options)


@gradient("avg_pool_backward", "grad")
def avg_pool_backward_grad(b: Backend[A], g: A, options: PoolOptions) -> A:
    return b.avg_pool(g, options)


residual_form("max_pool", "max_pool_with_indices")


@gradient("max_pool", "x")
def max_pool_x(b: Backend[A], g: A, x_shape: tuple[int, ...], indices: A, options: PoolOptions) -> A:
    return b.max_pool_with_indices_backward(g, indices, x_shape, options)


@gradient("max_pool_with_indices", "x")
def max_pool_with_indices_x(
    b: Backend[A], g_values: A, out_indices: A, x_shape: tuple[int, ...], options: PoolOptions
) -> A:
    return b.max_pool_with_indices_backward(g_values, out_indices, x_shape, options)


@gradient("max_pool_with_indices_backward", "grad")
def max_pool_with_indices_backward_grad(b: Backend[A], g: A, indices: A) -> A:
    return read(b, g, indices)


def read(b: Backend[A], x: A, indices: A) -> A:
    """The values of `x` (N, C, spatial...) at flat indices into its planes: the adjoint of writing there."""
    shape, out = b.shape(x), b.shape(indices)
    plane = b.reshape(x, (*shape[:2], math.prod(shape[2:])))
    flat = b.reshape(indices, (*out[:2], math.prod(out[2:])))
    return b.reshape(b.gather(plane, 2, flat), out)
