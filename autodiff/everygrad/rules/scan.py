"""Gradients of running sums and extrema.

A running product and logcumsumexp have the gradient of their default, which neither divides nor overflows.
"""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("cumsum", "x")
def cumsum_x(b: Backend[A], g: A, dim: int) -> A:
    return reversed_along(b, b.cumsum(reversed_along(b, g, dim), dim), dim)


@gradient("cummax", "x")
@gradient("cummin", "x")
def cumulative_extremum_x(b: Backend[A], g_values: A, out_indices: A, dim: int) -> A:
    return b.scatter_add(b.zeros_like(g_values), dim, out_indices, g_values)


def reversed_along(b: Backend[A], x: A, dim: int) -> A:
    """`x` with `dim` in reverse order."""
    return b.slice(
        x, tuple((size - 1, size, -1) if d == dim else (0, size, 1) for d, size in enumerate(b.shape(x)))
    )
