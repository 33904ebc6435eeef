"""Layers that only change the shape."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from everygrad.functional.parts import unflatten
from everygrad.functional.shape import flatten
from everygrad.nn.module import Module
from everygrad.tensor import Tensor

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Joins the dims from start_dim to end_dim into one.

    >>> import everygrad as eg
    >>> eg.nn.Flatten()(eg.zeros(2, 3, 4)).shape
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """The input with fewer dims."""
        return flatten(input, self.start_dim, self.end_dim)

    @override
    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits one dim into several.

    >>> import everygrad as eg
    >>> eg.nn.Unflatten(1, (3, 4))(eg.zeros(2, 12)).shape
    (2, 3, 4)
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        self.dim = dim
        self.unflattened_size = tuple(unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        """The input with more dims."""
        return unflatten(input, self.dim, self.unflattened_size)

    @override
    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
