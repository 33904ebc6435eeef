"""Gated activations on torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops.gated import GatedOps, check_even
from everygrad_torch.arrays import Array, kernel

_aten: Any = torch.ops.aten
_glu: Callable[..., Array] = kernel(_aten.glu.default)
_glu_backward: Callable[..., Array] = kernel(_aten.glu_backward.default)


class TorchGated(GatedOps[Array]):
    """ATen's glu."""

    @override
    def glu(self, x: Array, dim: int) -> Array:
        check_even("glu", tuple(x.shape), dim)
        return _glu(x, dim)

    @override
    def glu_backward(self, grad: Array, x: Array, dim: int) -> Array:
        check_even("glu_backward", tuple(x.shape), dim)
        return _glu_backward(grad, x, dim)
