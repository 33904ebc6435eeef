"""Gradients of reading images at given places."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import joint_gradient
from everygrad_ops import Backend

A = TypeVar("A")


@joint_gradient("grid_sample", "x", "grid")
def grid_sample_all(
    b: Backend[A],
    g: A,
    x: A,
    grid: A,
    mode: str,
    padding_mode: str,
    align_corners: bool,
    needs: tuple[bool, bool],
) -> tuple[A | None, A | None]:
    return b.grid_sample_backward(g, x, grid, mode, padding_mode, align_corners, needs)
