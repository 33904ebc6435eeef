"""Normalisation on torch: the fused kernels, and what they get wrong done again.

The kernels compute x * rstd - mean * rstd, which cancels where |mean| * rstd is large, and their
variance overflows for large values. The saved statistics tell which rows (or channels) those are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.norm import NormOps, Three
from everygrad_torch.arrays import LOW, Array, kernel
from everygrad_torch.looks import binding, is_vouched, vouch

_aten: Any = torch.ops.aten
_layer_norm: Callable[..., tuple[Array, Array, Array]] = binding("native_layer_norm")
_layer_norm_backward: Callable[..., tuple[Array, Array, Array]] = kernel(
    _aten.native_layer_norm_backward.default
)
_batch_norm: Callable[..., tuple[Array, Array, Array]] = binding("native_batch_norm")
_batch_norm_backward: Callable[..., tuple[Array, Array, Array]] = kernel(
    _aten.native_batch_norm_backward.default
)

_WORST = 100.0
"""The largest |mean| * rstd at which the kernels keep all but about two of the dtype's digits."""
FAR = 1e12
"""Beyond this, or below its inverse, the cube of rstd that the backward kernels take leaves float32."""


class TorchNorm(NormOps[Array]):
    """native_layer_norm, native_batch_norm and their backwards."""

    @override
    def layer_norm_with_stats(
        self: Backend[Array],
        x: Array,
        normalized_shape: tuple[int, ...],
        weight: Array | None,
        bias: Array | None,
        eps: float,
    ) -> tuple[Array, Array, Array]:
        if x.dtype in LOW:
            out, mean, rstd = self.layer_norm_with_stats(
                x.float(), normalized_shape, floating(weight), floating(bias), eps
            )
            return out.to(x.dtype), mean, rstd
        if x.numel() == 0:
            return _default_layer_norm(self, x, normalized_shape, weight, bias, eps)
        try:
            out, mean, rstd = _layer_norm(x, normalized_shape, weight, bias, eps)
        except (RuntimeError, IndexError):
            return _default_layer_norm(self, x, normalized_shape, weight, bias, eps)  # which explains
        if are_good(mean, rstd, eps):
            return out, mean, rstd
        bad = torch.nonzero(bad_rows(mean, rstd).reshape(-1)).reshape(-1)
        rows = x.reshape(-1, *normalized_shape)[bad]
        again = _default_layer_norm(self, rows, normalized_shape, weight, bias, eps)
        for whole, part in zip((out, mean, rstd), again):
            whole.view(-1, *part.shape[1:])[bad] = part
        return out, mean, rstd

    @override
    def layer_norm_backward(
        self: Backend[Array],
        grad: Array,
        x: Array,
        normalized_shape: tuple[int, ...],
        weight: Array | None,
        eps: float,
        needs: tuple[bool, bool, bool],
        mean: Array | None = None,
        rstd: Array | None = None,
    ) -> Three[Array]:
        if x.dtype in LOW:
            wide = self.layer_norm_backward(
                grad.float(), x.float(), normalized_shape, floating(weight), eps, needs, mean, rstd
            )
            return narrowed(wide, x.dtype)
        if mean is None or rstd is None:
            _, mean, rstd = self.layer_norm_with_stats(x, normalized_shape, None, None, eps)
        if x.numel() == 0 or not are_good(mean, rstd, eps):
            return _default_layer_norm_backward(self, grad, x, normalized_shape, weight, eps, needs)
        fused = (
            needs if weight is not None else (needs[0], False, False)
        )  # the kernel wants a weight for these
        gw: Array | None
        gb: Array | None
        gx, gw, gb = _layer_norm_backward(grad, x, normalized_shape, mean, rstd, weight, weight, fused)
        if fused != needs:
            rest, stats = (False, needs[1], needs[2]), (mean, rstd)
            _, gw, gb = _default_layer_norm_backward(self, grad, x, normalized_shape, None, eps, rest, *stats)
        return gx if needs[0] else None, gw if needs[1] else None, gb if needs[2] else None

    @override
    def batch_norm(
        self: Backend[Array],
        x: Array,
        weight: Array | None,
        bias: Array | None,
        mean: Array,
        var: Array,
        eps: float,
    ) -> Array:
        fit = mean.shape == var.shape == x.shape[1:2]  # the kernel would read beyond a short one
        if x.dtype in LOW or x.numel() == 0 or not fit:
            return _default_batch_norm(self, x, weight, bias, mean, var, eps)
        try:
            out: Array = _batch_norm(x, weight, bias, mean, var, False, 0.0, eps)[0]
        except (RuntimeError, IndexError):
            return _default_batch_norm(self, x, weight, bias, mean, var, eps)  # which explains
        if are_good(mean, torch.rsqrt(var + eps), eps):
            return out
        return _default_batch_norm(self, x, weight, bias, mean, var, eps)

    @override
    def batch_norm_train(
        self: Backend[Array], x: Array, weight: Array | None, bias: Array | None, eps: float
    ) -> tuple[Array, Array, Array, Array]:
        # the kernel counts the elements of weight and bias, and would take a matrix
        vectors = (weight is None or weight.dim() == 1) and (bias is None or bias.dim() == 1)
        if x.dtype in LOW or x.numel() == 0 or x.dim() < 2 or not vectors:
            return _default_batch_norm_train(self, x, weight, bias, eps)
        channels = x.shape[1]
        count = x.numel() // channels
        mean, var = x.new_zeros(channels), x.new_zeros(channels)
        try:  # from 0, with this momentum, the running variance becomes the biased one of the batch
            out, saved, rstd = _batch_norm(x, weight, bias, mean, var, True, (count - 1) / count, eps)
        except (RuntimeError, IndexError):
            return _default_batch_norm_train(self, x, weight, bias, eps)  # which explains
        if count == 1 or not are_good(saved, rstd, eps):
            return _default_batch_norm_train(self, x, weight, bias, eps)
        return out, saved, var, rstd

    @override
    def batch_norm_backward(
        self: Backend[Array],
        grad: Array,
        x: Array,
        weight: Array | None,
        eps: float,
        needs: tuple[bool, bool, bool],
        mean: Array | None = None,
        rstd: Array | None = None,
    ) -> Three[Array]:
        if x.dtype in LOW or x.numel() == 0:
            return _default_batch_norm_backward(self, grad, x, weight, eps, needs)
        if mean is None or rstd is None:
            _, mean, _, rstd = self.batch_norm_train(x, None, None, eps)
        if not are_good(mean, rstd, eps):
            return _default_batch_norm_backward(self, grad, x, weight, eps, needs)
        gx, gw, gb = _batch_norm_backward(grad, x, weight, None, None, mean, rstd, True, eps, needs)
        return gx if needs[0] else None, gw if needs[1] else None, gb if needs[2] else None


