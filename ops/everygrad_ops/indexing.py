"""Reading and writing by index. Indices are int64, already in 0 <= i < size where marked checked."""

from __future__ import annotations

from typing import Protocol, TypeVar

from everygrad_ops.errors import missing
from everygrad_ops.marks import non_differentiable, primitive

A = TypeVar("A")


class IndexingOps(Protocol[A]):
    """Elements chosen by integer arrays; out of range raises `IndexError` naming the index and the size."""

    @primitive
    def gather(self, x: A, dim: int, index: A) -> A:
        """out[.., i, ..] = x[.., index[.., i, ..], ..]; `index` has the rank of `x`, and may be smaller."""
        raise missing(self, "gather")

    @primitive
    def scatter_add(self, x: A, dim: int, index: A, src: A) -> A:
        """`x` with src[p] added at index[p] along `dim`, for each position p of `index`."""
        raise missing(self, "scatter_add")

    @primitive
    def index_select(self, x: A, dim: int, index: A) -> A:
        """The slices of `x` along `dim` that a vector of indices names."""
        raise missing(self, "index_select")

    @primitive
    def index_add(self, x: A, dim: int, index: A, src: A) -> A:
        """`x` with the slices of `src` added at the indices of a vector, along `dim`."""
        raise missing(self, "index_add")

    @primitive
    @non_differentiable
    def nonzero(self, x: A) -> A:
        """The positions of the true elements: int64 of shape (count, rank), in row-major order."""
        raise missing(self, "nonzero")
