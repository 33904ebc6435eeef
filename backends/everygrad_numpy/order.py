"""Order on NumPy, whose sort puts NaN last and whose argmax and argmin take the first NaN."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array, as_array
from everygrad_ops.checks import check_dim
from everygrad_ops.errors import no_extremum
from everygrad_ops.order import OrderOps


class NumpyOrder(OrderOps[Array]):
    """Positions of extrema, and stable sorting."""

    @override
    def argmax(self, x: Array, dim: int, keepdim: bool = False) -> Array:
        check_dim("argmax", dim, x.ndim)
        try:
            return as_array(np.argmax(x, dim, keepdims=keepdim))
        except ValueError:
            raise no_extremum("argmax", x.shape, (dim,)) from None

    @override
    def argmin(self, x: Array, dim: int, keepdim: bool = False) -> Array:
        check_dim("argmin", dim, x.ndim)
        try:
            return as_array(np.argmin(x, dim, keepdims=keepdim))
        except ValueError:
            raise no_extremum("argmin", x.shape, (dim,)) from None

    @override
    def sort(self, x: Array, dim: int, descending: bool = False) -> tuple[Array, Array]:
        check_dim("sort", dim, x.ndim)
        if not descending:
            order = np.argsort(x, dim, kind="stable")
        else:  # stable downwards: sort the reversed array upwards, then turn both around
            flipped = np.flip(x, dim)
            order = x.shape[dim] - 1 - np.flip(np.argsort(flipped, dim, kind="stable"), dim)
        return np.take_along_axis(x, order, dim), order
