"""Root-mean-square normalisation on NumPy, in blocks of rows."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array, hushed
from everygrad_numpy.norm import flat, plain, shaped, usable
from everygrad_numpy.norm_rows import blocks, ones_of
from everygrad_ops import Backend
from everygrad_ops.norm import check_trailing
from everygrad_ops.rms_norm import RMSNormOps

_default_rms_norm: Callable[..., tuple[Array, Array]] = Backend[Array].rms_norm_with_stats
_default_rms_norm_backward: Callable[..., tuple[Array | None, Array | None]] = Backend[
    Array
].rms_norm_backward


@hushed
class NumpyRMSNorm(RMSNormOps[Array]):
    """The defaults explain wrong shapes, and take over where a square overflows."""

    @override
    def rms_norm_with_stats(
        self: Backend[Array], x: Array, normalized_shape: tuple[int, ...], weight: Array | None, eps: float
    ) -> tuple[Array, Array]:
        check_trailing(x.shape, normalized_shape, "rms_norm")
        if plain(x, weight, None, normalized_shape):
            rows = x.reshape(-1, math.prod(normalized_shape))
            with np.errstate(all="ignore"):
                square = np.vecdot(rows, rows) / rows.shape[1]
                rstd = (1 / np.sqrt(square + x.dtype.type(eps)))[:, None]
            if usable(rstd):
                out: Array = np.empty(rows.shape, x.dtype)
                for at in blocks(rows):
                    block = np.multiply(rows[at], rstd[at], out[at])
                    if weight is not None:
                        block *= weight.reshape(-1)
                kept = (*x.shape[: x.ndim - len(normalized_shape)], *(1 for _ in normalized_shape))
                return out.reshape(x.shape), rstd.reshape(kept)
        return _default_rms_norm(self, x, normalized_shape, weight, eps)

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
    ) -> tuple[Array | None, Array | None]:
        if not plain(x, weight, None, normalized_shape) or rstd is None or not usable(rstd):
            return _default_rms_norm_backward(self, grad, x, normalized_shape, weight, eps, needs, rstd)
        width = math.prod(normalized_shape)
        gx, gw = _slope(grad.reshape(-1, width), x.reshape(-1, width), rstd.reshape(-1), flat(weight), needs)
        return shaped(gx, x.shape), shaped(gw, normalized_shape)


def _slope(
    grad: Array, x: Array, rstd: Array, scale: Array | None, needs: tuple[bool, bool]
) -> tuple[Array | None, Array | None]:
    width = x.shape[1]
    gx: Array | None = np.empty(x.shape, x.dtype) if needs[0] else None
    gw: Array = np.zeros((width,), x.dtype)
    w: Array = ones_of(width, x) if scale is None else scale
    for at in blocks(x):
        g, s = grad[at], rstd[at]
        both = np.multiply(g, x[at])
        if needs[1]:
            gw += s @ both
        if gx is not None:
            along = (both @ w) / width
            part = np.multiply(x[at], (along * s * s * s)[:, None], both)
            block = np.multiply(g, s[:, None], gx[at])
            if scale is not None:
                block *= scale
            block -= part
    return gx, gw if needs[1] else None
