"""Gradients of transposed convolution: each of its three bilinear forms is the gradient of the others."""

from __future__ import annotations

import functools
from typing import TypeVar

from everygrad.rules.conv import per_channel
from everygrad.rules.registry import gradient, joint_gradient
from everygrad_ops import Backend
from everygrad_ops.norm import Three
from everygrad_ops.transposed import ConvTransposeOptions

A = TypeVar("A")


@joint_gradient("conv_transpose", "x", "weight", "bias", only_for={"x": ("weight",), "weight": ("x",)})
def conv_transpose_all(
    b: Backend[A],
    g: A,
    x: A | None,
    weight: A | None,
    x_shape: tuple[int, ...],
    weight_shape: tuple[int, ...],
    options: ConvTransposeOptions,
    needs: tuple[bool, bool, bool],
) -> Three[A]:
    return b.conv_transpose_backward(g, x, weight, x_shape, weight_shape, options, needs)


@gradient("conv_transpose_backward", "x")
def conv_transpose_backward_x(
    b: Backend[A], g_grad_weight: A | None, grad: A, x_shape: tuple[int, ...], options: ConvTransposeOptions
) -> A | None:
    if g_grad_weight is None:
        return None
    return b.conv_transpose_x_backward(grad, g_grad_weight, x_shape, options)


@gradient("conv_transpose_backward", "weight")
def conv_transpose_backward_weight(
    b: Backend[A], g_grad_x: A | None, grad: A, weight_shape: tuple[int, ...], options: ConvTransposeOptions
) -> A | None:
    if g_grad_x is None:
        return None
    return b.conv_transpose_weight_backward(g_grad_x, grad, weight_shape, options)


@gradient("conv_transpose_backward", "grad")
def conv_transpose_backward_grad(
    b: Backend[A],
    g_grad_x: A | None,
    g_grad_weight: A | None,
    g_grad_bias: A | None,
    x: A | None,
    weight: A | None,
    grad_shape: tuple[int, ...],
    options: ConvTransposeOptions,
) -> A | None:
    terms: list[A] = []
    if g_grad_x is not None and weight is not None:
        terms.append(b.conv_transpose(g_grad_x, weight, None, options))
    if g_grad_weight is not None and x is not None:
        terms.append(b.conv_transpose(x, g_grad_weight, None, options))
    if g_grad_bias is not None:
        terms.append(per_channel(b, g_grad_bias, grad_shape))
    return functools.reduce(b.add, terms) if terms else None


@gradient("conv_transpose_x_backward", "grad")
def conv_transpose_x_backward_grad(b: Backend[A], g: A, weight: A, options: ConvTransposeOptions) -> A:
    return b.conv_transpose(g, weight, None, options)


@gradient("conv_transpose_x_backward", "weight")
def conv_transpose_x_backward_weight(
    b: Backend[A], g: A, grad: A, weight_shape: tuple[int, ...], options: ConvTransposeOptions
) -> A:
    return b.conv_transpose_weight_backward(g, grad, weight_shape, options)


@gradient("conv_transpose_weight_backward", "x")
def conv_transpose_weight_backward_x(
    b: Backend[A], g: A, grad: A, x_shape: tuple[int, ...], options: ConvTransposeOptions
) -> A:
    return b.conv_transpose_x_backward(grad, g, x_shape, options)


@gradient("conv_transpose_weight_backward", "grad")
def conv_transpose_weight_backward_grad(b: Backend[A], g: A, x: A, options: ConvTransposeOptions) -> A:
    return b.conv_transpose(x, g, None, options)
