"""Cases of special functions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad_ops import DType


def _each(f: Callable[[float], float], x: Array) -> Array:
    return np.array([f(float(v)) for v in x.flat]).reshape(x.shape)


CASES = [
    Case("erf", "normal", lambda r: (r.normal(size=(3, 4)),), lambda x: _each(math.erf, x), order=3),
    Case("erf", "far", lambda r: (np.array([-30.0, -4.0, 4.0, 30.0]),), lambda x: _each(math.erf, x)),
    Case(
        "erf",
        "near-0",
        lambda r: (np.array([-1e-6, 0.0, 1e-3]),),
        lambda x: _each(math.erf, x),
        scale=1e-9,
        dtypes=(DType.float64, DType.float32),
    ),
    Case(
        "erf",
        "limits",
        lambda r: (np.array([-np.inf, np.inf, np.nan]),),
        lambda x: np.array([-1.0, 1.0, np.nan]),
        gradients=lambda x: [np.array([0.0, 0.0, np.nan])],
    ),
    Case("erf", "scalar", lambda r: (r.normal(size=()),), lambda x: np.asarray(math.erf(float(x)))),
    Case("erf", "size-0", lambda r: (np.zeros((2, 0)),), lambda x: x),
]
BAD_CALLS: list[BadCall] = []
