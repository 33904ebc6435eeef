"""Normalisation on NumPy: by rows and blocks. The defaults explain wrong shapes, and take over where squares overflow."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, hushed
from everygrad_numpy.norm_rows import slope_parts, slope_rows, standardise_rows
from everygrad_ops import Backend
from everygrad_ops.norm import NormOps, Three, check_trailing

_default_layer_norm: Callable[..., tuple[Array, Array, Array]] = Backend[Array].layer_norm_with_stats
_default_layer_norm_backward: Callable[..., Three[Array]] = Backend[Array].layer_norm_backward
_default_batch_norm_train: Callable[..., tuple[Array, Array, Array, Array]] = Backend[Array].batch_norm_train
_default_batch_norm_backward: Callable[..., Three[Array]] = Backend[Array].batch_norm_backward
FAR = 1e12
"""Beyond this, or below its inverse, the cube of rstd is left to the default."""


@hushed
class NumpyNorm(NormOps[Array]):
    """Layer norm by rows; batch norm by channels, whose parts are the samples."""

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
        if plain(x, weight, bias, normalized_shape):
            width = math.prod(normalized_shape)
            rows = x.reshape(-1, width)
            out: Array = np.empty(rows.shape, x.dtype)
            done = standardise_rows(rows, out, eps, flat(weight), flat(bias))
            if done is not None:
                kept = (*x.shape[: x.ndim - len(normalized_shape)], *(1 for _ in normalized_shape))
                return out.reshape(x.shape), done[0].reshape(kept), done[1].reshape(kept)
        return _default_layer_norm(self, x, normalized_shape, weight, bias, eps)

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
        fast = plain(x, weight, None, normalized_shape)
        if not fast or mean is None or rstd is None or not usable(rstd):
            return _default_layer_norm_backward(
                self, grad, x, normalized_shape, weight, eps, needs, mean, rstd
            )
        width = math.prod(normalized_shape)
        rows, stats = x.reshape(-1, width), (mean.reshape(-1), rstd.reshape(-1))
        out: Array = np.empty(rows.shape, x.dtype)
        gx, gw, gb = slope_rows(grad.reshape(-1, width), rows, out, stats, flat(weight), needs)
        return shaped(gx, x.shape), shaped(gw, normalized_shape), shaped(gb, normalized_shape)

    @override
    def batch_norm_train(
        self: Backend[Array], x: Array, weight: Array | None, bias: Array | None, eps: float
    ) -> tuple[Array, Array, Array, Array]:
        if x.ndim >= 2 and plain(x, weight, bias, x.shape[1:2]):
            rows, out = _by_channel(x), np.empty(x.shape, x.dtype)
            scale, shift = _per_sample(weight, rows), _per_sample(bias, rows)
            done = standardise_rows(rows, _by_channel(out), eps, scale, shift)
            if done is not None:
                return out, done[0], done[2], done[1]
        return _default_batch_norm_train(self, x, weight, bias, eps)

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
        fast = x.ndim >= 2 and plain(x, weight, None, x.shape[1:2])
        if not fast or mean is None or rstd is None or not usable(rstd):
            return _default_batch_norm_backward(self, grad, x, weight, eps, needs, mean, rstd)
        rows, out = _by_channel(x), np.empty(x.shape, x.dtype)
        scale = _per_sample(weight, rows)
        found = slope_parts(_by_channel(grad), rows, _by_channel(out), (mean, rstd), scale, needs)
        gx, gw, gb = found
        return (
            None if gx is None else out,
            None if gw is None else gw.sum(1),
            None if gb is None else gb.sum(1),
        )


def plain(x: Array, weight: Array | None, bias: Array | None, size: tuple[int, ...]) -> bool:
    """Whether the fast form is for these arguments."""
    fit = all(a is None or (a.shape == size and a.dtype == x.dtype) for a in (weight, bias))
    return fit and x.dtype not in LOW and x.size > 0


def usable(rstd: Array) -> bool:
    """Whether the cube of rstd stays within the dtype's range; NaN does not."""
    return bool(rstd.min() > 1 / FAR and rstd.max() < FAR)


def flat(x: Array | None) -> Array | None:
    """As a vector."""
    return None if x is None else x.reshape(-1)


def shaped(x: Array | None, shape: tuple[int, ...]) -> Array | None:
    """In this shape."""
    return None if x is None else x.reshape(shape)


def _by_channel(x: Array) -> Array:
    """(C, N, elements of a plane): a view where x is in order."""
    return x.reshape(*x.shape[:2], -1).transpose(1, 0, 2)


def _per_sample(x: Array | None, rows: Array) -> Array | None:
    return None if x is None else np.broadcast_to(x[:, None], rows.shape[:2])
