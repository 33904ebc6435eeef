"""Writes that meet, on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array
from everygrad_numpy.indexing import check_dtypes, check_range, flat_positions
from everygrad_ops.checks import check_gather
from everygrad_ops.scattering import ScatterOps


class NumpyScatter(ScatterOps[Array]):
    """`ufunc.at` on flat buffers, where NumPy has a loop in C; low precision in float32."""

    @override
    def scatter_prod(self, x: Array, dim: int, index: Array, src: Array, include_self: bool = True) -> Array:
        return _at("scatter_prod", np.multiply, 1, x, dim, index, src, include_self)

    @override
    def scatter_amax(self, x: Array, dim: int, index: Array, src: Array, include_self: bool = True) -> Array:
        return _at("scatter_amax", np.maximum, _bound(x, False), x, dim, index, src, include_self)

    @override
    def scatter_amin(self, x: Array, dim: int, index: Array, src: Array, include_self: bool = True) -> Array:
        return _at("scatter_amin", np.minimum, _bound(x, True), x, dim, index, src, include_self)


def _at(
    op: str,
    combine: np.ufunc,
    neutral: Any,
    x: Array,
    dim: int,
    index: Array,
    src: Array,
    include_self: bool,
) -> Array:
    check_gather(op, x, dim, index, src)
    check_range(op, index, x.shape[dim])
    check_dtypes(op, x, src)
    result = x.astype(np.float32 if x.dtype in LOW else x.dtype, order="C")
    written = src[tuple(slice(0, s) for s in index.shape)].reshape(-1).astype(result.dtype, copy=False)
    place = flat_positions(x.shape, dim, index)
    flat = result.reshape(-1)
    if not include_self:
        flat[place] = neutral
    with np.errstate(all="ignore"):  # inf and NaN are what the contract says
        combine.at(flat, place, written)
        return result.astype(x.dtype, copy=False)


def _bound(x: Array, high: bool) -> Any:
    """What every value of the dtype is at least, or at most."""
    if x.dtype.kind == "b":
        return high
    if x.dtype.kind in "iu":
        info = np.iinfo(x.dtype)
        return info.max if high else info.min
    return np.inf if high else -np.inf
