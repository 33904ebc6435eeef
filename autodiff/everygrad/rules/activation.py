"""Gradients of activations, from the result where that is enough."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend
from everygrad_ops.activation import Approximate

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
