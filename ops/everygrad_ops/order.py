"""Order: positions of extrema, sorting, the k largest. Dims are normalised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import check_dim
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