_default_layer_norm: Callable[..., tuple[Array, Array, Array]] = Backend[Array].layer_norm_with_stats
_default_layer_norm_backward: Callable[..., Three[Array]] = Backend[Array].layer_norm_backward
_default_batch_norm: Callable[..., Array] = Backend[Array].batch_norm
_default_batch_norm_train: Callable[..., tuple[Array, Array, Array, Array]] = Backend[Array].batch_norm_train
_default_batch_norm_backward: Callable[..., Three[Array]] = Backend[Array].batch_norm_backward


def are_good(mean: Array, rstd: Array, eps: float) -> bool:
    """Whether the kernels keep their precision everywhere; NaN is not good.

    A few reductions of small arrays, and none where these very statistics were found good before.
    """
    if is_vouched(rstd, _GOOD):
        return True
    if not (rstd.min().item() > 1 / FAR and torch.mul(mean, rstd).abs_().max().item() < _WORST):
        return False
    if eps < 1e-20 and not rstd.max().item() < FAR:  # a larger eps keeps them below
        return False
    vouch(rstd, _GOOD)
    return True


_GOOD = "near the mean"


def bad_rows(mean: Array, rstd: Array) -> Array:
    """Which rows the kernels do not keep their precision in."""
    near = (mean * rstd).abs_() < _WORST
    return torch.logical_not(near.logical_and_(rstd > 1 / FAR).logical_and_(rstd < FAR))


def floating(x: Array | None) -> Array | None:
    """In float32."""
    return None if x is None else x.float()


def narrowed(grads: Three[Array], dtype: torch.dtype) -> Three[Array]:
    """The gradients rounded to `dtype`."""
    x, weight, bias = grads
    return (
        None if x is None else x.to(dtype),
        None if weight is None else weight.to(dtype),
        None if bias is None else bias.to(dtype),
    )
