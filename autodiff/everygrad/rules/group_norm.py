"""Gradients of normalisation in groups of channels."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.norm_parts import Needs, Norm, maybe_narrow, some
from everygrad.rules.registry import joint_gradient, residual_form
from everygrad_ops import Backend
from everygrad_ops.norm import Three
from everygrad_ops.precision import narrow, wide

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


@joint_gradient(
    "group_norm_backward",
    "grad",
    "x",
    "weight",
    only_for={"grad": ("x", "weight"), "weight": ("grad", "x")},
)
def group_norm_backward_all(
    b: Backend[A],
    g_grad_x: A | None,
    g_grad_weight: A | None,
    g_grad_bias: A | None,
    grad: A | None,
    x: A,
    groups: int,
    weight: A | None,
    eps: float,
    needs: Needs,
) -> Three[A]:
    """In the view (N, groups, channels of a group, ...), where statistics and scales both broadcast."""
    dtype, wide_x, shape = b.dtype(x), wide(b, x), b.shape(x)
    normed, mean, rstd = b.group_norm_with_stats(wide_x, groups, None, None, eps)
    each = (groups, shape[1] // groups)
    view, ones = (shape[0], *each, *shape[2:]), tuple(1 for _ in shape[2:])

    def seen(v: A | None, as_shape: tuple[int, ...]) -> A | None:
        return None if v is None else b.reshape(wide(b, v), as_shape)

    def project(v: A) -> A:
        v, only_x = b.reshape(v, shape), (True, False, False)
        return b.reshape(
            some(b.group_norm_backward(v, wide_x, groups, None, eps, only_x, mean, rstd)[0]), view
        )

    scales = (*each, *ones)
    rows, dims = (shape[0], groups, 1, *ones), tuple(range(2, len(view)))
    norm = Norm(b.reshape(normed, view), b.reshape(rstd, rows), dims, project)
    up, along, shift = seen(g_grad_x, view), seen(g_grad_weight, scales), seen(g_grad_bias, scales)
    to_grad, to_x, to_weight = norm.twice(b, up, along, shift, seen(grad, view), seen(weight, scales), needs)
    if to_weight is not None and weight is not None:
        total = b.sum(to_weight, (0, *range(3, len(view))))
        to_weight = narrow(b, b.reshape(total, b.shape(weight)), b.dtype(weight))
    to_grad, to_x = (None if v is None else b.reshape(v, shape) for v in (to_grad, to_x))
    return maybe_narrow(b, to_grad, dtype), maybe_narrow(b, to_x, dtype), to_weight
