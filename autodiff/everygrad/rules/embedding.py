"""Gradients of embedding: reading rows and adding them back are adjoint."""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend
from everygrad_ops.embedding import frequencies
from everygrad_ops.precision import narrow, wide

A = TypeVar("A")


@gradient("embedding", "weight")
def embedding_weight(
    b: Backend[A],
    g: A,
    weight_shape: tuple[int, ...],
    indices: A,
    padding_idx: int | None,
    scale_grad_by_freq: bool,
) -> A:
    return b.embedding_backward(g, indices, weight_shape[0], padding_idx, scale_grad_by_freq)


@gradient("embedding_backward", "grad")
def embedding_backward_grad(
    b: Backend[A],
    g: A,
    indices: A,
    num_weights: int,
    padding_idx: int | None,
    scale_grad_by_freq: bool,
) -> A:
    if scale_grad_by_freq:
        often = frequencies(b, b.reshape(indices, (math.prod(b.shape(indices)),)), num_weights)
        dtype, g = b.dtype(g), wide(b, g)
        g = narrow(b, b.div(g, b.cast(often, b.dtype(g))), dtype)
    rows = b.embedding(g, indices)
    if padding_idx is None:
        return rows
    return b.where(b.reshape(b.ne(indices, padding_idx), (*b.shape(indices), 1)), rows, 0)
