"""Random arrays on NumPy: a Philox stream per seed."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import TO_NUMPY, Array, as_array
from everygrad_ops import DType
from everygrad_ops.random import RandomOps


class NumpyRandom(RandomOps[Array]):
    """Pure functions of the seed."""

    @override
    def uniform(self, shape: tuple[int, ...], seed: int, dtype: DType) -> Array:
        wide = np.float64 if dtype is DType.float64 else np.float32
        drawn = np.random.Generator(np.random.Philox(seed)).random(shape, wide)
        return as_array(drawn).astype(TO_NUMPY[dtype], copy=False)

    @override
    def normal(self, shape: tuple[int, ...], seed: int, dtype: DType) -> Array:
        wide = np.float64 if dtype is DType.float64 else np.float32
        drawn = np.random.Generator(np.random.Philox(seed)).standard_normal(shape, wide)
        return as_array(drawn).astype(TO_NUMPY[dtype], copy=False)
