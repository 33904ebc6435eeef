"""Remainders, signs and the cardinal sine on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, quiet, weak
from everygrad_ops.arithmetic import ArithmeticOps
from everygrad_ops.errors import by_zero, misfit


class NumpyArithmetic(ArithmeticOps[Array]):
    """Universal functions; 0-d results are wrapped back into arrays."""

    @override
    def fmod(self, x: Array, y: Array) -> Array:
        if x.dtype.kind in "iu" and x.size and not np.all(y):  # NumPy gives 0
            raise by_zero("fmod")
        try:
            return quiet(np.fmod, x, y)
        except ValueError as error:
            raise misfit("fmod", error, x=x, y=y) from None

    @override
    def copysign(self, x: Array, y: Array) -> Array:
        try:
            return quiet(np.copysign, x, y)
        except ValueError as error:
            raise misfit("copysign", error, x=x, y=y) from None

    @override
    def lerp(self, x: Array, y: Array, weight: Array | float) -> Array:
        try:
            return quiet(_lerp, x, y, weak(weight))
        except ValueError as error:
            raise misfit("lerp", error, x=x, y=y, weight=weight) from None

    @override
    def sinc(self, x: Array) -> Array:
        if x.dtype in LOW:
            return quiet(np.sinc, x.astype(np.float32)).astype(x.dtype)
        return quiet(np.sinc, x)


def _lerp(x: Any, y: Any, weight: Any) -> Any:
    gap = np.asarray(y - x)
    if isinstance(weight, (int, float)):
        return x + weight * gap if abs(weight) < 0.5 else y - (1 - weight) * gap
    one = weight.dtype.type(1)
    near, far = x + weight * gap, np.asarray(y - (one - weight) * gap)
    np.copyto(far, near, where=np.abs(weight) < one / 2)
    return far
