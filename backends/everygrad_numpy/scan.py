"""Running sums and products on NumPy."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, as_array
from everygrad_ops.checks import check_dim
from everygrad_ops.scan import ScanOps


class NumpyScan(ScanOps[Array]):
    """One pass; float16 and bfloat16 accumulate in float32."""

    @override
    def cumsum(self, x: Array, dim: int) -> Array:
        check_dim("cumsum", dim, x.ndim)
        return _accumulate(np.add, x, dim)

    @override
    def cumprod(self, x: Array, dim: int) -> Array:
        check_dim("cumprod", dim, x.ndim)
        return _accumulate(np.multiply, x, dim)

    @override
    def logcumsumexp(self, x: Array, dim: int) -> Array:
        check_dim("logcumsumexp", dim, x.ndim)
        return _accumulate(np.logaddexp, x, dim)

    @override
    def cummax(self, x: Array, dim: int) -> tuple[Array, Array]:
        check_dim("cummax", dim, x.ndim)
        return _extreme(np.maximum, x, dim)

    @override
    def cummin(self, x: Array, dim: int) -> tuple[Array, Array]:
        check_dim("cummin", dim, x.ndim)
        return _extreme(np.minimum, x, dim)


def _accumulate(ufunc: np.ufunc, x: Array, dim: int) -> Array:
    with np.errstate(all="ignore"):
        if x.dtype in LOW:
            wide: Array = ufunc.accumulate(x, dim, np.float32)
            return wide.astype(x.dtype)
        return ufunc.accumulate(x, dim, None if x.dtype.kind == "f" else np.int64)


def _extreme(ufunc: np.ufunc, x: Array, dim: int) -> tuple[Array, Array]:
    """The running extremum changes where a new one stands; its place holds until the next."""
    size = x.shape[dim]
    place = as_array(np.arange(size)).reshape(tuple(size if d == dim else 1 for d in range(x.ndim)))
    with np.errstate(all="ignore"):
        best = ufunc.accumulate(x, dim)
    lead = (slice(None),) * dim
    late, early = best[(*lead, slice(1, None))], best[(*lead, slice(None, -1))]
    same = late == early
    if x.dtype.kind == "f" or x.dtype in LOW:
        same |= np.isnan(early)
    index = np.zeros(x.shape, np.int64)
    index[(*lead, slice(1, None))] = np.where(same, 0, place[(*lead, slice(1, None))])
    np.maximum.accumulate(index, dim, out=index)
    return best, index
