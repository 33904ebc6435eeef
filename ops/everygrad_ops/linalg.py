"""Products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from everygrad_ops.errors import DTypeError, ShapeError, missing
from everygrad_ops.marks import primitive

A = TypeVar("A")


class LinalgOps(Protocol[A]):
    """Products of matrices."""

    @primitive
    def matmul(self, x: A, y: A) -> A:
        """Matrix product of (..., m, k) and (..., k, n); leading dims broadcast; low precision adds in float32.

        Raises `ShapeError` for vectors, which the caller makes matrices of, and `DTypeError` for booleans.
        """
        raise missing(self, "matmul")


def check_ranks(op: str, x_shape: Sequence[int], y_shape: Sequence[int]) -> None:
    """Refuse vectors and scalars, which libraries would take with a meaning of their own."""
    if len(x_shape) < 2 or len(y_shape) < 2:
        raise ShapeError(
            f"{op}: both operands need at least 2 dims. "
            f"Received: x of shape {tuple(x_shape)}, y of shape {tuple(y_shape)}"
        )


def no_booleans(op: str) -> DTypeError:
    """The error for a product of truth values, which has no one meaning."""
    return DTypeError(f"{op}: booleans have no matrix product. Received: bool; write cast(x, DType.int64)")
