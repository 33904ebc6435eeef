"""Group normalisation on torch: the fused kernels, and the rows that they get wrong done again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.group_norm import GroupNormOps, group_rows
from everygrad_ops.norm import Three
from everygrad_torch.arrays import LOW, Array, kernel
from everygrad_torch.looks import binding
from everygrad_torch.norm import are_good, bad_rows, floating, narrowed

_aten: Any = torch.ops.aten
_group_norm: Callable[..., tuple[Array, Array, Array]] = binding("native_group_norm")
_group_norm_backward: Callable[..., tuple[Array, Array, Array]] = kernel(
    _aten.native_group_norm_backward.default
)
_default_group_norm: Callable[..., tuple[Array, Array, Array]] = Backend[Array].group_norm_with_stats
_default_group_norm_backward: Callable[..., Three[Array]] = Backend[Array].group_norm_backward


class TorchGroupNorm(GroupNormOps[Array]):
    """native_group_norm and its backward."""

    @override
    def group_norm_with_stats(
        self: Backend[Array], x: Array, groups: int, weight: Array | None, bias: Array | None, eps: float
    ) -> tuple[Array, Array, Array]:
        if x.dtype in LOW:
            wide = self.group_norm_with_stats(x.float(), groups, floating(weight), floating(bias), eps)
            return wide[0].to(x.dtype), wide[1], wide[2]
        shape = x.shape
        if len(shape) < 2 or groups < 1 or shape[1] % groups:
            group_rows("group_norm", tuple(shape), groups)  # which explains
        size = shape[1:2]
        if x.numel() == 0 or not (_fits(weight, size, x) and _fits(bias, size, x)):
            return _default_group_norm(self, x, groups, weight, bias, eps)
        # the kernel takes strides for granted, those of the parameters too
        w = None if weight is None else weight.contiguous()
        shift = None if bias is None else bias.contiguous()
        sizes = shape[0], shape[1], math.prod(shape[2:])
        out, mean, rstd = _group_norm(x.contiguous(), w, shift, *sizes, groups, eps)
        if are_good(mean, rstd, eps):
            return out, mean, rstd
        for row in torch.nonzero(bad_rows(mean, rstd).any(1)):
            i = int(row)
            again = _default_group_norm(self, x[i : i + 1], groups, weight, bias, eps)
            for whole, part in zip((out, mean, rstd), again):
                whole[i : i + 1] = part
        return out, mean, rstd

    @override
    def group_norm_backward(
        self: Backend[Array],
        grad: Array,
        x: Array,
        groups: int,
        weight: Array | None,
        eps: float,
        needs: tuple[bool, bool, bool],
        mean: Array | None = None,
        rstd: Array | None = None,
    ) -> Three[Array]:
        if x.dtype in LOW:
            wide = self.group_norm_backward(
                grad.float(), x.float(), groups, floating(weight), eps, needs, mean, rstd
            )
            return narrowed(wide, x.dtype)
        if mean is None or rstd is None:
            _, mean, rstd = self.group_norm_with_stats(x, groups, None, None, eps)
        if x.numel() == 0 or not are_good(mean, rstd, eps):
            return _default_group_norm_backward(self, grad, x, groups, weight, eps, needs)
        n, c, plane = x.shape[0], x.shape[1], math.prod(x.shape[2:])
        if weight is None and (needs[1] or needs[2]):
            weight = x.new_ones(c)  # without one the kernel gives no gradient of it
        weight = None if weight is None else weight.contiguous()
        grads = _group_norm_backward(
            grad.contiguous(), x.contiguous(), mean, rstd, weight, n, c, plane, groups, needs
        )
        gx, gw, gb = (g if need else None for g, need in zip(grads, needs))
        return gx, gw, gb


def _fits(scale: Array | None, size: tuple[int, ...], x: Array) -> bool:
    """Whether the kernel takes a weight or a bias as it is."""
    return scale is None or (scale.shape == size and scale.dtype is x.dtype)
