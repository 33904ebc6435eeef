"""Gradients of normalisation by the root of the mean square."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import joint_gradient, residual_form
from everygrad_ops import Backend

A = TypeVar("A")


residual_form("rms_norm", "rms_norm_with_stats")


@joint_gradient("rms_norm", "x", "weight")
def rms_norm_all(
    b: Backend[A],
    g: A,
    x: A,
    normalized_shape: tuple[int, ...],
    weight: A | None,
    eps: float,
    needs: tuple[bool, bool],
    rstd: A | None,
) -> tuple[A | None, A | None]:
    return b.rms_norm_backward(g, x, normalized_shape, weight, eps, needs, rstd)
