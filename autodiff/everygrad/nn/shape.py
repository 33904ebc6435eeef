"""Layers that only change the shape."""

from __future__ import annotations

import math
from collections.abc import Sequence

from typing_extensions import override

from everygrad.functional.shape import flatten
from everygrad.nn.module import Module
from everygrad.tensor import Tensor
from everygrad.tensor.dims import one_dim
from everygrad_ops import ShapeError

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
        at = one_dim("unflatten", self.dim, input.ndim)
        sizes = _completed(self.unflattened_size, input.shape[at])
        return input.reshape(*input.shape[:at], *sizes, *input.shape[at + 1 :])

    @override
    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


def _completed(sizes: tuple[int, ...], total: int) -> tuple[int, ...]:
    """The sizes, with one -1 replaced by what is left of the total."""
    known = math.prod(size for size in sizes if size != -1)
    whole = tuple(total // known if size == -1 and known else size for size in sizes)
    if sizes.count(-1) > 1 or math.prod(whole) != total or any(size < 0 for size in whole):
        raise ShapeError(f"unflatten: unflattened_size must multiply to {total}. Received: {sizes}")
    return whole
