"""Sliding windows as columns, and back."""

from __future__ import annotations

from typing import Protocol, TypeVar

from everygrad_ops.errors import missing
from everygrad_ops.geometry import Window
from everygrad_ops.marks import primitive

A = TypeVar("A")


class WindowOps(Protocol[A]):
    """The adjoint pair that convolutions and pools rest on."""

    @primitive
    def unfold(self, x: A, window: Window) -> A:
        """Windows of (N, C, spatial...) as columns: (N, C * K, L), K taps by L windows, zero padding."""
        raise missing(self, "unfold")

    @primitive
    def fold(self, x: A, size: tuple[int, ...], window: Window) -> A:
        """Columns (N, C * K, L) added back into (N, C, size...): the adjoint of `unfold`."""
        raise missing(self, "fold")
