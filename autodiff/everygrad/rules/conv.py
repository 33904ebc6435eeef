"""Gradients of convolution: each of its three bilinear forms is the gradient of the others."""

from __future__ import annotations

import functools
from typing import TypeVar

from everygrad.rules.registry import gradient, joint_gradient
from everygrad_ops import Backend, ConvOptions
from everygrad_ops.norm import Three

A = TypeVar("A")


@joint_gradient("conv", "x", "weight", "bias", only_for={"x": ("weight",), "weight": ("x",)})
def conv_all(
    b: Backend[A],
    g: A,
    x: A | None,
    weight: A | None,
    x_shape: tuple[int, ...],
    weight_shape: tuple[int, ...],
    options: ConvOptions,
    needs: tuple[bool, bool, bool],
) -> Three[A]:
    return b.conv_backward(g, x, weight, x_shape, weight_shape, options, needs)


@gradient("conv_backward", "x")
def conv_backward_x(
    b: Backend[A], g_grad_weight: A | None, grad: A, x_shape: tuple[int, ...], options: ConvOptions
) -> A | None:
    return None if g_grad_weight is None else b.conv_x_backward(grad, g_grad_weight, x_shape, options)


@gradient("conv_backward", "weight")
def conv_backward_weight(
    b: Backend[A], g_grad_x: A | None, grad: A, weight_shape: tuple[int, ...], options: ConvOptions
) -> A | None:
    return None if g_grad_x is None else b.conv_weight_backward(g_grad_x, grad, weight_shape, options)


@gradient("conv_backward", "grad")
def conv_backward_grad(
    b: Backend[A],
    g_grad_x: A | None,
    g_grad_weight: A | None,
    g_grad_bias: A | None,
    x: A | None,
    weight: A | None,
    grad_shape: tuple[int, ...],
    options: ConvOptions,
) -> A | None:
    terms: list[A] = []
    if g_grad_x is not None and weight is not None:
        terms.append(b.conv(g_grad_x, weight, None, options))
    if g_grad_weight is not None and x is not None:
        terms.append(b.conv(x, g_grad_weight, None, options))
    if g_grad_bias is not None:
        terms.append(per_channel(b, g_grad_bias, grad_shape))
    return functools.reduce(b.add, terms) if terms else None


def per_channel(b: Backend[A], values: A, shape: tuple[int, ...]) -> A:
    """One value per channel at every place of (N, channels, spatial...): the adjoint of the bias's sum."""
    return b.broadcast_to(b.reshape(values, (shape[1], *(1 for _ in shape[2:]))), shape)


@gradient("conv_x_backward", "grad")
def conv_x_backward_grad(b: Backend[A], g: A, weight: A, options: ConvOptions) -> A:
    return b.conv(g, weight, None, options)


@gradient("conv_x_backward", "weight")
def conv_x_backward_weight(
    b: Backend[A], g: A, grad: A, weight_shape: tuple[int, ...], options: ConvOptions
) -> A:
    return b.conv_weight_backward(g, grad, weight_shape, options)


@gradient("conv_weight_backward", "x")
def conv_weight_backward_x(b: Backend[A], g: A, grad: A, x_shape: tuple[int, ...], options: ConvOptions) -> A:
    return b.conv_x_backward(grad, g, x_shape, options)


@gradient("conv_weight_backward", "grad")
def conv_weight_backward_grad(b: Backend[A], g: A, x: A, options: ConvOptions) -> A:
    return b.conv(x, g, None, options)
