"""Random arrays: pure functions of an integer seed (the same seed, shape and dtype give the same array)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.dtypes import DType
from everygrad_ops.errors import ShapeError, missing
from everygrad_ops.marks import non_differentiable, primitive

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class RandomOps(Protocol[A]):  # type: ignore[misc]  # pyright: ignore[reportInvalidTypeVarUse]  # one variance for all families
    """Draws from a seed; no global generator is touched."""

    @primitive
    @non_differentiable
    def uniform(self, shape: tuple[int, ...], seed: int, dtype: DType) -> A:
        """Evenly from [0, 1), 1 never reached: low precision rounds the draw down."""
        raise missing(self, "uniform")

    @primitive
    @non_differentiable
    def normal(self, shape: tuple[int, ...], seed: int, dtype: DType) -> A:
        """From the normal distribution with mean 0 and standard deviation 1."""
        raise missing(self, "normal")

    @non_differentiable
    def bernoulli(self: Backend[A], shape: tuple[int, ...], p: float, seed: int) -> A:
        """True with probability `p`: a boolean array."""
        return self.lt(self.uniform(shape, seed, DType.float32), p)

    @non_differentiable
    def randint(self: Backend[A], low: int, high: int, shape: tuple[int, ...], seed: int) -> A:
        """Integers from low <= i < high, each as likely: int64."""
        if not low < high:
            raise ShapeError(f"randint: high must be above low. Received: low={low}, high={high}")
        drawn = self.mul(self.uniform(shape, seed, DType.float64), high - low)
        return self.add(self.cast(drawn, DType.int64), low)

    @non_differentiable
    def permutation(self: Backend[A], n: int, seed: int) -> A:
        """The integers 0 to n - 1 in random order: int64."""
        return self.argsort(self.uniform((n,), seed, DType.float64), 0)
