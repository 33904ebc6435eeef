"""Reductions and order. `dims` is a tuple of normalised dims; an empty tuple reduces nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.errors import missing
from everygrad_ops.marks import non_differentiable, outputs, primitive

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ReductionOps(Protocol[A]):
    """Many elements to one, or in another order."""

    @primitive
    def sum(self, x: A, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """Sum; float16 and bfloat16 accumulate in float32, integers and bools in int64."""
        raise missing(self, "sum")

    @primitive
    def prod(self, x: A, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """Product; its gradient is right where entries are zero. Integers and bools give int64."""
        raise missing(self, "prod")

    @primitive
    def amax(self, x: A, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """Largest value; NaN wins; ties share the gradient evenly. Over nothing it raises `ShapeError`."""
        raise missing(self, "amax")

    @primitive
    def amin(self, x: A, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """Smallest value; NaN wins; ties share the gradient evenly. Over nothing it raises `ShapeError`."""
        raise missing(self, "amin")

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

    def mean(self: Backend[A], x: A, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """Mean of floats; over nothing it is NaN with a zero gradient."""
        count = 1
        for dim in dims:
            count *= self.shape(x)[dim]
        total = self.sum(x, dims, keepdim)
        return self.div(total, count) if count else self.mul(total, float("nan"))
