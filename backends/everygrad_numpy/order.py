"""Order on NumPy, whose sort puts NaN last and whose argmax and argmin take the first NaN."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array, as_array, is_bfloat16
from everygrad_ops import Backend
from everygrad_ops.checks import check_dim
from everygrad_ops.errors import no_extremum
from everygrad_ops.order import OrderOps, check_kth


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

    @override
    def kthvalue(self, x: Array, k: int, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
        check_dim("kthvalue", dim, x.ndim)
        check_kth(k, x.shape, dim)
        y = x.astype(np.float32) if is_bfloat16(x) else x
        value = np.take(np.partition(y, k - 1, dim), [k - 1], dim)
        same = y == value
        if y.dtype.kind == "f":
            same |= np.isnan(y) & np.isnan(value)
        index = np.argmax(same, dim, keepdims=True)
        found = np.take_along_axis(x, index, dim)
        return (found, index) if keepdim else (np.squeeze(found, dim), np.squeeze(index, dim))

    @override
    def topk(self: Backend[Array], x: Array, k: int, dim: int, largest: bool = True) -> tuple[Array, Array]:
        size = x.shape[dim] if 0 <= dim < x.ndim else 0
        if not (0 < 8 * k <= size and size >= 64) or is_bfloat16(x):
            return Backend[Array].topk(self, x, k, dim, largest)
        places = _chosen(np.moveaxis(x, dim, -1), k, largest)
        places = np.moveaxis(places, -1, dim)
        values, order = self.sort(np.take_along_axis(x, places, dim), dim, largest)
        return values, np.take_along_axis(places, order, dim)

    @override
    def searchsorted(self: Backend[Array], sequence: Array, values: Array, right: bool = False) -> Array:
        if sequence.ndim != 1:
            return Backend[Array].searchsorted(self, sequence, values, right)
        if is_bfloat16(sequence):
            sequence, values = sequence.astype(np.float32), values.astype(np.float32)
        return as_array(np.searchsorted(sequence, values, "right" if right else "left"))


def _chosen(x: Array, k: int, largest: bool) -> Array:
    """The places, in rising order, of the k largest or smallest along the last dim; of equals the lowest."""
    at = x.shape[-1] - k if largest else k - 1
    edge = np.partition(x, at, -1)[..., at : at + 1]
    with np.errstate(all="ignore"):
        inside, tied = (x > edge if largest else x < edge), x == edge
    if x.dtype.kind == "f":
        nan, edge_nan = np.isnan(x), np.isnan(edge)
        tied |= nan & edge_nan
        inside = inside | (nan & ~edge_nan) if largest else inside | (~nan & edge_nan)
    room = k - np.count_nonzero(inside, -1, keepdims=True)
    inside |= tied & (np.cumsum(tied, -1) <= room)
    return np.nonzero(inside)[-1].reshape(*x.shape[:-1], k)
