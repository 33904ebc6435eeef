"""Gradients of normalisation."""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.registry import joint_gradient, residual_form
from everygrad_ops import Backend
from everygrad_ops.norm import Three

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
) -> Three[A]:
    return b.layer_norm_backward(g, x, normalized_shape, weight, eps, needs, mean, rstd)


@joint_gradient("batch_norm_train", "x", "weight", "bias")
def batch_norm_train_all(
    b: Backend[A],
    g_out: A | None,
    g_mean: A | None,
    g_var: A | None,
    g_rstd: A | None,
    x: A,
    weight: A | None,
    eps: float,
    needs: tuple[bool, bool, bool],
    out_mean: A,
    out_rstd: A,
) -> Three[A]:
    grad_x = grad_weight = grad_bias = None
    if g_out is not None:
        grad_x, grad_weight, grad_bias = b.batch_norm_backward(
            g_out, x, weight, eps, needs, out_mean, out_rstd
        )
    if g_rstd is not None:  # rstd = (var + eps) ** -0.5
        slope = b.mul(b.mul(b.mul(out_rstd, out_rstd), out_rstd), -0.5)
        change = b.mul(g_rstd, slope)
        g_var = change if g_var is None else b.add(g_var, change)
    if needs[0] and (g_mean is not None or g_var is not None):
        through = _through_statistics(b, g_mean, g_var, x, out_mean)
        grad_x = through if grad_x is None else b.add(grad_x, through)
    return grad_x, grad_weight, grad_bias


def _through_statistics(b: Backend[A], g_mean: A | None, g_var: A | None, x: A, mean: A) -> A:
    """The gradient in x of the batch's mean and biased variance."""
    shape = b.shape(x)
    channels = tuple(size if dim == 1 else 1 for dim, size in enumerate(shape))
    count = math.prod(shape) // max(shape[1], 1)
    total = b.full(shape, 0, b.dtype(mean))
    if g_mean is not None:
        total = b.add(total, b.reshape(b.div(g_mean, max(count, 1)), channels))
    if g_var is not None:
        centred = b.sub(b.cast(x, b.dtype(mean)), b.reshape(mean, channels))
        total = b.add(total, b.mul(centred, b.reshape(b.mul(g_var, 2 / max(count, 1)), channels)))
    return b.cast(total, b.dtype(x))
