"""Gradients of activations, from the result where that is enough."""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend
from everygrad_ops.activation import Approximate
from everygrad_ops.precision import narrow, wide

A = TypeVar("A")


@gradient("relu", "x")
def relu_x(b: Backend[A], g: A, out: A) -> A:
    return b.relu_backward(g, out)


@gradient("relu_backward", "grad")
def relu_backward_grad(b: Backend[A], g: A, y: A) -> A:
    return b.relu_backward(g, y)


@gradient("relu_backward", "y")
def relu_backward_y(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("sigmoid", "x")
def sigmoid_x(b: Backend[A], g: A, out: A) -> A:
    return b.sigmoid_backward(g, out)


@gradient("sigmoid_backward", "grad")
def sigmoid_backward_grad(b: Backend[A], g: A, y: A) -> A:
    return b.sigmoid_backward(g, y)


@gradient("sigmoid_backward", "y")
def sigmoid_backward_y(b: Backend[A], g: A, grad: A, y: A) -> A:
    return b.mul(b.mul(g, grad), b.add(b.mul(y, -2), 1))


@gradient("log_sigmoid", "x")
def log_sigmoid_x(b: Backend[A], g: A, x: A) -> A:
    return b.log_sigmoid_backward(g, x)


@gradient("softplus", "x")
def softplus_x(b: Backend[A], g: A, x: A, beta: float, threshold: float) -> A:
    return b.softplus_backward(g, x, beta, threshold)


@gradient("silu", "x")
def silu_x(b: Backend[A], g: A, x: A) -> A:
    return b.silu_backward(g, x)


@gradient("gelu", "x")
def gelu_x(b: Backend[A], g: A, x: A, approximate: Approximate) -> A:
    return b.gelu_backward(g, x, approximate)


@gradient("gelu_backward", "grad")
def gelu_backward_grad(b: Backend[A], g: A, x: A, approximate: Approximate) -> A:
    return b.gelu_backward(g, x, approximate)


_FLAT = 50.0
"""Beyond this gelu is straight: its second derivative is below every dtype's smallest number."""


@gradient("gelu_backward", "x")
def gelu_backward_x(b: Backend[A], g: A, grad: A, x: A, approximate: Approximate) -> A:
    """By erf gelu'' is (2 - x^2) exp(-x^2 / 2) / sqrt(2 pi); by t = tanh(u) it is (1 - t^2) (u' + x u'' / 2 - x t u'^2)."""
    dtype, y = b.dtype(x), b.clamp(wide(b, x), -_FLAT, _FLAT)
    square = b.mul(y, y)
    if approximate == "tanh":
        scale, cubic = math.sqrt(2 / math.pi), 0.044715
        t = b.tanh(b.mul(b.mul(b.add(b.mul(square, cubic), 1), y), scale))
        rise = b.mul(b.add(b.mul(square, 3 * cubic), 1), scale)
        bend = b.add(rise, b.mul(square, 3 * cubic * scale))
        bend = b.sub(bend, b.mul(b.mul(b.mul(y, t), rise), rise))
        bend = b.mul(b.add(b.neg(b.mul(t, t)), 1), bend)
    else:
        half = b.mul(square, -0.5)
        bend = b.mul(b.mul(b.exp(half), b.add(half, 1)), math.sqrt(2 / math.pi))
    return narrow(b, b.mul(b.mul(wide(b, g), wide(b, grad)), bend), dtype)


@gradient("mish", "x")
def mish_x(b: Backend[A], g: A, x: A) -> A:
    return b.mish_backward(g, x)


@gradient("softmax", "x")
def softmax_x(b: Backend[A], g: A, out: A, dim: int) -> A:
    return b.softmax_backward(g, out, dim)


@gradient("softmax_backward", "grad")
def softmax_backward_grad(b: Backend[A], g: A, y: A, dim: int) -> A:
    return b.softmax_backward(g, y, dim)


@gradient("softmax_backward", "y")
def softmax_backward_y(b: Backend[A], g: A, grad: A, y: A, dim: int) -> A:
    from_factor = b.mul(g, b.sub(grad, b.sum(b.mul(grad, y), (dim,), True)))
    return b.sub(from_factor, b.mul(grad, b.sum(b.mul(g, y), (dim,), True)))


@gradient("log_softmax", "x")
def log_softmax_x(b: Backend[A], g: A, out: A, dim: int) -> A:
    return b.log_softmax_backward(g, out, dim)


@gradient("log_softmax_backward", "grad")
def log_softmax_backward_grad(b: Backend[A], g: A, y: A, dim: int) -> A:
    return b.sub(g, b.sum(b.mul(g, b.exp(y)), (dim,), True))


@gradient("log_softmax_backward", "y")
def log_softmax_backward_y(b: Backend[A], g: A, grad: A, y: A, dim: int) -> A:
    return b.neg(b.mul(b.mul(g, b.exp(y)), b.sum(grad, (dim,), True)))
