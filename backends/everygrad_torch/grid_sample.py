"""Reading images at given places on torch: the fused kernels, where no place is NaN or far outside.

Where a result is not finite, the default: the kernels multiply inf and NaN by weights of 0 too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.checks import check_values
from everygrad_ops.grid_axes import MODES, PADDINGS
from everygrad_ops.grid_sample import GridSampleOps, check_grid
from everygrad_torch.arrays import LOW, Array, kernel

_aten: Any = torch.ops.aten
_SAMPLE: dict[int, Callable[..., Array]] = {
    4: kernel(_aten.grid_sampler_2d.default),
    5: kernel(_aten.grid_sampler_3d.default),
}
_BACKWARD: dict[int, Callable[..., tuple[Array, Array]]] = {
    4: kernel(_aten.grid_sampler_2d_backward.default),
    5: kernel(_aten.grid_sampler_3d_backward.default),
}
_largest: Callable[[Array, float], Array] = kernel(_aten.linalg_vector_norm.default)
_default_grid_sample: Callable[..., Array] = Backend[Array].grid_sample
_default_grid_sample_backward: Callable[..., tuple[Array | None, Array | None]] = Backend[
    Array
].grid_sample_backward
_REACH = 256.0
"""The largest coordinate that the kernels are trusted with: they fold and round others in their own ways."""


class TorchGridSample(GridSampleOps[Array]):
    """grid_sampler_2d, grid_sampler_3d and their backwards."""

    @override
    def grid_sample(
        self: Backend[Array], x: Array, grid: Array, mode: str, padding_mode: str, align_corners: bool
    ) -> Array:
        check_grid("grid_sample", x.shape, grid.shape, mode, padding_mode)
        if not _fused(x, grid, mode):
            return _default_grid_sample(self, x, grid, mode, padding_mode, align_corners)
        if x.dtype in LOW:
            return self.grid_sample(x.float(), grid.float(), mode, padding_mode, align_corners).to(x.dtype)
        rest = MODES.index(mode), PADDINGS.index(padding_mode), align_corners
        out = _SAMPLE[x.dim()](x, grid, *rest)
        if math.isfinite(out.sum().item()):
            return out
        return _default_grid_sample(self, x, grid, mode, padding_mode, align_corners)

    @override
    def grid_sample_backward(
        self: Backend[Array],
        grad: Array,
        x: Array,
        grid: Array,
        mode: str,
        padding_mode: str,
        align_corners: bool,
        needs: tuple[bool, bool],
    ) -> tuple[Array | None, Array | None]:
        check_grid("grid_sample_backward", x.shape, grid.shape, mode, padding_mode)
        check_values("grid_sample_backward", grad.shape, (*x.shape[:2], *grid.shape[1:-1]), "grad")
        if not _fused(x, grid, mode) or x.dtype in LOW:
            return _default_grid_sample_backward(
                self, grad, x, grid, mode, padding_mode, align_corners, needs
            )
        rest = MODES.index(mode), PADDINGS.index(padding_mode), align_corners
        gx, gg = _BACKWARD[x.dim()](grad, x, grid, *rest, [needs[0], True])
        if not math.isfinite((gg.sum() + (gx.sum() if needs[0] else 0)).item()):
            return _default_grid_sample_backward(
                self, grad, x, grid, mode, padding_mode, align_corners, needs
            )
        return gx if needs[0] else None, gg if needs[1] else None


def _fused(x: Array, grid: Array, mode: str) -> bool:
    """Whether a kernel is there, and right: no NaN, inf or far place (one reduction of the grid)."""
    if x.dim() not in _SAMPLE or (x.dim() == 5 and mode == "bicubic") or x.dtype != grid.dtype:
        return False
    if not x.is_floating_point() or not x.numel() or not grid.numel():
        return False
    return _largest(grid, math.inf).item() < _REACH
