"""Cases of special functions."""

from __future__ import annotations

import math

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad_ops import DType


def _erf(x: Array) -> Array:
    return np.array([math.erf(float(v)) for v in x.flat], np.float64).reshape(x.shape)


CASES = [
    Case("erf", "normal", lambda r: (r.normal(size=(3, 4)),), _erf, order=3),
    Case("erf", "far", lambda r: (np.array([-30.0, -4.0, 4.0, 30.0]),), _erf),
    Case(
        "erf",
        "near-0",
        lambda r: (np.array([-1e-6, 0.0, 1e-3]),),
        _erf,
        scale=1e-9,
        dtypes=(DType.float64, DType.float32),
    ),
    Case(
        "erf",
        "limits",
        lambda r: (np.array([-np.inf, np.inf, np.nan]),),
        lambda *_: np.array([-1.0, 1.0, np.nan]),
        gradients=lambda *_: [np.array([0.0, 0.0, np.nan])],
    ),
    Case("erf", "scalar", lambda r: (r.normal(size=()),), _erf),
    Case("erf", "size-0", lambda r: (np.zeros((2, 0)),), _erf),
]
BAD_CALLS: list[BadCall] = []
