"""Gradients of adaptive pools: the average and its backward are each other's; indices are constants."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.pool import read
from everygrad.rules.registry import gradient, residual_form
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("adaptive_avg_pool", "x")
def adaptive_avg_pool_x(b: Backend[A], g: A, x_shape: tuple[int, ...]) -> A:
    return b.adaptive_avg_pool_backward(g, x_shape)


@gradient("adaptive_avg_pool_backward", "grad")
def adaptive_avg_pool_backward_grad(b: Backend[A], g: A, grad_shape: tuple[int, ...]) -> A:
    return b.adaptive_avg_pool(g, grad_shape[2:])


residual_form("adaptive_max_pool", "adaptive_max_pool_with_indices")


@gradient("adaptive_max_pool", "x")
def adaptive_max_pool_x(b: Backend[A], g: A, x_shape: tuple[int, ...], indices: A) -> A:
    return b.adaptive_max_pool_with_indices_backward(g, indices, x_shape)


@gradient("adaptive_max_pool_with_indices", "x")
def adaptive_max_pool_with_indices_x(
    b: Backend[A], g_values: A, out_indices: A, x_shape: tuple[int, ...]
) -> A:
    return b.adaptive_max_pool_with_indices_backward(g_values, out_indices, x_shape)


@gradient("adaptive_max_pool_with_indices_backward", "grad")
def adaptive_max_pool_with_indices_backward_grad(b: Backend[A], g: A, indices: A) -> A:
    return read(b, g, indices)
