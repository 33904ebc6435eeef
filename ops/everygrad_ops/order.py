"""Order: positions of extrema, sorting, the k largest. Dims are normalised."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import check_dim
from everygrad_ops.dtypes import DType
from everygrad_ops.errors import ShapeError, missing
from everygrad_ops.marks import non_differentiable, outputs, primitive

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class OrderOps(Protocol[A]):
    """NaN counts as the largest value, except that it wins in argmin too."""

    @primitive
    @non_differentiable
    def argmax(self, x: A, dim: int, keepdim: bool = False) -> A:
        """int64 index of the largest value, the lowest of equals; NaN wins."""
        raise missing(self, "argmax")

    @primitive
    @non_differentiable
    def argmin(self, x: A, dim: int, keepdim: bool = False) -> A:
        """int64 index of the smallest value, the lowest of equals; NaN wins."""
        raise missing(self, "argmin")

    @primitive
    @outputs("values", "indices", integer=("indices",))
    def sort(self, x: A, dim: int, descending: bool = False) -> tuple[A, A]:
        """(values, int64 indices), stable; NaN sorts as the largest."""
        raise missing(self, "sort")

    @non_differentiable
    def argsort(self: Backend[A], x: A, dim: int, descending: bool = False) -> A:
        """The int64 indices of `sort`."""
        return self.sort(x, dim, descending)[1]

    @outputs("values", "indices", integer=("indices",))
    def topk(self: Backend[A], x: A, k: int, dim: int, largest: bool = True) -> tuple[A, A]:
        """(values, int64 indices) of the first `k` of `sort`, descending if `largest`; ties: lowest index."""
        shape = self.shape(x)
        check_dim("topk", dim, len(shape))
        if not 0 <= k <= shape[dim]:
            raise ShapeError(
                f"topk: k must be from 0 to the size {shape[dim]} of dim {dim}. Received: k={k}, "
                f"x of shape {shape}"
            )
        values, indices = self.sort(x, dim, largest)
        part = tuple((0, k if d == dim else size, 1) for d, size in enumerate(shape))
        return self.slice(values, part), self.slice(indices, part)

    @outputs("values", "indices", integer=("indices",))
    def kthvalue(self: Backend[A], x: A, k: int, dim: int, keepdim: bool = False) -> tuple[A, A]:
        """(value, int64 index) of the `k`-th smallest, from 1 on; of equals the lowest index, which gets the gradient."""
        shape = self.shape(x)
        check_dim("kthvalue", dim, len(shape))
        check_kth(k, shape, dim)
        ordered = self.sort(self.detach(x), dim)[0]
        part = tuple((k - 1, 1, 1) if d == dim else (0, size, 1) for d, size in enumerate(shape))
        return lowest_place(self, x, self.slice(ordered, part), dim, keepdim)

    @non_differentiable
    def searchsorted(self: Backend[A], sequence: A, values: A, right: bool = False) -> A:
        """How many along the sorted last dim of `sequence` lie below each value; with `right`, not above it: int64.

        `sequence` is a vector, or has the dims of `values` but the last. NaN is the largest value. Bisection:
        one step per bit of the length.
        """
        shape, asked = self.shape(sequence), self.shape(values)
        check_sequence(shape, asked)
        size, rows = shape[-1], math.prod(shape[:-1])
        columns = math.prod(asked) if len(shape) == 1 else asked[-1]
        table, wanted = self.reshape(sequence, (rows, size)), self.reshape(values, (rows, columns))
        low = self.full((rows, columns), 0, DType.int64)
        high = self.full((rows, columns), size, DType.int64)
        for _ in range(size.bit_length()):
            middle = self.floor_divide(self.add(low, high), 2)
            found = self.gather(table, 1, self.minimum(middle, size - 1))
            is_open, before = self.lt(low, high), _precedes(self, found, wanted, right)
            low = self.where(self.logical_and(is_open, before), self.add(middle, 1), low)
            high = self.where(self.logical_and(is_open, self.logical_not(before)), middle, high)
        return self.reshape(low, asked)


def lowest_place(b: Backend[A], x: A, value: A, dim: int, keepdim: bool) -> tuple[A, A]:
    """(value, index) of the first element along `dim` that is `value`, of size 1 there; NaN equals NaN."""
    values = b.detach(x)
    same = b.logical_or(b.eq(values, value), b.logical_and(b.isnan(values), b.isnan(value)))
    index = b.argmax(same, dim, True)
    found = b.gather(x, dim, index)
    if keepdim:
        return found, index
    shape = b.shape(x)
    shape = shape[:dim] + shape[dim + 1 :]
    return b.reshape(found, shape), b.reshape(index, shape)


def check_kth(k: int, shape: tuple[int, ...], dim: int) -> None:
    """Refuse a rank that no element has."""
    if not 1 <= k <= shape[dim]:
        raise ShapeError(
            f"kthvalue: k must be from 1 to the size {shape[dim]} of dim {dim}. Received: k={k}, "
            f"x of shape {shape}"
        )


def check_sequence(shape: tuple[int, ...], asked: tuple[int, ...]) -> None:
    """Refuse a sequence that is neither a vector nor one row per row of values."""
    if len(shape) != 1 and (not shape or shape[:-1] != asked[:-1]):
        raise ShapeError(
            "searchsorted: the sorted sequence must be a vector, or have the dims of the values but the last. "
            f"Received: a sequence of shape {shape}, values of shape {asked}"
        )


def _precedes(b: Backend[A], found: A, value: A, equal: bool) -> A:
    """found < value (`equal`: <=), where NaN is above all numbers."""
    if equal:
        return b.logical_not(_precedes(b, value, found, False))
    return b.logical_or(b.lt(found, value), b.logical_and(b.isnan(value), b.logical_not(b.isnan(found))))
