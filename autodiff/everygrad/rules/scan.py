"""Gradients of running sums. A running product has the gradient of its default, which never divides."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("cumsum", "x")
def cumsum_x(b: Backend[A], g: A, dim: int) -> A:
    return reversed_along(b, b.cumsum(reversed_along(b, g, dim), dim), dim)


def reversed_along(b: Backend[A], x: A, dim: int) -> A:
    """`x` with `dim` in reverse order."""
    return b.slice(
        x, tuple((size - 1, size, -1) if d == dim else (0, size, 1) for d, size in enumerate(b.shape(x)))
    )
