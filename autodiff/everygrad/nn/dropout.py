"""Dropout."""

from __future__ import annotations

from typing_extensions import override

from everygrad.functional.dropout import dropout
from everygrad.nn.module import Module
from everygrad.tensor import Tensor

__all__ = ["Dropout"]


class Dropout(Module):
    """In training, each element is 0 with probability `p`, else scaled by 1 / (1 - p); in use, the input.

    The mask comes from the current generator: see `everygrad.manual_seed`. `inplace` changes
    nothing, since tensors are values.

    >>> import everygrad as eg
    >>> layer = eg.nn.Dropout(0.5)
    >>> sorted(set(layer(eg.ones(100)).tolist())), set(layer.eval()(eg.ones(100)).tolist())
    ([0.0, 2.0], {1.0})
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"p: must be a probability, from 0 to 1. Received: {p!r}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements dropped."""
        return dropout(input, self.p, self.training)

    @override
    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"
