"""Running sums and products on NumPy."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array
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


def _accumulate(ufunc: np.ufunc, x: Array, dim: int) -> Array:
    with np.errstate(all="ignore"):
        if x.dtype in LOW:
            wide: Array = ufunc.accumulate(x, dim, np.float32)
            return wide.astype(x.dtype)
        return ufunc.accumulate(x, dim, None if x.dtype.kind == "f" else np.int64)
