"""Max pooling turned around, on NumPy."""

from __future__ import annotations

import math

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array
from everygrad_ops.errors import bad_index
from everygrad_ops.unpool import UnpoolOps, check_unpool


class NumpyUnpool(UnpoolOps[Array]):
    """One assignment by index, in which the last of repeats wins."""

    @override
    def max_unpool(self, x: Array, indices: Array, output_size: tuple[int, ...]) -> Array:
        check_unpool(x.shape, indices.shape, output_size)
        planes, plane = x.shape[0] * x.shape[1], math.prod(output_size)
        out: Array = np.zeros((planes, plane), x.dtype)
        if x.size:
            low, high = int(indices.min()), int(indices.max())
            if low < 0 or high >= plane:
                raise bad_index("max_unpool", low, high, plane)
            np.put_along_axis(out, indices.reshape(planes, -1), x.reshape(planes, -1), 1)
        return out.reshape(*x.shape[:2], *output_size)
