"""Gradients of products of matrices."""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("matmul", "x")
def matmul_x(b: Backend[A], g: A, y: A, x_shape: tuple[int, ...]) -> A:
    return b.sum_to(b.matmul(g, _transposed(b, y)), x_shape)


@gradient("matmul", "y")
def matmul_y(b: Backend[A], g: A, x: A, y_shape: tuple[int, ...]) -> A:
    shape = b.shape(x)
    if len(y_shape) == 2 and len(shape) > 2:  # one matrix for all leading indices: one product sums over them
        rows = math.prod(shape[:-1])
        x, g = b.reshape(x, (rows, shape[-1])), b.reshape(g, (rows, y_shape[1]))
    return b.sum_to(b.matmul(_transposed(b, x), g), y_shape)


def _transposed(b: Backend[A], x: A) -> A:
    rank = len(b.shape(x))
    return b.permute(x, (*range(rank - 2), rank - 1, rank - 2))
