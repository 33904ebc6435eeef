"""Rows of a table chosen by index, and the table's gradient."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.dtypes import DType
from everygrad_ops.errors import ShapeError, renamed
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class EmbeddingOps(Protocol[A]):
    """Indices are int64 in 0 <= i < num_weights; others raise `IndexError` naming the index and the size."""

    def embedding(
        self: Backend[A],
        weight: A,
        indices: A,
        padding_idx: int | None = None,
        scale_grad_by_freq: bool = False,
    ) -> A:
        """The rows of weight (num_weights, width) at `indices` (...): (..., width).

        Row `padding_idx` is read like any other, but gets no gradient. With `scale_grad_by_freq` the gradient
        of a row is divided by how often it was read.
        """
        shape = self.shape(indices)
        flat = self.reshape(indices, (math.prod(shape),))
        try:
            rows = self.index_select(weight, 0, flat)
        except IndexError as error:
            raise renamed("embedding", error) from None
        return self.reshape(rows, (*shape, self.shape(weight)[1]))

    def embedding_backward(
        self: Backend[A],
        grad: A,
        indices: A,
        num_weights: int,
        padding_idx: int | None = None,
        scale_grad_by_freq: bool = False,
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
            if not scale_grad_by_freq:
                return self.index_add(table, 0, flat, rows)
            dtype, often = self.dtype(grad), frequencies(self, flat, num_weights)
            total = wide(self, self.index_add(wide(self, table), 0, flat, wide(self, rows)))
            return narrow(self, self.div(total, self.cast(often, self.dtype(total))), dtype)
        except IndexError as error:
            raise renamed("embedding_backward", error) from None

    def embedding_bag(
        self: Backend[A],
        weight: A,
        indices: A,
        offsets: A,
        mode: str = "mean",
        per_sample_weights: A | None = None,
        padding_idx: int | None = None,
        scale_grad_by_freq: bool = False,
    ) -> A:
        """The rows of weight at a vector of `indices`, reduced bag by bag: (bags, width).

        Bag i holds the indices from offsets[i] to before offsets[i + 1], the last one all that are left;
        offsets are int64 and rise from 0. `mode` is "sum" (of rows times `per_sample_weights`, where given),
        "mean" or "max", where ties share the gradient. Indices equal to `padding_idx` take no part. A bag of
        nothing gives zeros.
        """
        indices, bags, per_sample_weights = _in_bags(
            self, mode, indices, offsets, per_sample_weights, padding_idx
        )
        count, width, dtype = self.shape(offsets)[0], self.shape(weight)[1], self.dtype(weight)
        try:
            rows = self.embedding(weight, indices, None, scale_grad_by_freq)
        except IndexError as error:
            raise renamed("embedding_bag", error) from None
        if per_sample_weights is not None:
            rows = self.mul(rows, self.reshape(per_sample_weights, (*self.shape(indices), 1)))
        out = self.full((count, width), 0, dtype)
        if mode == "max":
            return self.index_reduce(out, 0, bags, rows, "amax", False)
        if mode == "sum":
            return self.index_add(out, 0, bags, rows)
        total = self.index_add(wide(self, out), 0, bags, wide(self, rows))
        often = frequencies(self, bags, count)
        return narrow(self, self.div(total, self.cast(often, self.dtype(total))), dtype)


def frequencies(b: Backend[A], indices: A, size: int) -> A:
    """How often a vector names each of `size` rows, as (size, 1), at least 1: what to divide by."""
    ones = b.full(b.shape(indices), 1, DType.int64)
    often = b.index_add(b.full((size,), 0, DType.int64), 0, indices, ones)
    return b.reshape(b.maximum(often, 1), (size, 1))


def _in_bags(
    b: Backend[A], mode: str, indices: A, offsets: A, weights: A | None, padding_idx: int | None
) -> tuple[A, A, A | None]:
    """The indices that take part, the bag that each is in, and their weights."""
    size, starts = b.shape(indices), b.shape(offsets)
    if mode not in ("sum", "mean", "max"):
        raise ValueError(f"embedding_bag: mode must be sum, mean or max. Received: mode={mode!r}")
    if len(size) != 1 or len(starts) != 1:
        raise ShapeError(
            f"embedding_bag: indices and offsets must be vectors. Received: shapes {size} and {starts}"
        )
    if weights is not None and (mode != "sum" or b.shape(weights) != size):
        raise ShapeError(
            'embedding_bag: per_sample_weights go with mode="sum", one per index. '
            f"Received: mode={mode!r}, shapes {b.shape(weights)} for indices {size}"
        )
    count = size[0]
    begin = b.to_numpy(offsets)
    if begin.size and (begin[0] != 0 or begin[-1] > count or bool((begin[1:] < begin[:-1]).any())):
        raise ShapeError(
            f"embedding_bag: offsets must rise from 0 to at most {count}, the number of indices. "
            f"Received: {begin.tolist()}"
        )
    if count and not begin.size:
        raise ShapeError(f"embedding_bag: {count} indices need a bag. Received: offsets of nothing")
    # each bag starts one more: an index stands in the bag that was started last
    marks = b.index_add(b.full((count + 1,), 0, DType.int64), 0, offsets, b.full(starts, 1, DType.int64))
    bags = b.slice(b.sub(b.cumsum(marks, 0), 1), ((0, count, 1),))
    if padding_idx is not None:
        found = b.nonzero(b.ne(indices, padding_idx))
        kept = b.reshape(found, (b.shape(found)[0],))
        indices, bags = b.index_select(indices, 0, kept), b.index_select(bags, 0, kept)
        weights = None if weights is None else b.index_select(weights, 0, kept)
    return indices, bags, weights
