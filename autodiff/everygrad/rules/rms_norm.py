"""Gradients of normalisation by the root of the mean square."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.norm_parts import Needs, Norm, maybe_wide, narrowed, some
from everygrad.rules.registry import joint_gradient, residual_form
from everygrad_ops import Backend
from everygrad_ops.norm import Three
from everygrad_ops.precision import wide

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


@joint_gradient(
    "rms_norm_backward",
    "grad",
    "x",
    "weight",
    only_for={"grad": ("x", "weight"), "weight": ("grad", "x")},
)
def rms_norm_backward_all(
    b: Backend[A],
    g_grad_x: A | None,
    g_grad_weight: A | None,
    grad: A | None,
    x: A,
    normalized_shape: tuple[int, ...],
    weight: A | None,
    eps: float,
    needs: Needs,
) -> Three[A]:
    dtype, wide_x = b.dtype(x), wide(b, x)
    normed, rstd = b.rms_norm_with_stats(wide_x, normalized_shape, None, eps)
    lead = len(b.shape(x)) - len(normalized_shape)

    def project(v: A) -> A:
        return some(b.rms_norm_backward(v, wide_x, normalized_shape, None, eps, (True, False), rstd)[0])

    dims = tuple(range(lead, len(b.shape(x))))
    up, along = maybe_wide(b, g_grad_x), maybe_wide(b, g_grad_weight)
    norm, grad, scale = Norm(normed, rstd, dims, project), maybe_wide(b, grad), maybe_wide(b, weight)
    found = norm.twice(b, up, along, None, grad, scale, needs)
    return narrowed(b, found, dtype, weight, tuple(range(lead)))
