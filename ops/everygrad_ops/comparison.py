"""Comparisons, logic and selection. Results are boolean and carry no gradient, `where` excepted.

A scalar that the dtype of x cannot hold still compares by its value: no int8 is above 300.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.errors import missing
from everygrad_ops.marks import broadcasting, non_differentiable, primitive

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ComparisonOps(Protocol[A]):
    """Questions asked of each element."""

    @primitive
    @broadcasting
    @non_differentiable
    def eq(self, x: A, y: A | float) -> A:
        """x == y."""
        raise missing(self, "eq")

    @primitive
    @broadcasting
    @non_differentiable
    def lt(self, x: A, y: A | float) -> A:
        """x < y."""
        raise missing(self, "lt")

    @primitive
    @broadcasting
    @non_differentiable
    def gt(self, x: A, y: A | float) -> A:
        """x > y."""
        raise missing(self, "gt")

    @primitive
    @non_differentiable
    def logical_not(self, x: A) -> A:
        """Not x, of booleans."""
        raise missing(self, "logical_not")

    @primitive
    @broadcasting
    @non_differentiable
    def logical_and(self, x: A, y: A) -> A:
        """Both, of booleans."""
        raise missing(self, "logical_and")

    @broadcasting
    @non_differentiable
    def logical_or(self: Backend[A], x: A, y: A) -> A:
        """Either, of booleans."""
        return self.logical_not(self.logical_and(self.logical_not(x), self.logical_not(y)))

    @broadcasting
    @non_differentiable
    def logical_xor(self: Backend[A], x: A, y: A) -> A:
        """Exactly one, of booleans."""
        return self.logical_and(self.logical_or(x, y), self.logical_not(self.logical_and(x, y)))

    @broadcasting
    @non_differentiable
    def ne(self: Backend[A], x: A, y: A | float) -> A:
        """x != y; NaN differs from itself."""
        return self.logical_not(self.eq(x, y))

    @broadcasting
    @non_differentiable
    def le(self: Backend[A], x: A, y: A | float) -> A:
        """x <= y."""
        return self.logical_or(self.lt(x, y), self.eq(x, y))

    @broadcasting
    @non_differentiable
    def ge(self: Backend[A], x: A, y: A | float) -> A:
        """x >= y."""
        return self.logical_or(self.gt(x, y), self.eq(x, y))

    @non_differentiable
    def isnan(self: Backend[A], x: A) -> A:
        """Whether x is NaN."""
        return self.ne(x, x)

    @non_differentiable
    def isinf(self: Backend[A], x: A) -> A:
        """Whether x is infinite."""
        return self.logical_or(self.eq(x, float("inf")), self.eq(x, float("-inf")))

    @non_differentiable
    def isfinite(self: Backend[A], x: A) -> A:
        """Whether x is neither infinite nor NaN."""
        return self.logical_not(self.logical_or(self.isnan(x), self.isinf(x)))

    @primitive
    @broadcasting
    def where(self, condition: A, x: A | float, y: A | float) -> A:
        """x where the boolean condition holds, else y; at least one of x and y is an array."""
        raise missing(self, "where")
