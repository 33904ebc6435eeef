"""Normalisation on torch: the fused kernels, with their statistics as residuals."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops.norm import NormOps
from everygrad_torch.arrays import Array


class TorchNorm(NormOps[Array]):
    """native_layer_norm and its backward."""

    @override
    def layer_norm_with_stats(
        self,
        x: Array,
        normalized_shape: tuple[int, ...],
        weight: Array | None,
        bias: Array | None,
        eps: float,
    ) -> tuple[Array, Array, Array]:
        return torch.native_layer_norm(x, normalized_shape, weight, bias, eps)

    @override
    def layer_norm_backward(
        self,
        grad: Array,
        x: Array,
        normalized_shape: tuple[int, ...],
        weight: Array | None,
        eps: float,
        needs: tuple[bool, bool, bool],
        mean: Array | None = None,
        rstd: Array | None = None,
    ) -> tuple[Array | None, Array | None, Array | None]:
        if mean is None or rstd is None:
            _, mean, rstd = torch.native_layer_norm(x, normalized_shape, weight, None, eps)
        gx, gw, gb = _layer_norm_backward(grad, x, normalized_shape, mean, rstd, weight, weight, list(needs))
        return gx if needs[0] else None, gw if needs[1] else None, gb if needs[2] else None


_layer_norm_backward = torch.ops.aten.native_layer_norm_backward.default
