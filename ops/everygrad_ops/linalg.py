"""Products of matrices."""

from __future__ import annotations

from typing import Protocol, TypeVar

from everygrad_ops.errors import missing
from everygrad_ops.marks import primitive

A = TypeVar("A")


class LinalgOps(Protocol[A]):
    """Products of matrices."""

    @primitive
    def matmul(self, x: A, y: A) -> A:
        """Matrix product of (..., m, k) and (..., k, n); leading dims broadcast; low precision adds in float32."""
        raise missing(self, "matmul")
