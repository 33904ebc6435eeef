"""Rows of a table chosen by index, and the table's gradient."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.errors import ShapeError

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class EmbeddingOps(Protocol[A]):
    """Indices are int64 in 0 <= i < num_weights; others raise `IndexError` naming the index and the size."""

    def embedding(self: Backend[A], weight: A, indices: A, padding_idx: int | None = None) -> A:
        """The rows of weight (num_weights, width) at `indices` (...): (..., width).

        Row `padding_idx` is read like any other, but gets no gradient.
        """
        shape = self.shape(indices)
        flat = self.reshape(indices, (math.prod(shape),))
        try:
            rows = self.index_select(weight, 0, flat)
        except IndexError as error:
            raise _named("embedding", "index_select", error) from None
        return self.reshape(rows, (*shape, self.shape(weight)[1]))

    def embedding_backward(
        self: Backend[A], grad: A, indices: A, num_weights: int, padding_idx: int | None = None
    ) -> A:
        """The gradient of `embedding` in its weight: each row of grad (..., width) added at its index."""
        if self.shape(grad)[:-1] != self.shape(indices):
            raise ShapeError(
                "embedding_backward: grad must be (indices..., width). "
                f"Received: grad of shape {self.shape(grad)}, indices of shape {self.shape(indices)}"
            )
        width = self.shape(grad)[-1]
        count = math.prod(self.shape(indices))
        if padding_idx is not None:
            keep = self.reshape(self.ne(indices, padding_idx), (*self.shape(indices), 1))
            grad = self.where(keep, grad, 0)
        table = self.full((num_weights, width), 0, self.dtype(grad))
        flat, rows = self.reshape(indices, (count,)), self.reshape(grad, (count, width))
        try:
            return self.index_add(table, 0, flat, rows)
        except IndexError as error:
            raise _named("embedding_backward", "index_add", error) from None


def _named(op: str, inner: str, error: IndexError) -> IndexError:
    """The complaint of an inner op in the name of the one that was called."""
    return IndexError(str(error).replace(f"{inner}:", f"{op}:", 1))
