"""Sliding windows on torch."""

from __future__ import annotations

import math

import torch
from typing_extensions import override

from everygrad_ops import Window
from everygrad_ops.window import WindowOps
from everygrad_torch.arrays import LOW, Array


class TorchWindow(WindowOps[Array]):
    """Strided views one way, one shifted addition per tap the other: the same at every rank and dtype."""

    @override
    def unfold(self, x: Array, window: Window) -> Array:
        size = window.output_size("unfold", x.shape)
        flat = [side for pair in reversed(window.padding) for side in pair]
        x = torch.constant_pad_nd(x, flat) if any(flat) else x
        spatial = x.stride()[2:]
        steps = [b * s for b, s in zip(spatial, window.stride)]
        taps = [b * d for b, d in zip(spatial, window.dilation)]
        shape = (*x.shape[:2], *window.kernel_size, *size)
        view = torch.as_strided(x, shape, (*x.stride()[:2], *taps, *steps), x.storage_offset())
        n, c = x.shape[:2]
        return view.reshape(n, c * math.prod(window.kernel_size), math.prod(size))

    @override
    def fold(self, x: Array, size: tuple[int, ...], window: Window) -> Array:
        c, count = window.folding("fold", x.shape, size)
        n = x.shape[0]
        columns = x.reshape(n, c, *window.kernel_size, *count)
        full = [s + left + right for s, (left, right) in zip(size, window.padding)]
        wide = torch.float32 if x.dtype in LOW else x.dtype
        result = torch.zeros((n, c, *full), dtype=wide, device=x.device)
        for tap, at in window.taps(count):
            read: tuple[int | slice, ...] = (slice(None), slice(None), *tap)
            result[(slice(None), slice(None), *at)] += columns[read]
        inner: tuple[slice, ...] = tuple(slice(left, left + s) for s, (left, _) in zip(size, window.padding))
        return result[(slice(None), slice(None), *inner)].to(x.dtype).contiguous()
