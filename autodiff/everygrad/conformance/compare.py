"""How a result is compared with what is due, and how far apart the two may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from ml_dtypes import finfo

from everygrad.conformance.calls import FLOAT64, FLOATING, HOST, Failure, is_array, same_bits, to_dtype
from everygrad.conformance.case import Array
from everygrad_ops import DType, as_dtype

SLACK = 8.0
"""Units in the last place allowed per rounded term: a correctly rounded op needs 0.5, a function of the
C library up to about 4, and random rounding errors grow with the root of their number."""


def tolerance(expected: Array, dtype: DType, terms: int, scale: float, slack: float = SLACK) -> Array:
    """slack * sqrt(terms) * eps(dtype) * max(|expected|, scale), per element."""
    unit = slack * math.sqrt(max(terms, 1)) * float(_limits(dtype).eps)
    return cast("Array", unit * np.maximum(np.abs(expected), scale))


def _limits(dtype: DType) -> Any:
    return finfo(HOST[dtype])  # type: ignore[no-untyped-call]  # pyright: ignore[reportUnknownVariableType]  # untyped in ml_dtypes


def check_like(what: str, actual: Any, shape: tuple[int, ...], dtype: DType) -> None:
    """The shape and dtype of a NumPy array."""
    if not is_array(actual):
        raise Failure(f"{what}: expected an array, got {type(actual).__name__}")
    if actual.shape != shape:
        raise Failure(f"{what}: expected shape {shape}, got {actual.shape}")
    if actual.dtype != HOST[dtype]:
        raise Failure(f"{what}: expected dtype {dtype.value}, got {actual.dtype}")


def check_close(
    what: str,
    actual: Array,
    expected: Array,
    *,
    terms: int = 1,
    scale: float = 1.0,
    exact: bool = False,
    slack: float = SLACK,
) -> None:
    """Each element of `actual` within the tolerance of `expected` (float64, or the integers due).

    NaN equals NaN, an infinity itself; a value due that overflows the dtype of `actual` is infinity, or wraps.
    """
    if actual.dtype not in FLOATING:
        due = to_dtype(expected, as_dtype(actual.dtype)) if expected.dtype == FLOAT64 else expected
        ok = np.asarray(actual == due)
        if not ok.all():
            raise Failure(_difference(what, actual, expected, ok))
        return
    dtype = as_dtype(actual.dtype)
    rounded = to_dtype(expected, dtype).astype(np.float64)
    found = actual.astype(np.float64)
    ok = (np.isnan(found) & np.isnan(expected)) | (found == rounded)
    if not exact:
        with np.errstate(invalid="ignore", over="ignore"):
            bound = tolerance(expected, dtype, terms, scale, slack)
            ok |= np.isfinite(expected) & (np.abs(found - expected) <= bound) & np.isfinite(found)
            largest = float(_limits(dtype).max)
            ok |= (
                np.isinf(found) & (np.sign(found) == np.sign(expected)) & (np.abs(expected) + bound > largest)
            )
    if not ok.all():
        raise Failure(_difference(what, found, expected, ok))


@dataclass(frozen=True)
class Blur:
    """NaN and infinities as one, and what else may stand beside them."""

    free: Sequence[Any]
    """Per result: what may stand where a value that is not finite is due; NaN or None: nothing."""
    spreads: bool
    """Whether values that are not finite may stand where a number is due."""

    def applied(self, actual: Array, expected: Array, at: int) -> tuple[Array, Array]:
        """Both, made equal where the result `at` may differ."""
        if actual.dtype not in FLOATING:
            return actual, expected
        found, due = actual.astype(np.float64), np.array(expected)
        lost, unknown = ~np.isfinite(found), ~np.isfinite(due)
        found[lost], due[unknown] = np.nan, np.nan
        if self.free[at] is not None:
            free = np.broadcast_to(self.free[at], due.shape)
            due = np.where(unknown & ~np.isnan(free) & ~lost, free, due)
        if self.spreads:
            due = np.where(lost, np.nan, due)
        return found.astype(actual.dtype), due


def check_same(what: str, actual: Any, expected: Any) -> None:
    """Bit for bit the same array; any other value must be equal."""
    if is_array(actual) and is_array(expected):
        check_like(what, actual, expected.shape, as_dtype(expected.dtype))
        if not same_bits(actual, expected):
            raise Failure(_difference(what, actual, expected, np.asarray(actual == expected)))
    elif type(actual) is not type(expected) or actual != expected:
        raise Failure(f"{what}: expected {expected!r}, got {actual!r}")


def _difference(what: str, actual: Array, expected: Array, ok: Array) -> str:
    wrong = np.argwhere(~ok)
    if not len(wrong):
        return f"{what}: differs in the sign of a zero"
    at = tuple(int(i) for i in wrong[0])
    return (
        f"{what}: {len(wrong)} of {ok.size} elements differ, the first at {list(at)}: "
        f"expected {expected[at]!s}, got {actual[at]!s}"
    )
