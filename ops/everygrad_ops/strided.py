"""Diagonals, and windows along one dim: what strides can name without a copy, and the adjoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import check_dim, check_values
from everygrad_ops.dtypes import DType
from everygrad_ops.errors import ShapeError, mixed_dtypes

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class StridedOps(Protocol[A]):
    """Reading is a view where the library has one; each write is the adjoint of a read."""

    def diagonal(self: Backend[A], x: A, offset: int = 0) -> A:
        """The elements (..., i, i + offset) of the last two dims, as one dim at the end."""
        shape = self.shape(x)
        start, count = diagonal_of("diagonal", shape, offset)
        rows, columns = shape[-2:]
        flat = self.reshape(x, (*shape[:-2], rows * columns))
        whole = tuple((0, s, 1) for s in shape[:-2])
        return self.slice(flat, (*whole, (start, count, columns + 1)))

    def diagonal_scatter(self: Backend[A], x: A, src: A, offset: int = 0) -> A:
        """`x` with the part that `diagonal` reads replaced by `src`."""
        shape = self.shape(x)
        start, count = diagonal_of("diagonal_scatter", shape, offset)
        check_values("diagonal_scatter", self.shape(src), (*shape[:-2], count), "src")
        if self.dtype(x) is not self.dtype(src):
            raise mixed_dtypes("diagonal_scatter", x=self.dtype(x), src=self.dtype(src))
        rows, columns = shape[-2:]
        flat = self.reshape(x, (*shape[:-2], rows * columns))
        whole = tuple((0, s, 1) for s in shape[:-2])
        return self.reshape(self.slice_scatter(flat, src, (*whole, (start, count, columns + 1))), shape)

    def unfold_dim(self: Backend[A], x: A, dim: int, size: int, step: int) -> A:
        """Windows of `size` elements along `dim`, one every `step`: their number stands at `dim`, `size` at the end."""
        shape = self.shape(x)
        count = windows_of("unfold_dim", shape, dim, size, step)
        parts = self.index_select(x, dim, _places(self, count, size, step))
        apart = self.reshape(parts, (*shape[:dim], count, size, *shape[dim + 1 :]))
        order = (*(d for d in range(len(shape) + 1) if d != dim + 1), dim + 1)
        return self.permute(apart, order)

    def fold_dim(self: Backend[A], x: A, dim: int, length: int, step: int) -> A:
        """Windows as `unfold_dim` gives them, added up along `dim` into `length` places: its adjoint.

        Low precision is added in float32.
        """
        shape = self.shape(x)
        folded_to("fold_dim", shape, dim, length, step)
        count, size, rank = shape[dim], shape[-1], len(shape)
        order = (*range(dim + 1), rank - 1, *range(dim + 1, rank - 1))
        rest = shape[dim + 1 : -1]
        flat = self.reshape(self.permute(x, order), (*shape[:dim], count * size, *rest))
        zeros = self.full((*shape[:dim], length, *rest), 0, self.dtype(x))
        return self.index_add(zeros, dim, _places(self, count, size, step), flat)


def diagonal_of(op: str, shape: tuple[int, ...], offset: int) -> tuple[int, int]:
    """(start, length) of a diagonal of the last two dims, where these are made one."""
    if len(shape) < 2:
        raise ShapeError(f"{op}: x must have at least 2 dims. Received: shape {tuple(shape)}")
    rows, columns = shape[-2:]
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    if not count:
        return 0, 0
    return (offset if offset >= 0 else -offset * columns), count


def windows_of(op: str, shape: tuple[int, ...], dim: int, size: int, step: int) -> int:
    """How many windows of `size` there are along a dim."""
    check_dim(op, dim, len(shape))
    if not 0 <= size <= shape[dim] or step < 1:
        raise ShapeError(
            f"{op}: size must be from 0 to {shape[dim]}, the size of dim {dim}, and step at least 1. "
            f"Received: size={size}, step={step}"
        )
    return (shape[dim] - size) // step + 1


def folded_to(op: str, shape: tuple[int, ...], dim: int, length: int, step: int) -> tuple[int, ...]:
    """The shape that windows (..., count, ..., size) fold to; another count raises `ShapeError`."""
    check_dim(op, dim, len(shape) - 1)
    full = (*shape[:dim], length, *shape[dim + 1 : -1])
    count = windows_of(op, full, dim, shape[-1], step)
    if count != shape[dim]:
        raise ShapeError(
            f"{op}: x must have {count} windows at dim {dim} for length {length}. Received: x of shape {tuple(shape)}"
        )
    return full


def _places(b: Backend[A], count: int, size: int, step: int) -> A:
    """The place that each element of each window is read from, as a vector."""
    starts = b.reshape(b.mul(b.arange(0, count, 1, DType.int64), step), (count, 1))
    taps = b.reshape(b.arange(0, size, 1, DType.int64), (1, size))
    return b.reshape(b.add(starts, taps), (count * size,))
