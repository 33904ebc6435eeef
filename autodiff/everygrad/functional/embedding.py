"""Rows of a table chosen by index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.arguments import with_indices
from everygrad.tensor.wrap import wrap

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["embedding"]


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """The rows of weight (num_weights, width) at the integers of input (...): (..., width).

    Row `padding_idx` is read like any other, but gets no gradient. Raises `IndexError` for an index
    that names no row.

    >>> import everygrad as eg
    >>> table = eg.tensor([[0.0, 1.0], [2.0, 3.0]])
    >>> eg.functional.embedding(eg.tensor([1, 0, 1]), table).tolist()
    [[2.0, 3.0], [0.0, 1.0], [2.0, 3.0]]
    """
    table, _, indices = with_indices("embedding", input, "input", weight)
    rows = table.shape[0]
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise IndexError(
                f"embedding: padding_idx must name a row. Received: {padding_idx} for {rows} rows"
            )
        padding_idx %= rows
    b = table.backend
    return wrap(b.embedding(table.array, indices, padding_idx), b, table.known_dtype)
