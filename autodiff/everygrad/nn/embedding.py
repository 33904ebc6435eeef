"""Tables of rows chosen by index."""

from __future__ import annotations

from typing import Self

import numpy as np
from typing_extensions import override

from everygrad.functional.embedding import embedding, embedding_bag
from everygrad.nn.build import Place, parameter
from everygrad.nn.init import normal_
from everygrad.nn.module import Module
from everygrad.nn.parameter import Parameter
from everygrad.tensor import Tensor
from everygrad.tensor.convert import values
from everygrad_ops import DType, ShapeError

__all__ = ["Embedding", "EmbeddingBag"]


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
        scale_grad_by_freq: bool = False,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = _row(padding_idx, num_embeddings)
        self.scale_grad_by_freq = scale_grad_by_freq
        self.weight = _table(num_embeddings, embedding_dim, self.padding_idx, dtype, backend)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None) -> Self:
        """A table with given rows, not trained unless `freeze=False`."""
        if embeddings.ndim != 2:
            raise ShapeError(f"embeddings: must be (rows, width). Received: shape {embeddings.shape}")
        made = cls.__new__(cls)
        made.num_embeddings, made.embedding_dim = embeddings.shape
        made.padding_idx = _row(padding_idx, made.num_embeddings)
        made.scale_grad_by_freq = False
        made.weight = Parameter(embeddings, requires_grad=not freeze)
        return made

    def forward(self, input: Tensor) -> Tensor:
        """Indices (...) to rows (..., embedding_dim)."""
        return embedding(input, self.weight, self.padding_idx, scale_grad_by_freq=self.scale_grad_by_freq)

    @override
    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


class EmbeddingBag(Module):
    """The rows of `weight` (num_embeddings, embedding_dim) for bags of indices, summed, averaged or their maxima.

    >>> import everygrad as eg
    >>> bag = eg.nn.EmbeddingBag(10, 3, mode="sum")
    >>> bag(eg.tensor([[1, 2], [4, 4]])).shape, bag(eg.tensor([1, 2, 4]), eg.tensor([0, 1])).shape
    ((2, 3), (2, 3))
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.scale_grad_by_freq = scale_grad_by_freq
        self.mode = mode
        self.include_last_offset = include_last_offset
        self.padding_idx = _row(padding_idx, num_embeddings)
        self.weight = _table(num_embeddings, embedding_dim, self.padding_idx, dtype, backend)

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        """Indices (bags, n), or a vector with offsets, to (bags, embedding_dim)."""
        return embedding_bag(
            input,
            self.weight,
            offsets,
            self.scale_grad_by_freq,
            self.mode,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    @override
    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}, mode={self.mode!r}{padding}"


def _table(rows: int, width: int, padding_idx: int | None, dtype: DType | None, backend: Place) -> Parameter:
    """Normal values; zeros in the row that is padding."""
    weight = normal_(parameter((rows, width), dtype, backend))
    if padding_idx is not None:
        drawn = np.array(values(weight))
        drawn[padding_idx] = 0
        weight.assign(drawn)
    return weight


def _row(padding_idx: int | None, rows: int) -> int | None:
    """The row that is padding, counted from the start."""
    if padding_idx is None:
        return None
    if not -rows <= padding_idx < rows:
        raise IndexError(f"padding_idx: must be a row of the table. Received: {padding_idx} for {rows} rows")
    return padding_idx % rows
