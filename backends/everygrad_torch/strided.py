"""Diagonals, and windows along one dim, on torch."""

from __future__ import annotations

from collections.abc import Callable

import torch
from typing_extensions import override

from everygrad_ops.checks import check_values
from everygrad_ops.errors import mixed_dtypes
from everygrad_ops.strided import StridedOps, diagonal_of, folded_to, windows_of
from everygrad_torch.arrays import LOW, Array, kernel

_unfold_backward: Callable[[Array, list[int], int, int, int], Array] = kernel(
    torch.ops.aten.unfold_backward.default
)


class TorchStrided(StridedOps[Array]):
    """Torch's own views and their backward kernels."""

    @override
    def diagonal(self, x: Array, offset: int = 0) -> Array:
        diagonal_of("diagonal", x.shape, offset)
        return torch.diagonal(x, offset, -2, -1)

    @override
    def diagonal_scatter(self, x: Array, src: Array, offset: int = 0) -> Array:
        _, count = diagonal_of("diagonal_scatter", x.shape, offset)
        check_values("diagonal_scatter", src.shape, (*x.shape[:-2], count), "src")
        if x.dtype is not src.dtype:
            raise mixed_dtypes("diagonal_scatter", x=x, src=src)
        result = x.clone(memory_format=torch.contiguous_format)
        torch.diagonal(result, offset, -2, -1).copy_(src)
        return result

    @override
    def unfold_dim(self, x: Array, dim: int, size: int, step: int) -> Array:
        windows_of("unfold_dim", x.shape, dim, size, step)
        return x.unfold(dim, size, step)

    @override
    def fold_dim(self, x: Array, dim: int, length: int, step: int) -> Array:
        shape = folded_to("fold_dim", x.shape, dim, length, step)
        wide = x.to(torch.float32) if x.dtype in LOW else x
        return _unfold_backward(wide, list(shape), dim, x.shape[-1], step).to(x.dtype)
