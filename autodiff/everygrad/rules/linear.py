"""Gradients of the affine map: each of its bilinear forms is the gradient of the others."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("linear", "x")
def linear_x(b: Backend[A], g: A, weight: A) -> A:
    return b.linear_x_backward(weight, g)


@gradient("linear", "weight")
def linear_weight(b: Backend[A], g: A, x: A) -> A:
    return b.linear_weight_backward(x, g)


@gradient("linear", "bias")
def linear_bias(b: Backend[A], g: A) -> A:
    return b.linear_bias_backward(g)


@gradient("linear_x_backward", "weight")
def linear_x_backward_weight(b: Backend[A], g: A, grad: A) -> A:
    return b.linear_weight_backward(g, grad)


@gradient("linear_x_backward", "grad")
def linear_x_backward_grad(b: Backend[A], g: A, weight: A) -> A:
    return b.linear(g, weight, None)


@gradient("linear_weight_backward", "x")
def linear_weight_backward_x(b: Backend[A], g: A, grad: A) -> A:
    return b.linear_x_backward(g, grad)


@gradient("linear_weight_backward", "grad")
def linear_weight_backward_grad(b: Backend[A], g: A, x: A) -> A:
    return b.linear(x, g, None)


@gradient("linear_bias_backward", "grad")
def linear_bias_backward_grad(b: Backend[A], g: A, grad_shape: tuple[int, ...]) -> A:
    return b.broadcast_to(g, grad_shape)
