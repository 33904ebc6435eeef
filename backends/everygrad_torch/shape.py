"""Shapes on torch."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from typing_extensions import override

from everygrad_ops.errors import misfit
from everygrad_ops.geometry import Pairs
from everygrad_ops.shape import ShapeOps, Slices
from everygrad_torch.arrays import Array


class TorchShape(ShapeOps[Array]):
    """Views where torch has them; torch has no negative steps, so those are flipped."""

    @override
    def reshape(self, x: Array, shape: tuple[int, ...]) -> Array:
        try:
            return torch.reshape(x, shape)
        except RuntimeError as error:
            raise misfit("reshape", error, x=x, shape=shape) from None

    @override
    def permute(self, x: Array, dims: tuple[int, ...]) -> Array:
        try:
            return torch.permute(x, dims)
        except (RuntimeError, IndexError) as error:
            raise misfit("permute", error, x=x, dims=dims) from None

    @override
    def broadcast_to(self, x: Array, shape: tuple[int, ...]) -> Array:
        try:
            return torch.broadcast_to(x, shape)
        except RuntimeError as error:
            raise misfit("broadcast_to", error, x=x, shape=shape) from None

    @override
    def slice(self, x: Array, slices: Slices) -> Array:
        part, flipped = _part(x, slices)
        return torch.flip(part, flipped) if flipped else part

    @override
    def slice_scatter(self, x: Array, src: Array, slices: Slices) -> Array:
        result = x.clone(memory_format=torch.contiguous_format)
        part, flipped = _part(result, slices)
        try:
            part.copy_(torch.flip(src, flipped) if flipped else src)
        except RuntimeError as error:
            raise misfit("slice_scatter", error, x=x, src=src) from None
        return result

    @override
    def pad(self, x: Array, padding: Pairs, value: float = 0) -> Array:
        if x.dtype is torch.bool:
            return self.pad(x.to(torch.uint8), padding, value).to(torch.bool)
        flat = [side for pair in reversed(padding) for side in pair]
        return torch.constant_pad_nd(x, flat, value)

    @override
    def cat(self, xs: Sequence[Array], dim: int) -> Array:
        try:
            return torch.cat(list(xs), dim)
        except (RuntimeError, IndexError) as error:
            raise misfit("cat", error, **{f"xs[{i}]": x for i, x in enumerate(xs)}) from None


def _part(x: Array, slices: Slices) -> tuple[Array, list[int]]:
    """A view of the part with rising steps, and the dims on which it must be turned around."""
    flipped: list[int] = []
    index: list[slice] = []
    for dim, (start, size, step) in enumerate(slices):
        if step < 0:
            flipped.append(dim)
            start, step = start + (size - 1) * step, -step
        index.append(slice(start, start + (size - 1) * step + 1, step) if size else slice(0, 0))
    return x[tuple(index)], flipped
