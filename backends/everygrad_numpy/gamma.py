"""The gamma function and its kin on NumPy: SciPy's, imported when one is first used."""

from __future__ import annotations

import functools

from typing_extensions import override

from everygrad_numpy.arrays import Array
from everygrad_numpy.special import wide
from everygrad_ops.errors import misfit
from everygrad_ops.gamma import GammaOps, log_gamma, poly_gamma


class NumpyGamma(GammaOps[Array]):
    """Universal functions; low precision is computed in float32."""

    @override
    def lgamma(self, x: Array) -> Array:
        return wide(log_gamma, x)

    @override
    def digamma(self, x: Array) -> Array:
        from scipy.special import psi

        return wide(psi, x)

    @override
    def polygamma(self, x: Array, n: int) -> Array:
        return wide(functools.partial(poly_gamma, n=n), x)

    @override
    def zeta(self, x: Array, q: Array) -> Array:
        from scipy.special import zeta

        try:
            return wide(zeta, x, q)
        except ValueError as error:
            raise misfit("zeta", error, x=x, q=q) from None

    @override
    def gammainc(self, a: Array, x: Array) -> Array:
        from scipy.special import gammainc

        try:
            return wide(gammainc, a, x)
        except ValueError as error:
            raise misfit("gammainc", error, a=a, x=x) from None

    @override
    def gammaincc(self, a: Array, x: Array) -> Array:
        from scipy.special import gammaincc

        try:
            return wide(gammaincc, a, x)
        except ValueError as error:
            raise misfit("gammaincc", error, a=a, x=x) from None
