"""Gradients of normalisation."""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.norm_parts import Needs, Norm, maybe_wide, narrowed, some
from everygrad.rules.registry import joint_gradient, residual_form
from everygrad_ops import Backend
from everygrad_ops.norm import Three
from everygrad_ops.precision import narrow, wide

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


@joint_gradient(
    "batch_norm",
    "x",
    "weight",
    "bias",
    "mean",
    "var",
    only_for={"x": ("weight", "var"), "weight": ("x", "mean", "var")},
)
def batch_norm_all(
    b: Backend[A],
    g: A,
    x: A | None,
    weight: A | None,
    mean: A,
    var: A,
    eps: float,
    needs: tuple[bool, bool, bool, bool, bool],
) -> tuple[A | None, A | None, A | None, A | None, A | None]:
    """With given statistics the op is linear in x: every gradient is a sum over the channel's elements."""
    dtype, shape = b.dtype(g), b.shape(g)
    channels = tuple(size if dim == 1 else 1 for dim, size in enumerate(shape))
    dims = (0, *range(2, len(shape)))
    up, rstd = wide(b, g), b.rsqrt(b.add(wide(b, var), eps))
    scale = rstd if weight is None else b.mul(rstd, wide(b, weight))
    total = b.sum(up, dims) if needs[2] or needs[3] else None
    grads: list[A | None] = [None] * 5
    if needs[0]:
        grads[0] = narrow(b, b.mul(up, b.reshape(scale, channels)), dtype)
    if total is not None:
        grads[2] = narrow(b, total, dtype)
        grads[3] = narrow(b, b.neg(b.mul(total, scale)), b.dtype(mean))
    if x is not None and (needs[1] or needs[4]):
        centred = b.sub(wide(b, x), b.reshape(wide(b, mean), channels))
        along = b.mul(b.sum(b.mul(up, centred), dims), rstd)
        grads[1] = narrow(b, along, dtype)
        grads[4] = narrow(b, b.mul(b.mul(b.mul(along, scale), rstd), -0.5), b.dtype(var))
    x_, weight_, bias_, mean_, var_ = (grad if need else None for grad, need in zip(grads, needs))
    return x_, weight_, bias_, mean_, var_


residual_form("batch_norm_by_batch", "batch_norm_train")


@joint_gradient("batch_norm_by_batch", "x", "weight", "bias")
def batch_norm_by_batch_all(
    b: Backend[A],
    g: A,
    x: A,
    weight: A | None,
    eps: float,
    needs: tuple[bool, bool, bool],
    mean: A | None,
    rstd: A | None,
) -> Three[A]:
    return b.batch_norm_backward(g, x, weight, eps, needs, mean, rstd)


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


@joint_gradient(
    "layer_norm_backward",
    "grad",
    "x",
    "weight",
    only_for={"grad": ("x", "weight"), "weight": ("grad", "x")},
)
def layer_norm_backward_all(
    b: Backend[A],
    g_grad_x: A | None,
    g_grad_weight: A | None,
    g_grad_bias: A | None,
    grad: A | None,
    x: A,
    normalized_shape: tuple[int, ...],
    weight: A | None,
    eps: float,
    needs: Needs,
) -> Three[A]:
    dtype, wide_x = b.dtype(x), wide(b, x)
    normed, mean, rstd = b.layer_norm_with_stats(wide_x, normalized_shape, None, None, eps)
    lead = len(b.shape(x)) - len(normalized_shape)

    def project(v: A) -> A:
        only_x = (True, False, False)
        return some(b.layer_norm_backward(v, wide_x, normalized_shape, None, eps, only_x, mean, rstd)[0])

    dims = tuple(range(lead, len(b.shape(x))))
    up, along, shift = maybe_wide(b, g_grad_x), maybe_wide(b, g_grad_weight), maybe_wide(b, g_grad_bias)
    norm, grad, scale = Norm(normed, rstd, dims, project), maybe_wide(b, grad), maybe_wide(b, weight)
    found = norm.twice(b, up, along, shift, grad, scale, needs)
    return narrowed(b, found, dtype, weight, tuple(range(lead)))


@joint_gradient(
    "batch_norm_backward",
    "grad",
    "x",
    "weight",
    only_for={"grad": ("x", "weight"), "weight": ("grad", "x")},
)
def batch_norm_backward_all(
    b: Backend[A],
    g_grad_x: A | None,
    g_grad_weight: A | None,
    g_grad_bias: A | None,
    grad: A | None,
    x: A,
    weight: A | None,
    eps: float,
    needs: Needs,
) -> Three[A]:
    dtype, wide_x, shape = b.dtype(x), wide(b, x), b.shape(x)
    normed, mean, _, rstd = b.batch_norm_train(wide_x, None, None, eps)
    channels = tuple(size if dim == 1 else 1 for dim, size in enumerate(shape))

    def project(v: A) -> A:
        return some(b.batch_norm_backward(v, wide_x, None, eps, (True, False, False), mean, rstd)[0])

    def spread(v: A | None) -> A | None:
        return None if v is None else b.reshape(wide(b, v), channels)

    dims = (0, *range(2, len(shape)))
    norm = Norm(normed, b.reshape(rstd, channels), dims, project)
    up, along, shift = maybe_wide(b, g_grad_x), spread(g_grad_weight), spread(g_grad_bias)
    found = norm.twice(b, up, along, shift, maybe_wide(b, grad), spread(weight), needs)
    return narrowed(b, found, dtype, weight, dims)
