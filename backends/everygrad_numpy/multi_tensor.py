"""Lists of arrays on NumPy: in place, portion by portion, with a workspace instead of new arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array
from everygrad_ops import Backend
from everygrad_ops.multi_tensor import MultiTensor, Other, portions

Arrays = list[Array]

PORTION = 1 << 15
"""Elements that one portion has at most: a few arrays of float32 that long fit a core's own cache."""


class NumpyMultiTensor(MultiTensor[Array]):
    """Ufuncs that write where they read."""

    in_place = True

    def __init__(self, backend: Backend[Array]) -> None:
        super().__init__(backend)
        self._work: dict[tuple[Any, Any], Array] = {}

    @override
    def copies(self, x: Arrays) -> Arrays:
        return [np.array(p, order="C") for p in x]

    @override
    def sole(self, x: Array) -> bool:
        return x.base is None and x.flags.c_contiguous and x.flags.writeable

    @override
    def add_(self, x: Arrays, y: Other[Array], alpha: float = 1) -> Arrays:
        if isinstance(y, list):
            for p, q in zip(x, y, strict=True):
                np.add(p, q if alpha == 1 else np.multiply(q, alpha, out=self._like(p)), out=p)
        else:
            for p in x:
                np.add(p, alpha * y, out=p)
        return x

    @override
    def mul_(self, x: Arrays, y: Other[Array]) -> Arrays:
        for p, q in zip(x, _each(x, y)):
            np.multiply(p, q, out=p)
        return x

    @override
    def div_(self, x: Arrays, y: Other[Array]) -> Arrays:
        with np.errstate(all="ignore"):
            for p, q in zip(x, _each(x, y)):
                np.divide(p, q, out=p)
        return x

    @override
    def sqrt_(self, x: Arrays) -> Arrays:
        with np.errstate(all="ignore"):
            for p in x:
                np.sqrt(p, out=p)
        return x

    @override
    def maximum_(self, x: Arrays, y: Arrays) -> Arrays:
        for p, q in zip(x, y, strict=True):
            np.maximum(p, q, out=p)
        return x

    @override
    def replace_(self, x: Arrays, y: Arrays) -> Arrays:
        self.store(x, y)
        return x

    @override
    def lerp_(self, x: Arrays, y: Arrays, weight: float) -> Arrays:
        for p, q in zip(x, y, strict=True):
            np.multiply(p, 1 - weight, out=p)
            np.add(p, np.multiply(q, weight, out=self._like(p)), out=p)
        return x

    @override
    def addcmul_(self, x: Arrays, y: Arrays, z: Arrays, value: float = 1) -> Arrays:
        for p, q, r in zip(x, y, z, strict=True):
            work = np.multiply(q, r, out=self._like(p))
            np.add(p, np.multiply(work, value, out=work), out=p)
        return x

    @override
    def addcdiv_(self, x: Arrays, y: Arrays, z: Arrays, value: float = 1) -> Arrays:
        with np.errstate(all="ignore"):
            for p, q, r in zip(x, y, z, strict=True):
                work = np.divide(q, r, out=self._like(p))
                np.add(p, np.multiply(work, value, out=work), out=p)
        return x

    @override
    def pieces(self, columns: list[Arrays]) -> Iterator[list[Arrays]]:
        flat = [[a.reshape(-1) for a in column] for column in columns]
        for positions, cut in portions([a.size for a in flat[0]], PORTION):
            picked = [[column[i] for i in positions] for column in flat]
            yield picked if cut is None else [[a[cut[0] : cut[1]] for a in column] for column in picked]

    @override
    def store(self, into: Arrays, values: Arrays) -> None:
        for old, new in zip(into, values, strict=True):
            if new is not old:
                np.copyto(old, new)

    def _like(self, x: Array) -> Array:
        """Room for values of the shape of `x`, until the next call."""
        key = (x.shape, x.dtype)
        work = self._work.get(key)
        if work is None:
            work = self._work[key] = np.empty(x.shape, x.dtype)
        return work


def _each(x: Arrays, y: Other[Array]) -> list[Any]:
    return y if isinstance(y, list) else [y] * len(x)
