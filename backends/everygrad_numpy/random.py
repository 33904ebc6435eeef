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
        drawn = as_array(_generator(seed).random(shape, np.float64 if dtype is DType.float64 else np.float32))
        if dtype in _DROPPED:  # round down, so that no draw becomes 1
            drawn = (drawn.view(np.uint32) & np.uint32(_DROPPED[dtype])).view(np.float32)
        return drawn.astype(TO_NUMPY[dtype], copy=False)

    @override
    def normal(self, shape: tuple[int, ...], seed: int, dtype: DType) -> Array:
        wide = np.float64 if dtype is DType.float64 else np.float32
        return as_array(_generator(seed).standard_normal(shape, wide)).astype(TO_NUMPY[dtype], copy=False)


_DROPPED = {DType.float16: 0xFFFFE000, DType.bfloat16: 0xFFFF0000}
"""Which bits of a float32 low precision keeps."""


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed % 2**63))
