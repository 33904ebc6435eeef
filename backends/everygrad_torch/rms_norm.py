"""Root-mean-square normalisation on torch, in few passes: there is no fused kernel for the CPU."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.norm import check_trailing
from everygrad_ops.rms_norm import RMSNormOps
from everygrad_torch.arrays import LOW, Array, kernel
from everygrad_torch.looks import is_vouched, vouch
from everygrad_torch.norm import FAR, floating

Two = tuple[Array | None, Array | None]
_default_rms_norm: Callable[..., tuple[Array, Array]] = Backend[Array].rms_norm_with_stats
_default_rms_norm_backward: Callable[..., Two] = Backend[Array].rms_norm_backward
_aten: Any = torch.ops.aten
_norm: Callable[..., Array] = kernel(_aten.linalg_vector_norm.default)


class TorchRMSNorm(RMSNormOps[Array]):
    """Sums of squares without the squares; the defaults where those leave the dtype's range."""

    @override
    def rms_norm_with_stats(
        self: Backend[Array], x: Array, normalized_shape: tuple[int, ...], weight: Array | None, eps: float
    ) -> tuple[Array, Array]:
        check_trailing(tuple(x.shape), normalized_shape, "rms_norm")
        if x.dtype in LOW:
            out, rstd = self.rms_norm_with_stats(x.float(), normalized_shape, floating(weight), eps)
            return out.to(x.dtype), rstd
        if not x.numel() or (weight is not None and weight.shape != normalized_shape):
            return _default_rms_norm(self, x, normalized_shape, weight, eps)
        dims = tuple(range(x.dim() - len(normalized_shape), x.dim()))
        square = _norm(x, 2, dims, True).square_()
        rstd = square.div_(math.prod(normalized_shape)).add_(eps).rsqrt_()
        if not _in_range(rstd):
            return _default_rms_norm(self, x, normalized_shape, weight, eps)
        out = torch.mul(x, rstd)
        return out if weight is None else out.mul_(weight), rstd

    @override
    def rms_norm_backward(
        self: Backend[Array],
        grad: Array,
        x: Array,
        normalized_shape: tuple[int, ...],
        weight: Array | None,
        eps: float,
        needs: tuple[bool, bool],
        rstd: Array | None = None,
    ) -> Two:
        if rstd is None and x.dtype not in LOW:
            _, rstd = self.rms_norm_with_stats(x, normalized_shape, None, eps)
        if x.dtype in LOW or not x.numel() or rstd is None or not _in_range(rstd):
            return _default_rms_norm_backward(self, grad, x, normalized_shape, weight, eps, needs)
        n = math.prod(normalized_shape)
        flat, up, scale = x.reshape(-1, n), grad.reshape(-1, n), rstd.reshape(-1, 1)
        gx = gw = both = None
        normed = flat * scale
        if needs[1]:
            both = up * normed
            gw = both.sum(0).reshape(normalized_shape)
        if needs[0]:
            w = None if weight is None else weight.reshape(n)
            along = _along(up, normed, w, both)
            scaled = up * scale if w is None else (up * w).mul_(scale)
            gx = torch.addcmul(scaled, normed, along.mul_(scale), value=-1 / n).reshape(x.shape)
        return gx, gw


def _along(up: Array, normed: Array, w: Array | None, both: Array | None) -> Array:
    """The sum of up * w * normed over each row; `both` is up * normed where that is known."""
    both = up * normed if both is None else both
    return both.sum(1, keepdim=True) if w is None else torch.mv(both, w).unsqueeze(1)


def _in_range(rstd: Array) -> bool:
    """Whether no square overflowed or vanished, nor will in the backward: NaN is not in range."""
    if is_vouched(rstd, _GOOD):
        return True
    low, high = torch.aminmax(rstd)
    if low.item() > 1 / FAR and high.item() < FAR:
        vouch(rstd, _GOOD)
        return True
    return False


_GOOD = "in range"
