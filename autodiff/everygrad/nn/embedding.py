"""Tables of rows chosen by index."""

from __future__ import annotations

from typing import Self

import numpy as np
from typing_extensions import override

from everygrad.functional.embedding import embedding
from everygrad.nn.build import Place, parameter
from everygrad.nn.init import normal_
from everygrad.nn.module import Module
from everygrad.nn.parameter import Parameter
from everygrad.tensor import Tensor
from everygrad.tensor.convert import values
from everygrad_ops import DType, ShapeError

__all__ = ["Embedding"]


class Embedding(Module):
    """A row of `weight` (num_embeddings, embedding_dim) for each index; row `padding_idx` is 0 and never trained.

    >>> import everygrad as eg
    >>> table = eg.nn.Embedding(10, 3, padding_idx=0)
    >>> rows = table(eg.tensor([[4, 0]]))
    >>> rows.shape, rows[0, 1].tolist()
    ((1, 2, 3), [0.0, 0.0, 0.0])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = _row(padding_idx, num_embeddings)
        self.weight = normal_(parameter((num_embeddings, embedding_dim), dtype, backend))
        if self.padding_idx is not None:
            rows = np.array(values(self.weight))
            rows[self.padding_idx] = 0
            self.weight.assign(rows)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None) -> Self:
        """A table with given rows, not trained unless `freeze=False`."""
        if embeddings.ndim != 2:
            raise ShapeError(f"embeddings: must be (rows, width). Received: shape {embeddings.shape}")
        made = cls.__new__(cls)
        made.num_embeddings, made.embedding_dim = embeddings.shape
        made.padding_idx = _row(padding_idx, made.num_embeddings)
        made.weight = Parameter(embeddings, requires_grad=not freeze)
        return made

    def forward(self, input: Tensor) -> Tensor:
        """Indices (...) to rows (..., embedding_dim)."""
        return embedding(input, self.weight, self.padding_idx)

    @override
    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


def _row(padding_idx: int | None, rows: int) -> int | None:
    """The row that is padding, counted from the start."""
    if padding_idx is None:
        return None
    if not -rows <= padding_idx < rows:
        raise IndexError(f"padding_idx: must be a row of the table. Received: {padding_idx} for {rows} rows")
    return padding_idx % rows
