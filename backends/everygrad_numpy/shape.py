"""Shapes on NumPy."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array
from everygrad_ops.errors import misfit
from everygrad_ops.geometry import Pairs
from everygrad_ops.shape import ShapeOps, Slices


class NumpyShape(ShapeOps[Array]):
    """Views where NumPy has them."""

    @override
    def reshape(self, x: Array, shape: tuple[int, ...]) -> Array:
        try:
            return x.reshape(shape)
        except ValueError as error:
            raise misfit("reshape", error, x=x, shape=shape) from None

    @override
    def permute(self, x: Array, dims: tuple[int, ...]) -> Array:
        try:
            return x.transpose(dims)
        except ValueError as error:
            raise misfit("permute", error, x=x, dims=dims) from None

    @override
    def broadcast_to(self, x: Array, shape: tuple[int, ...]) -> Array:
        try:
            return np.broadcast_to(x, shape)
        except ValueError as error:
            raise misfit("broadcast_to", error, x=x, shape=shape) from None

    @override
    def slice(self, x: Array, slices: Slices) -> Array:
        return x[_numpy_slices(slices)]

    @override
    def slice_scatter(self, x: Array, src: Array, slices: Slices) -> Array:
        result = x.copy()
        try:
            result[_numpy_slices(slices)] = src
        except ValueError as error:
            raise misfit("slice_scatter", error, x=x, src=src) from None
        return result

    @override
    def pad(self, x: Array, padding: Pairs, value: float = 0) -> Array:
        shape = tuple(size + left + right for size, (left, right) in zip(x.shape, padding))
        result = np.full(shape, value, x.dtype)
        result[tuple(builtins.slice(left, left + size) for size, (left, _) in zip(x.shape, padding))] = x
        return result

    @override
    def cat(self, xs: Sequence[Array], dim: int) -> Array:
        try:
            return np.concatenate(xs, axis=dim)
        except ValueError as error:
            raise misfit("cat", error, **{f"xs[{i}]": x for i, x in enumerate(xs)}) from None


def _numpy_slices(slices: Slices) -> tuple[builtins.slice, ...]:
    result: list[builtins.slice] = []
    for start, size, step in slices:
        stop = start + size * step
        if size == 0:
            result.append(builtins.slice(0, 0))
        else:  # a falling slice that takes the first element has no stop
            result.append(builtins.slice(start, None if stop < 0 else stop, step))
    return tuple(result)
