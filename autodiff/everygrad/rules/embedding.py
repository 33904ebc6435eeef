"""Gradients of embedding: reading rows and adding them back are adjoint."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("embedding", "weight")
def embedding_weight(
    b: Backend[A], g: A, weight_shape: tuple[int, ...], indices: A, padding_idx: int | None
) -> A:
    return b.embedding_backward(g, indices, weight_shape[0], padding_idx)


@gradient("embedding_backward", "grad")
def embedding_backward_grad(b: Backend[A], g: A, indices: A, padding_idx: int | None) -> A:
    rows = b.embedding(g, indices)
    if padding_idx is None:
        return rows
    return b.where(b.reshape(b.ne(indices, padding_idx), (*b.shape(indices), 1)), rows, 0)
