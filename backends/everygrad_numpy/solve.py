"""Linear systems on NumPy: LAPACK. What is not here is the contract's default, which is NumPy's own too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, as_array
from everygrad_ops import Backend
from everygrad_ops.lapack import nan_apart
from everygrad_ops.matrix import check_matrix, no_answer
from everygrad_ops.solve import SolveOps, check_system, zero_pivot


class NumpySolve(SolveOps[Array]):
    """numpy.linalg, and trtrs of SciPy for a single triangle."""

    @override
    def solve_triangular(self: Backend[Array], x: Array, y: Array, upper: bool, unit: bool = False) -> Array:
        if x.ndim != 2 or y.ndim != 2 or x.dtype in LOW:
            return _default_triangular(self, x, y, upper, unit)
        from scipy.linalg import LinAlgError, solve_triangular

        check_system("solve_triangular", self, x, y)
        try:
            return as_array(solve_triangular(x, y, lower=not upper, unit_diagonal=unit, check_finite=False))
        except LinAlgError:
            raise zero_pivot() from None

    @override
    def inv(self: Backend[Array], x: Array) -> Array:
        check_matrix("inv", self, x, square=True)
        wide = x.astype(np.float32) if x.dtype in LOW else x
        try:
            return as_array(nan_apart(np.linalg.inv, wide)).astype(x.dtype, copy=False)
        except np.linalg.LinAlgError:
            raise no_answer("inv", "a matrix must not be singular") from None

    @override
    def det(self: Backend[Array], x: Array) -> Array:
        check_matrix("det", self, x, square=True)
        wide = x.astype(np.float32) if x.dtype in LOW else x
        with np.errstate(all="ignore"):  # inf and NaN are answers
            return as_array(nan_apart(np.linalg.det, wide, matrices=False)).astype(x.dtype, copy=False)


_default_triangular: Callable[..., Array] = Backend[Array].solve_triangular
