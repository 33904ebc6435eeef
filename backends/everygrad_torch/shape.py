"""Shapes on torch."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

import torch
from typing_extensions import override

from everygrad_ops.checks import (
    Slices,
    check_cat,
    check_padding,
    check_permutation,
    check_shape,
    check_slices,
    check_values,
)
from everygrad_ops.errors import misfit, mixed_dtypes
from everygrad_ops.geometry import Pairs
from everygrad_ops.shape import ShapeOps
from everygrad_torch.arrays import Array

_WHOLE = builtins.slice(None)


class TorchShape(ShapeOps[Array]):
    """Views where torch has them; torch has no negative steps, so those are flipped."""

    @override
    def reshape(self, x: Array, shape: tuple[int, ...]) -> Array:
        check_shape("reshape", shape)
        try:
            return torch.reshape(x, shape)
        except RuntimeError as error:
            raise misfit("reshape", error, x=x, shape=shape) from None

    @override
    def permute(self, x: Array, dims: tuple[int, ...]) -> Array:
        if dims and min(dims) < 0:
            check_permutation("permute", dims, x.ndim)
        try:
            return torch.permute(x, dims)
        except (RuntimeError, IndexError):
            check_permutation("permute", dims, x.ndim)
            raise

    @override
    def broadcast_to(self, x: Array, shape: tuple[int, ...]) -> Array:
        check_shape("broadcast_to", shape)
        try:
            return torch.broadcast_to(x, shape)
        except RuntimeError as error:
            raise misfit("broadcast_to", error, x=x, shape=shape) from None

    @override
    def slice(self, x: Array, slices: Slices) -> Array:
        check_slices("slice", x.shape, slices)
        part, flipped = _part(x, slices)
        return torch.flip(part, flipped) if flipped else part

    @override
    def slice_scatter(self, x: Array, src: Array, slices: Slices) -> Array:
        check_values("slice_scatter", src.shape, check_slices("slice_scatter", x.shape, slices), "src")
        if x.dtype is not src.dtype:
            raise mixed_dtypes("slice_scatter", x=x, src=src)
        result = x.clone(memory_format=torch.contiguous_format)
        part, flipped = _part(result, slices)
        part.copy_(torch.flip(src, flipped) if flipped else src)
        return result

    @override
    def pad(self, x: Array, padding: Pairs, value: float = 0) -> Array:
        check_padding("pad", padding, x.ndim)
        if x.dtype is torch.bool:
            return self.pad(x.to(torch.uint8), padding, value).to(torch.bool)
        flat = [side for pair in reversed(padding) for side in pair]
        return torch.constant_pad_nd(x, flat, value)

    @override
    def cat(self, xs: Sequence[Array], dim: int) -> Array:
        check_cat("cat", xs, dim)
        try:
            return torch.cat(list(xs), dim)
        except (RuntimeError, IndexError) as error:
            raise misfit("cat", error, **{f"xs[{i}]": x for i, x in enumerate(xs)}) from None


def _part(x: Array, slices: Slices) -> tuple[Array, list[int]]:
    """A view of the part with rising steps, and the dims on which it must be turned around."""
    flipped: list[int] = []
    index: list[builtins.slice] = []
    for dim, (start, size, step) in enumerate(slices):
        if size == x.shape[dim] and step == 1:
            index.append(_WHOLE)
            continue
        if step < 0:
            flipped.append(dim)
            start, step = start + (size - 1) * step, -step
        index.append(
            builtins.slice(start, start + (size - 1) * step + 1, step) if size else builtins.slice(0, 0)
        )
    while index and index[-1] is _WHOLE:
        index.pop()
    return x[tuple(index)] if index else x.view_as(x), flipped
