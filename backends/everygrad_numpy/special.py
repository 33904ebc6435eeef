"""Special functions on NumPy: SciPy's."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, as_array
from everygrad_ops.special import SpecialOps


class NumpySpecial(SpecialOps[Array]):
    """Universal functions; SciPy is imported when one is first used."""

    @override
    def erf(self, x: Array) -> Array:
        from scipy.special import erf

        if x.dtype in LOW:
            return as_array(erf(x.astype(np.float32))).astype(x.dtype)
        return as_array(erf(x))
