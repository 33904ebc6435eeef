"""What an array holds, in one line: its range, and how many of its values are NaN or infinite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from everygrad.engine import Tracked
from everygrad_ops import Kind, OpSpec, inner_of

__all__ = ["Range"]


@dataclass(frozen=True)
class Range:
    """The values of an array, or a number that was passed in the place of one."""

    dtype: str
    shape: tuple[int, ...]
    least: float
    """Of the finite values, as is `most`; NaN where there are none."""
    most: float
    nans: int
    infs: int

    def __str__(self) -> str:
        counts = "".join(f", {n:,} {what}" for n, what in ((self.nans, "NaN"), (self.infs, "inf")) if n)
        size = int(np.prod(self.shape))
        if not size:
            return f"{self.dtype}{list(self.shape)}, empty"
        if self.nans + self.infs == size:
            return f"{self.dtype}{list(self.shape)}{counts}, nothing finite"
        if self.least == self.most:
            return f"{self.dtype}{list(self.shape)}, {self.least:.6g} throughout{counts}"
        return f"{self.dtype}{list(self.shape)}, from {self.least:.6g} to {self.most:.6g}{counts}"


def host(b: Any, array: Any) -> np.ndarray[Any, Any] | None:
    """The values of an array of a backend, decorators taken off; None where these are no floating-point numbers."""
    while isinstance(array, Tracked):
        array = array.value  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # of any backend
    while (inner := inner_of(b)) is not None:
        b = inner
    if not b.dtype(array).is_floating:
        return None
    values: np.ndarray[Any, Any] = b.to_numpy(array)
    return values


def range_of(values: np.ndarray[Any, Any]) -> Range:
    """The range of values on the host."""
    finite = np.isfinite(values)
    some = values[finite].astype(np.float64)
    nans = int(np.count_nonzero(np.isnan(values)))
    infs = values.size - int(np.count_nonzero(finite)) - nans
    least, most = (float(some.min()), float(some.max())) if some.size else (np.nan, np.nan)
    return Range(str(values.dtype), values.shape, least, most, nans, infs)


def is_finite(values: np.ndarray[Any, Any]) -> bool:
    """Whether nothing is NaN or infinite."""
    return bool(np.isfinite(values).all())


def named(spec: OpSpec, args: tuple[Any, ...], keywords: dict[str, Any]) -> Iterator[tuple[str, Kind, Any]]:
    """(name, kind, value) of the arguments of a call, one for each item of a sequence of arrays."""
    for p, value in (
        *zip(spec.params, args),
        *((p, keywords[p.name]) for p in spec.params if p.name in keywords),
    ):
        if p.kind is Kind.SEQUENCE:
            for i, item in enumerate(value):
                yield f"{p.name}[{i}]", p.kind, item
        elif value is not None:
            yield p.name, p.kind, value


def is_number(value: Any) -> bool:
    """Whether a number stands in the place of an array."""
    return isinstance(value, (int, float)) and not hasattr(value, "shape")
