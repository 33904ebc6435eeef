"""Gradients of convolution: each of its three bilinear forms is the gradient of the others."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend, ConvOptions

A = TypeVar("A")


@gradient("conv", "x")
def conv_x(b: Backend[A], g: A, weight: A, x_shape: tuple[int, ...], options: ConvOptions) -> A:
    return b.conv_x_backward(g, weight, x_shape, options)


@gradient("conv", "weight")
def conv_weight(b: Backend[A], g: A, x: A, weight_shape: tuple[int, ...], options: ConvOptions) -> A:
    return b.conv_weight_backward(x, g, weight_shape, options)


@gradient("conv", "bias")
def conv_bias(b: Backend[A], g: A) -> A:
    return b.conv_bias_backward(g)


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
