"""Normalisation on NumPy: two passes, in buffers of our own."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array
from everygrad_ops import Backend
from everygrad_ops.norm import NormOps, check_trailing


class NumpyNorm(NormOps[Array]):
    """The defaults explain wrong shapes, and take over where a square overflows."""

    @override
    def layer_norm_with_stats(
        self: Backend[Array],
        x: Array,
        normalized_shape: tuple[int, ...],
        weight: Array | None,
        bias: Array | None,
        eps: float,
    ) -> tuple[Array, Array, Array]:
        check_trailing(x.shape, normalized_shape)
        dims = tuple(range(x.ndim - len(normalized_shape), x.ndim))
        done = _standardised(x, dims, eps)
        if done is None or not _fit(weight, bias, normalized_shape):
            return Backend[Array].layer_norm_with_stats(self, x, normalized_shape, weight, bias, eps)
        out, mean, rstd, _ = done
        if weight is not None:
            out *= weight
        if bias is not None:
            out += bias
        return out, mean, rstd

    @override
    def batch_norm_train(
        self: Backend[Array], x: Array, weight: Array | None, bias: Array | None, eps: float
    ) -> tuple[Array, Array, Array, Array]:
        done = _standardised(x, (0, *range(2, x.ndim)), eps) if x.ndim >= 2 else None
        if done is None or not _fit(weight, bias, x.shape[1:2]):
            return Backend[Array].batch_norm_train(self, x, weight, bias, eps)
        out, mean, rstd, var = done
        if weight is not None:
            out *= weight.reshape(mean.shape)
        if bias is not None:
            out += bias.reshape(mean.shape)
        return out, mean.reshape(-1), var.reshape(-1), rstd.reshape(-1)


def _standardised(x: Array, dims: tuple[int, ...], eps: float) -> tuple[Array, Array, Array, Array] | None:
    """(normalised, mean, 1 / sqrt(var + eps), biased var), or None where the default must do it."""
    if x.dtype in LOW or not x.size:
        return None
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        mean = np.mean(x, dims, keepdims=True)
        out = x - mean
        rest = np.mean(out, dims, keepdims=True)  # what rounding left in the mean
        out -= rest
        var = np.mean(np.square(out), dims, keepdims=True)
        rstd = 1 / np.sqrt(var + x.dtype.type(eps))
        if not np.isfinite(var).all():
            return None
        out *= rstd
    return out, mean + rest, rstd, var


def _fit(weight: Array | None, bias: Array | None, size: tuple[int, ...]) -> bool:
    return all(array is None or array.shape == size for array in (weight, bias))
