"""Special functions on NumPy: SciPy's, imported when one is first used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from typing_extensions import override

from everygrad_numpy import normal
from everygrad_numpy.arrays import LOW, Array, as_array, quiet
from everygrad_ops.special import SpecialOps


class NumpySpecial(SpecialOps[Array]):
    """Universal functions; low precision is computed in float32. The other ones are the contract's, by SciPy too."""

    @override
    def erf(self, x: Array) -> Array:
        if x.dtype == np.float32 or x.dtype in LOW:
            return normal.erf(x)
        from scipy.special import erf

        return wide(erf, x)

    @override
    def erfc(self, x: Array) -> Array:
        from scipy.special import erfc

        return wide(erfc, x)

    @override
    def erfcx(self, x: Array) -> Array:
        from scipy.special import erfcx

        return wide(erfcx, x)

    @override
    def erfinv(self, x: Array) -> Array:
        from scipy.special import erfinv

        return wide(erfinv, x)

    @override
    def ndtri(self, x: Array) -> Array:
        from scipy.special import ndtri

        return wide(ndtri, x)

    @override
    def log_ndtr(self, x: Array) -> Array:
        from scipy.special import log_ndtr

        return wide(log_ndtr, x)

    @override
    def entr(self, x: Array) -> Array:
        from scipy.special import entr

        return wide(entr, x)


def wide(function: Callable[..., Any], *xs: Array) -> Array:
    """The result of a function that SciPy has for float32 and float64 alone."""
    dtype = xs[0].dtype
    if dtype not in LOW:
        return quiet(function, *xs)
    with np.errstate(all="ignore"):
        return as_array(function(*(x.astype(np.float32) for x in xs))).astype(dtype)
