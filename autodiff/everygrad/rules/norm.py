"""Gradients of normalisation."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import joint_gradient, residual_form
from everygrad_ops import Backend

A = TypeVar("A")


residual_form("layer_norm", "layer_norm_with_stats")


@joint_gradient("layer_norm", "x", "weight", "bias")
def layer_norm_all(
    b: Backend[A],
    g: A,
    x: A,
    normalized_shape: tuple[int, ...],
    weight: A | None,
    eps: float,
    needs: tuple[bool, bool, bool],
    mean: A | None,
    rstd: A | None,
) -> tuple[A | None, A | None, A | None]:
    return b.layer_norm_backward(g, x, normalized_shape, weight, eps, needs, mean, rstd)
