"""Dropout: a random mask from a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.dtypes import DType

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class DropoutOps(Protocol[A]):
    """Elements set to zero at random, as a pure function of the seed."""

    def dropout(self: Backend[A], x: A, p: float, seed: int) -> A:
        """Each element is 0 with probability `p`, else scaled by 1 / (1 - p); p = 1 gives zeros.

        Source: Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", 2014.
        """
        if not 0 <= p <= 1:
            raise ValueError(
                f"dropout: p must be a probability. Received: p={p!r}; write a number between 0 and 1"
            )
        if p == 0:
            return x
        if p == 1:  # 1 / (1 - p) would be inf, and inf * 0 NaN
            return self.where(self.full(self.shape(x), False, DType.bool_), x, 0)
        keep = self.bernoulli(self.shape(x), 1 - p, seed)
        return self.where(keep, self.mul(x, 1 / (1 - p)), 0)
