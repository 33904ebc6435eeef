"""Products of matrices on NumPy."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, as_array
from everygrad_ops.errors import misfit, mixed_dtypes
from everygrad_ops.linalg import LinalgOps, check_ranks, no_booleans


class NumpyLinalg(LinalgOps[Array]):
    """BLAS; float16 and bfloat16 go through float32."""

    @override
    def matmul(self, x: Array, y: Array) -> Array:
        if x.ndim < 2 or y.ndim < 2:
            check_ranks("matmul", x.shape, y.shape)
        if x.dtype != y.dtype:
            raise mixed_dtypes("matmul", x=x, y=y)
        dtype = x.dtype
        if dtype.kind == "b":
            raise no_booleans("matmul")
        if dtype in LOW:
            x, y = x.astype(np.float32), y.astype(np.float32)
        try:
            with np.errstate(all="ignore"):  # inf and NaN are answers
                if y.ndim == 2 and x.ndim > 2 and x.size:  # one product instead of one per leading index
                    flat = x.reshape(-1, x.shape[-1])
                    result = np.matmul(_blas(flat), _blas(y)).reshape(*x.shape[:-1], y.shape[1])
                else:
                    result = np.matmul(_blas(x), _blas(y))
                return as_array(result.astype(dtype, copy=False))
        except ValueError as error:
            raise misfit("matmul", error, x=x, y=y) from None


def _blas(x: Array) -> Array:
    """`x` without strides of 0, for which NumPy leaves BLAS for a loop."""
    return np.ascontiguousarray(x) if 0 in x.strides[-2:] else x
