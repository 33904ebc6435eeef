"""Dropout and noise: active in training alone.

What is drawn comes from the current generator: see `everygrad.manual_seed`. `inplace` changes nothing, since
tensors are values.
"""

from __future__ import annotations

from typing_extensions import override

from everygrad.functional.dropout import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
    gaussian_noise,
)
from everygrad.nn.module import Module
from everygrad.tensor import Tensor

__all__ = [
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
    "GaussianNoise",
]


class _Dropout(Module):
    """What they share: how likely it is that something is dropped."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"p: must be a probability, from 0 to 1. Received: {p!r}")
        self.p = p
        self.inplace = inplace

    @override
    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """In training, each element is 0 with probability `p`, else scaled by 1 / (1 - p); in use, the input.

    >>> import everygrad as eg
    >>> layer = eg.nn.Dropout(0.5)
    >>> sorted(set(layer(eg.ones(100)).tolist())), set(layer.eval()(eg.ones(100)).tolist())
    ([0.0, 2.0], {1.0})
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements dropped."""
        return dropout(input, self.p, self.training)


class Dropout1d(_Dropout):
    """`Dropout` of whole channels: the input is (N, C, L) or (C, L).

    >>> import everygrad as eg
    >>> len(set(eg.nn.Dropout1d()(eg.ones(1, 1, 4)).flatten().tolist()))
    1
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input with channels dropped."""
        return dropout1d(input, self.p, self.training)


class Dropout2d(_Dropout):
    """`Dropout` of whole channels: the input is (N, C, H, W) or (C, H, W).

    >>> import everygrad as eg
    >>> len(set(eg.nn.Dropout2d()(eg.ones(1, 1, 2, 2)).flatten().tolist()))
    1
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input with channels dropped."""
        return dropout2d(input, self.p, self.training)


class Dropout3d(_Dropout):
    """`Dropout` of whole channels: the input is (N, C, D, H, W) or (C, D, H, W).

    >>> import everygrad as eg
    >>> len(set(eg.nn.Dropout3d()(eg.ones(1, 1, 2, 2, 2)).flatten().tolist()))
    1
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input with channels dropped."""
        return dropout3d(input, self.p, self.training)


class AlphaDropout(_Dropout):
    """In training, elements become selu's lowest value with probability `p`; mean and variance are restored.

    >>> import everygrad as eg
    >>> len(set(eg.nn.AlphaDropout()(eg.ones(100)).tolist()))
    2
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements dropped."""
        return alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_Dropout):
    """`AlphaDropout` of whole channels: the input is (N, C, ...).

    >>> import everygrad as eg
    >>> len(set(eg.nn.FeatureAlphaDropout()(eg.ones(1, 1, 5)).flatten().tolist()))
    1
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input with channels dropped."""
        return feature_alpha_dropout(input, self.p, self.training)


class GaussianNoise(Module):
    """In training, normal noise with the standard deviation `std` is added; in use, the input.

    >>> import everygrad as eg
    >>> eg.nn.GaussianNoise(1.0).eval()(eg.zeros(2)).tolist()
    [0.0, 0.0]
    """

    def __init__(self, std: float) -> None:
        if not std >= 0:
            raise ValueError(f"std: must not be negative. Received: {std!r}")
        self.std = std

    def forward(self, input: Tensor) -> Tensor:
        """The input with noise added."""
        return gaussian_noise(input, self.std, self.training)

    @override
    def extra_repr(self) -> str:
        return f"std={self.std}"
