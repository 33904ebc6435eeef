"""Unpooling on torch."""

from __future__ import annotations

import math
from collections.abc import Callable

from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.unpool import UnpoolOps, check_unpool
from everygrad_torch.adaptive import check_range
from everygrad_torch.arrays import Array

_default_unpool: Callable[..., Array] = Backend[Array].max_unpool


class TorchUnpool(UnpoolOps[Array]):
    """By one scatter."""

    @override
    def max_unpool(self, x: Array, indices: Array, output_size: tuple[int, ...]) -> Array:
        check_unpool(x.shape, indices.shape, output_size)
        if x.device.type != "cpu" or not x.numel():  # elsewhere which of repeats wins is left open
            return _default_unpool(self, x, indices, output_size)
        plane = math.prod(output_size)
        check_range("max_unpool", indices, plane)
        flat = (*x.shape[:2], -1)
        out = x.new_zeros((*x.shape[:2], plane)).scatter_(2, indices.reshape(flat), x.reshape(flat))
        return out.reshape(*x.shape[:2], *output_size)
