"""Gradients of normalisation in groups of channels."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import joint_gradient, residual_form
from everygrad_ops import Backend
from everygrad_ops.norm import Three

A = TypeVar("A")


residual_form("group_norm", "group_norm_with_stats")


@joint_gradient("group_norm", "x", "weight", "bias")
def group_norm_all(
    b: Backend[A],
    g: A,
    x: A,
    groups: int,
    weight: A | None,
    eps: float,
    needs: tuple[bool, bool, bool],
    mean: A | None,
    rstd: A | None,
) -> Three[A]:
    return b.group_norm_backward(g, x, groups, weight, eps, needs, mean, rstd)
