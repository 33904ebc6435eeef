"""Working precision: float16 and bfloat16 are computed in float32 and rounded once, at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from everygrad_ops.dtypes import LOW_PRECISION, DType

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


def wide(b: Backend[A], x: A) -> A:
    """`x` in float32 where its own dtype is of low precision, else as it is."""
    return b.cast(x, DType.float32) if b.dtype(x) in LOW_PRECISION else x


def narrow(b: Backend[A], x: A, dtype: DType) -> A:
    """`x` rounded back to `dtype`, where it is not of that dtype already."""
    return x if b.dtype(x) is dtype else b.cast(x, dtype)
