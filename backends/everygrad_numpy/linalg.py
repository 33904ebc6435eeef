"""Products of matrices on NumPy."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, as_array
from everygrad_ops.errors import misfit
from everygrad_ops.linalg import LinalgOps


class NumpyLinalg(LinalgOps[Array]):
    """BLAS; float16 and bfloat16 go through float32."""

    @override
    def matmul(self, x: Array, y: Array) -> Array:
        try:
            if x.dtype in LOW:
                return as_array(np.matmul(x.astype(np.float32), y.astype(np.float32)).astype(x.dtype))
            return as_array(np.matmul(x, y))
        except ValueError as error:
            raise misfit("matmul", error, x=x, y=y) from None
