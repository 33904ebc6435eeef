"""Gradients of products of matrices."""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend
from everygrad_ops.matrix import turned

A = TypeVar("A")


@gradient("matmul", "x")
def matmul_x(b: Backend[A], g: A, y: A, x_shape: tuple[int, ...]) -> A:
    return b.sum_to(b.matmul(g, turned(b, y)), x_shape)


@gradient("matmul", "y")
def matmul_y(b: Backend[A], g: A, x: A, y_shape: tuple[int, ...]) -> A:
    shape = b.shape(x)
    if len(y_shape) == 2 and len(shape) > 2:  # one matrix for all leading indices: one product sums over them
        rows = math.prod(shape[:-1])
        x, g = b.reshape(x, (rows, shape[-1])), b.reshape(g, (rows, y_shape[1]))
    return b.sum_to(b.matmul(turned(b, x), g), y_shape)
