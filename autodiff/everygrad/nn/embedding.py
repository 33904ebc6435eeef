"""Tables of rows chosen by index."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from typing_extensions import override

from everygrad.engine import no_grad
from everygrad.functional.comparison import where
from everygrad.functional.creation import tensor
from everygrad.functional.embedding import embedding, embedding_bag
from everygrad.functional.indexing import index_select
from everygrad.functional.scattering import index_copy
from everygrad.functional.vector_norms import vector_norm
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

    With `max_norm`, rows that are read and whose `norm_type`-norm is larger are first scaled down to it, in the table.

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
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = _row(padding_idx, num_embeddings)
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.weight = parameter((num_embeddings, embedding_dim), dtype, backend)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values, as for a new table."""
        _draw(self.weight, self.padding_idx)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
    ) -> Self:
        """A table with given rows, not trained unless `freeze=False`."""
        if embeddings.ndim != 2:
            raise ShapeError(f"embeddings: must be (rows, width). Received: shape {embeddings.shape}")
        made = cls.__new__(cls)
        made.num_embeddings, made.embedding_dim = embeddings.shape
        made.padding_idx = _row(padding_idx, made.num_embeddings)
        made.max_norm, made.norm_type = max_norm, norm_type
        made.scale_grad_by_freq = scale_grad_by_freq
        made.weight = Parameter(embeddings, requires_grad=not freeze)
        return made

    def forward(self, input: Tensor) -> Tensor:
        """Indices (...) to rows (..., embedding_dim)."""
        if self.max_norm is not None:
            _bound(self.weight, input, self.max_norm, self.norm_type)
        return embedding(input, self.weight, self.padding_idx, scale_grad_by_freq=self.scale_grad_by_freq)

    @override
    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}{_shown(self)}"


class EmbeddingBag(Module):
    """The rows of `weight` (num_embeddings, embedding_dim) for bags of indices, summed, averaged or their maxima.

    `max_norm` and `norm_type` are those of `Embedding`.

    >>> import everygrad as eg
    >>> bag = eg.nn.EmbeddingBag(10, 3, mode="sum")
    >>> bag(eg.tensor([[1, 2], [4, 4]])).shape, bag(eg.tensor([1, 2, 4]), eg.tensor([0, 1])).shape
    ((2, 3), (2, 3))
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        *,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.mode = mode
        self.include_last_offset = include_last_offset
        self.padding_idx = _row(padding_idx, num_embeddings)
        self.weight = parameter((num_embeddings, embedding_dim), dtype, backend)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values, as for a new table."""
        _draw(self.weight, self.padding_idx)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, **options: Any) -> Self:
        """A table with given rows, not trained unless `freeze=False`; `options` are those of the class."""
        if embeddings.ndim != 2:
            raise ShapeError(f"embeddings: must be (rows, width). Received: shape {embeddings.shape}")
        rows, width = embeddings.shape
        made = cls(rows, width, dtype=embeddings.dtype, backend=embeddings.backend, **options)
        made.weight = Parameter(embeddings, requires_grad=not freeze)
        return made

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        """Indices (bags, n), or a vector with offsets, to (bags, embedding_dim)."""
        if self.max_norm is not None:
            _bound(self.weight, input, self.max_norm, self.norm_type)
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
        return f"{self.num_embeddings}, {self.embedding_dim}{_shown(self)}"


def _shown(layer: Embedding | EmbeddingBag) -> str:
    """The options that are not as they are by default, as torch shows them."""
    parts: list[str] = []
    if layer.padding_idx is not None and isinstance(layer, Embedding):
        parts.append(f", padding_idx={layer.padding_idx}")
    if layer.max_norm is not None:
        parts.append(f", max_norm={layer.max_norm}")
    if layer.norm_type != 2:
        parts.append(f", norm_type={layer.norm_type}")
    if layer.scale_grad_by_freq:
        parts.append(f", scale_grad_by_freq={layer.scale_grad_by_freq}")
    if isinstance(layer, EmbeddingBag):
        parts.append(f", mode={layer.mode!r}")
        if layer.padding_idx is not None:
            parts.append(f", padding_idx={layer.padding_idx}")
    return "".join(parts)


def _draw(weight: Parameter, padding_idx: int | None) -> None:
    """Normal values; zeros in the row that is padding."""
    normal_(weight)
    if padding_idx is not None:
        drawn = np.array(values(weight))
        drawn[padding_idx] = 0
        weight.assign(drawn)


def _bound(weight: Parameter, input: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale down the rows that are read and are longer than `max_norm`."""
    if input.dtype.is_floating:
        return  # the lookup says what is wrong
    rows = tensor(np.unique(values(input)), backend=weight.backend)
    with no_grad():
        read = index_select(weight, 0, rows)
        length = vector_norm(read, norm_type, 1, True)
        if bool((length > max_norm).any()):
            scale = where(length > max_norm, max_norm / (length + 1e-7), 1.0)
            weight.assign(index_copy(weight, 0, rows, read * scale))


def _row(padding_idx: int | None, rows: int) -> int | None:
    """The row that is padding, counted from the start."""
    if padding_idx is None:
        return None
    if not -rows <= padding_idx < rows:
        raise IndexError(f"padding_idx: must be a row of the table. Received: {padding_idx} for {rows} rows")
    return padding_idx % rows
