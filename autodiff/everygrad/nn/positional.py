"""Where a token stands: sines that are added, and rotations."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from typing_extensions import override

from everygrad.functional.creation import tensor
from everygrad.functional.shape import cat, stack
from everygrad.nn.build import Place
from everygrad.nn.module import Module
from everygrad.nn.parameter import Buffer
from everygrad.tensor import Tensor
from everygrad_ops import DType, ShapeError

__all__ = ["PositionalEncoding", "RotaryEmbedding"]

Scaling = Callable[
    [np.ndarray[tuple[int], np.dtype[np.float64]]], np.ndarray[tuple[int], np.dtype[np.float64]]
]


class PositionalEncoding(Module):
    """x (N, L, d_model) plus sines and cosines of its places, of wavelengths from 2 pi to 2 pi `max_timescale`.

    Source: Vaswani et al., "Attention is all you need", 2017.

    >>> import everygrad as eg
    >>> eg.nn.PositionalEncoding(2)(eg.zeros(1, 1, 2)).tolist()
    [[[0.0, 1.0]]]
    """

    def __init__(
        self,
        d_model: int,
        max_sequence_size: int = 5000,
        max_timescale: int = 10_000,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        if d_model % 2:
            raise ShapeError(f"PositionalEncoding: d_model must be even. Received: d_model={d_model}")
        self.d_model = d_model
        self.max_sequence_size = max_sequence_size
        places = np.arange(max_sequence_size)[:, None]
        rates = np.exp(np.arange(0, d_model, 2) * (-math.log(max_timescale) / d_model))
        table = np.stack([np.sin(places * rates), np.cos(places * rates)], 2).reshape(
            max_sequence_size, d_model
        )
        self.table = Buffer(_small(table, dtype, backend), persistent=False)

    def forward(self, input: Tensor) -> Tensor:
        """(N, L, d_model), or (L, d_model), with their places added."""
        length = input.shape[-2]
        if length > self.max_sequence_size or input.shape[-1] != self.d_model:
            raise ShapeError(
                f"PositionalEncoding: input must be (..., L, {self.d_model}) with L up to {self.max_sequence_size}. "
                f"Received: shape {input.shape}; make it with a larger max_sequence_size"
            )
        return input + self.table[:length].to(input.dtype)

    @override
    def extra_repr(self) -> str:
        return f"d_model={self.d_model}, max_sequence_size={self.max_sequence_size}"


class RotaryEmbedding(Module):
    """Turns each pair of neighbours (2i, 2i + 1) of x (..., L, d_model) by its place times theta^(-2i / d_model).

    With `interleaved=False` the pairs are (i, i + d_model / 2), as in most published weights.
    `scaling` is a function of the array of frequencies, for longer texts. `start` counts the places on.
    Source: Su et al., "RoFormer: enhanced transformer with rotary position embedding", 2021.

    >>> import everygrad as eg
    >>> rotary = eg.nn.RotaryEmbedding(8, 2)
    >>> [round(v, 4) for v in rotary(eg.tensor([[1.0, 0.0], [1.0, 0.0]]))[1].tolist()]
    [0.5403, 0.8415]
    """

    def __init__(
        self,
        max_sequence_length: int,
        d_model: int,
        theta: float = 10_000.0,
        *,
        interleaved: bool = True,
        scaling: Scaling | None = None,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        if d_model % 2:
            raise ShapeError(f"RotaryEmbedding: d_model must be even. Received: d_model={d_model}")
        self.max_sequence_length = max_sequence_length
        self.d_model = d_model
        self.interleaved = interleaved
        rates = theta ** (-np.arange(0, d_model, 2) / d_model)
        angles = np.outer(np.arange(max_sequence_length), rates if scaling is None else scaling(rates))
        self.cos = Buffer(_small(np.cos(angles), dtype, backend), persistent=False)
        self.sin = Buffer(_small(np.sin(angles), dtype, backend), persistent=False)

    def forward(self, input: Tensor, start: int = 0) -> Tensor:
        """The input, turned; its first place is `start`."""
        *lead, length, width = input.shape
        if width != self.d_model or start + length > self.max_sequence_length:
            raise ShapeError(
                f"RotaryEmbedding: input must be (..., L, {self.d_model}) with start + L up to "
                f"{self.max_sequence_length}. Received: shape {input.shape}, start={start}"
            )
        cos, sin = (t[start : start + length].to(input.dtype) for t in (self.cos, self.sin))
        half = width // 2
        pairs = input.reshape(*lead, length, *((half, 2) if self.interleaved else (2, half)))
        a, b = (pairs[..., 0], pairs[..., 1]) if self.interleaved else (pairs[..., 0, :], pairs[..., 1, :])
        turned = a * cos - b * sin, a * sin + b * cos
        if self.interleaved:
            return stack(turned, -1).reshape(*input.shape)
        return cat(turned, -1)

    @override
    def extra_repr(self) -> str:
        return f"{self.max_sequence_length}, {self.d_model}, interleaved={self.interleaved}"


def _small(
    table: np.ndarray[tuple[int, ...], np.dtype[np.float64]], dtype: DType | None, backend: Place
) -> Tensor:
    """The table in `dtype`, the default float if None."""
    wide = dtype is DType.float64
    made = tensor(table if wide else table.astype(np.float32), backend=backend)
    return made if dtype is None else made.to(dtype)
