"""Reading and writing by index. Indices are int64 with 0 <= i < size: negative ones are resolved above."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import check_count, check_scatter, check_values, common_shape, not_int64
from everygrad_ops.dtypes import DType
from everygrad_ops.errors import DTypeError, ShapeError, bad_index, missing, mixed_dtypes, renamed
from everygrad_ops.marks import broadcasting, non_differentiable, primitive

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class IndexingOps(Protocol[A]):
    """Elements chosen by integer arrays; out of range raises `IndexError` naming the index and the size."""

    @primitive
    def gather(self, x: A, dim: int, index: A) -> A:
        """out[.., i, ..] = x[.., index[.., i, ..], ..]; `index` has the rank of `x`, and may be smaller."""
        raise missing(self, "gather")

    @primitive
    def scatter_add(self, x: A, dim: int, index: A, src: A) -> A:
        """`x` with src[p] added at index[p] along `dim`, for each position p of `index`.

        `index` may be smaller than `src`, and than `x` on the other dims; repeats accumulate, low
        precision in float32.
        """
        raise missing(self, "scatter_add")

    @primitive
    def index_select(self, x: A, dim: int, index: A) -> A:
        """The slices of `x` along `dim` that a vector of indices names."""
        raise missing(self, "index_select")

    @primitive
    def index_add(self, x: A, dim: int, index: A, src: A) -> A:
        """`x` with the slices of `src` added at the indices of a vector, along `dim`; repeats accumulate."""
        raise missing(self, "index_add")

    @primitive
    @non_differentiable
    def nonzero(self, x: A) -> A:
        """The positions of the true elements: int64 of shape (count, rank), in row-major order."""
        raise missing(self, "nonzero")

    def index(self: Backend[A], x: A, indices: Sequence[A]) -> A:
        """x[indices[0], indices[1], ...]: the first k dims read by k integer arrays that broadcast.

        The result has their common shape, then the dims of `x` that are left.
        """
        shape = self.shape(x)
        position, common, rows = _row(self, "index", shape, indices)
        rest = shape[len(indices) :]
        return self.reshape(self.index_select(self.reshape(x, (rows, *rest)), 0, position), (*common, *rest))

    def index_put(self: Backend[A], x: A, indices: Sequence[A], values: A, accumulate: bool = False) -> A:
        """`x` with `values` at the places that `index` reads, of exactly the shape that `index` gives.

        Repeats accumulate, or the last in row-major order wins, and it alone gets gradient.
        """
        shape = self.shape(x)
        position, common, rows = _row(self, "index_put", shape, indices)
        rest = shape[len(indices) :]
        check_values("index_put", self.shape(values), (*common, *rest))
        if self.dtype(x) is not self.dtype(values):
            raise mixed_dtypes("index_put", x=self.dtype(x), values=self.dtype(values))
        flat = self.reshape(x, (rows, *rest))
        src = self.reshape(values, (math.prod(common), *rest))
        if accumulate:
            return self.reshape(self.index_add(flat, 0, position, src), shape)
        last = _last_writes(self, position)
        target, winning = self.index_select(position, 0, last), self.index_select(src, 0, last)
        ones = self.full((self.shape(last)[0],), 1, DType.int64)
        written = self.gt(self.index_add(self.full((rows,), 0, DType.int64), 0, target, ones), 0)
        written = self.reshape(written, (rows, *(1,) * len(rest)))
        moved = self.index_add(self.zeros_like(flat), 0, target, winning)
        return self.reshape(self.where(written, moved, flat), shape)

    def scatter(self: Backend[A], x: A, dim: int, index: A, src: A) -> A:
        """`x` with src[p] written at index[p] along `dim`, for each position p of `index`, which may be smaller.

        Repeats: the last in row-major order wins, and it alone gets gradient.
        """
        shape, part = self.shape(x), self.shape(index)
        check_scatter("scatter", shape, dim, part, self.shape(src))
        if self.dtype(x) is not self.dtype(src):
            raise mixed_dtypes("scatter", x=self.dtype(x), src=self.dtype(src))
        try:
            place = self.gather(places(self, shape), dim, index)
        except (IndexError, DTypeError) as error:
            raise renamed("scatter", error) from None
        count = (math.prod(part),)
        values = src if self.shape(src) == part else self.slice(src, tuple((0, s, 1) for s in part))
        flat = self.reshape(x, (math.prod(shape),))
        put = self.index_put(flat, [self.reshape(place, count)], self.reshape(values, count))
        return self.reshape(put, shape)

    @broadcasting
    def masked_fill(self: Backend[A], x: A, condition: A, value: A | float) -> A:
        """`value` where the boolean condition holds, else x."""
        return self.where(condition, value, x)

    def masked_select(self: Backend[A], x: A, condition: A) -> A:
        """The elements of `x` where a boolean array of its shape holds, as a vector in row-major order."""
        shape = self.shape(x)
        if self.shape(condition) != shape:
            raise ShapeError(
                f"masked_select: condition must have the shape of x, {shape}. "
                f"Received: {self.shape(condition)}; write broadcast_to first"
            )
        found = self.nonzero(self.reshape(condition, (math.prod(shape),)))
        position = self.reshape(found, (self.shape(found)[0],))
        return self.index_select(self.reshape(x, (math.prod(shape),)), 0, position)

    @non_differentiable
    def one_hot(self: Backend[A], index: A, classes: int) -> A:
        """1 at each index along a new last dim of size `classes`, else 0: int64."""
        _check_range(self, "one_hot", index, classes)
        shape = self.shape(index)
        count = math.prod(shape)
        flat = self.reshape(index, (count, 1))
        zeros = self.full((count, classes), 0, DType.int64)
        ones = self.full((count, 1), 1, DType.int64)
        return self.reshape(self.scatter_add(zeros, 1, flat, ones), (*shape, classes))


def places(b: Backend[A], shape: tuple[int, ...]) -> A:
    """The number of each place of an array of `shape`, in row-major order."""
    return b.reshape(b.arange(0, math.prod(shape), 1, DType.int64), shape)


def _row(
    b: Backend[A], op: str, shape: tuple[int, ...], indices: Sequence[A]
) -> tuple[A, tuple[int, ...], int]:
    """The row that the indices name together in x of shape (rows, rest...), as a vector; their common shape."""
    check_count(op, indices, len(shape))
    common = common_shape(op, *(b.shape(index) for index in indices))
    position: A | None = None
    for index, size in zip(indices, shape):
        _check_range(b, op, index, size)
        position = index if position is None else b.add(b.mul(position, size), index)
    assert position is not None  # at least one index
    return b.reshape(position, (math.prod(common),)), common, math.prod(shape[: len(indices)])


def _check_range(b: Backend[A], op: str, index: A, size: int) -> None:
    """A row number can be right where one of its indices is not: look at the values."""
    if b.dtype(index) is not DType.int64:
        raise not_int64(op, b.dtype(index))
    values = b.to_numpy(index)
    if values.size and not (values.min() >= 0 and values.max() < size):
        raise bad_index(op, int(values.min()), int(values.max()), size)


def _last_writes(b: Backend[A], position: A) -> A:
    """The positions in a vector whose value is not repeated further on."""
    count = b.shape(position)[0]
    ordered, order = b.sort(position, 0)
    if count < 2:
        return order
    changes = b.ne(b.slice(ordered, ((1, count - 1, 1),)), b.slice(ordered, ((0, count - 1, 1),)))
    found = b.nonzero(b.cat([changes, b.full((1,), 1, DType.bool_)], 0))
    return b.index_select(order, 0, b.reshape(found, (b.shape(found)[0],)))
