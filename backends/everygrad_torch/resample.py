"""Resizing on torch: its fused kernels where they mean the same."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.checks import check_values
from everygrad_ops.resample import ResampleOps, check_mode
from everygrad_ops.resize import ResizeOptions
from everygrad_torch.arrays import LOW, Array, dtype_of, kernel
from everygrad_torch.looks import binding

_aten: Any = torch.ops.aten
_default_interpolate: Callable[..., Array] = Backend[Array].interpolate
_default_interpolate_backward: Callable[..., Array] = Backend[Array].interpolate_backward
_NAMES = {
    ("nearest", 1): "upsample_nearest1d",
    ("nearest", 2): "upsample_nearest2d",
    ("nearest", 3): "upsample_nearest3d",
    ("nearest-exact", 1): "_upsample_nearest_exact1d",
    ("nearest-exact", 2): "_upsample_nearest_exact2d",
    ("nearest-exact", 3): "_upsample_nearest_exact3d",
    ("linear", 1): "upsample_linear1d",
    ("linear", 2): "upsample_bilinear2d",
    ("linear", 3): "upsample_trilinear3d",
    ("cubic", 2): "upsample_bicubic2d",
}
_SMOOTH = {"linear": "_upsample_bilinear2d_aa", "cubic": "_upsample_bicubic2d_aa"}
"""With antialias, at rank 2."""


class TorchResample(ResampleOps[Array]):
    """upsample_* and their backwards; the default for other modes and ranks."""

    @override
    def interpolate(self: Backend[Array], x: Array, options: ResizeOptions) -> Array:
        options.check("interpolate", x.shape)
        if not x.is_floating_point():
            check_mode("interpolate", options, dtype_of(x))
        if options.mode == "area" and x.numel():
            return self.adaptive_avg_pool(x, options.size)
        fused = _kernels(options, x.shape[2:])
        if fused is None or not x.numel() or not x.is_floating_point():
            return _default_interpolate(self, x, options)
        if x.dtype in LOW:
            return self.interpolate(x.float(), options).to(x.dtype)
        out: Array = fused[0](x, options.size, *fused[2])
        return out.contiguous() if _is_clean(out, options) else _default_interpolate(self, x, options)

    @override
    def interpolate_backward(
        self: Backend[Array], grad: Array, x_shape: tuple[int, ...], options: ResizeOptions
    ) -> Array:
        options.check("interpolate_backward", x_shape)
        if not grad.is_floating_point():
            check_mode("interpolate_backward", options, dtype_of(grad))
        check_values("interpolate_backward", grad.shape, (*x_shape[:2], *options.size), "grad")
        if options.mode == "area" and grad.numel():
            return self.adaptive_avg_pool_backward(grad, x_shape)
        fused = _kernels(options, x_shape[2:])
        if fused is None or not grad.numel() or not grad.is_floating_point():
            return _default_interpolate_backward(self, grad, x_shape, options)
        if grad.dtype in LOW:
            return self.interpolate_backward(grad.float(), x_shape, options).to(grad.dtype)
        out: Array = fused[1](grad, options.size, x_shape, *fused[2])
        if _is_clean(out, options):
            return out.contiguous()
        return _default_interpolate_backward(self, grad, x_shape, options)


def _is_clean(out: Array, options: ResizeOptions) -> bool:
    """Whether nothing is inf or NaN, which the kernels multiply by weights of 0 too."""
    return options.mode.startswith("nearest") or math.isfinite(out.sum().item())


@functools.lru_cache(maxsize=1024)
def _kernels(
    options: ResizeOptions, sizes: tuple[int, ...]
) -> tuple[Callable[..., Array], Callable[..., Array], tuple[Any, ...]] | None:
    """(forward, backward, their last arguments), or None where torch has none of this meaning."""
    scales: tuple[float | None, ...] = options.scale or (None,) * len(sizes)
    name = _NAMES.get((options.mode, len(sizes)))
    if options.antialias:  # with aligned corners torch's kernels are half a pixel off
        name = _SMOOTH.get(options.mode) if len(sizes) == 2 and not options.align_corners else None
    if name is None:
        return None
    if options.mode.startswith("nearest"):
        if not all(_same_nearest(options, axis, size) for axis, size in enumerate(sizes)):
            return None
        rest: tuple[Any, ...] = scales
    else:
        rest = (options.align_corners, *scales)
    return (
        binding(name),
        kernel(getattr(_aten, f"{name}_backward").default),
        rest,
    )


def _same_nearest(options: ResizeOptions, axis: int, length: int) -> bool:
    """Whether torch, in float32 and with shortcuts at some ranks, reads what the contract says."""
    due, size, scale = options.taps(axis, length).index[:, 0], options.size[axis], options.step(axis)
    step = np.float32(length) / np.float32(size) if scale is None else np.float32(1 / scale)
    half = np.float32(0.5 if options.mode == "nearest-exact" else 0)
    i = np.arange(size)
    found = np.minimum(np.floor((i.astype(np.float32) + half) * step).astype(np.int64), length - 1)
    shortcut = i if size == length else i // 2 if size == 2 * length else due
    return bool((found == due).all() and (shortcut == due).all())
