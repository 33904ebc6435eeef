"""Random arrays: pure functions of an integer seed (the same seed, shape and dtype give the same array)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.dtypes import DType
from everygrad_ops.errors import missing
from everygrad_ops.marks import non_differentiable, primitive

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class RandomOps(Protocol[A]):  # type: ignore[misc]  # pyright: ignore[reportInvalidTypeVarUse]  # one variance for all families
    """Draws from a seed; no global generator is touched."""

    @primitive
    @non_differentiable
    def uniform(self, shape: tuple[int, ...], seed: int, dtype: DType) -> A:
        """Evenly from [0, 1)."""
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
