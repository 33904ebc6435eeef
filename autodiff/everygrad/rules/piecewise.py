"""Gradients of activations made of pieces: each backward is linear in grad, and flat in x unless its slope is curved."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("leaky_relu", "x")
def leaky_relu_x(b: Backend[A], g: A, x: A, slope: float) -> A:
    return b.leaky_relu_backward(g, x, slope)


@gradient("leaky_relu_backward", "grad")
def leaky_relu_backward_grad(b: Backend[A], g: A, x: A, slope: float) -> A:
    return b.leaky_relu_backward(g, x, slope)


@gradient("leaky_relu_backward", "x")
def leaky_relu_backward_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("prelu", "x")
def prelu_x(b: Backend[A], g: A, x: A, weight: A) -> A:
    return b.where(b.gt(x, 0), g, b.mul(g, weight))


@gradient("prelu", "weight")
def prelu_weight(b: Backend[A], g: A, x: A) -> A:
    return b.mul(g, b.where(b.gt(x, 0), 0, x))


@gradient("elu", "x")
def elu_x(b: Backend[A], g: A, x: A, alpha: float, scale: float, input_scale: float) -> A:
    return b.elu_backward(g, x, alpha, scale, input_scale)


@gradient("elu_backward", "grad")
def elu_backward_grad(b: Backend[A], g: A, x: A, alpha: float, scale: float, input_scale: float) -> A:
    return b.elu_backward(g, x, alpha, scale, input_scale)


@gradient("elu_backward", "x")
def elu_backward_x(b: Backend[A], g: A, grad: A, x: A, alpha: float, scale: float, input_scale: float) -> A:
    positive = b.gt(x, 0)
    bend = b.mul(b.exp(b.mul(b.where(positive, 0, x), input_scale)), scale * alpha * input_scale**2)
    return b.where(positive, 0, b.mul(b.mul(g, grad), bend))


@gradient("hardtanh", "x")
def hardtanh_x(b: Backend[A], g: A, x: A, low: float, high: float) -> A:
    return b.hardtanh_backward(g, x, low, high)


@gradient("hardtanh_backward", "grad")
def hardtanh_backward_grad(b: Backend[A], g: A, x: A, low: float, high: float) -> A:
    return b.hardtanh_backward(g, x, low, high)


@gradient("hardtanh_backward", "x")
def hardtanh_backward_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("hard_sigmoid", "x")
def hard_sigmoid_x(b: Backend[A], g: A, x: A, alpha: float, beta: float) -> A:
    return b.hard_sigmoid_backward(g, x, alpha, beta)


@gradient("hard_sigmoid_backward", "grad")
def hard_sigmoid_backward_grad(b: Backend[A], g: A, x: A, alpha: float, beta: float) -> A:
    return b.hard_sigmoid_backward(g, x, alpha, beta)


@gradient("hard_sigmoid_backward", "x")
def hard_sigmoid_backward_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("hardswish", "x")
def hardswish_x(b: Backend[A], g: A, x: A) -> A:
    return b.hardswish_backward(g, x)


@gradient("hardswish_backward", "grad")
def hardswish_backward_grad(b: Backend[A], g: A, x: A) -> A:
    return b.hardswish_backward(g, x)


@gradient("hardswish_backward", "x")
def hardswish_backward_x(b: Backend[A], g: A, grad: A, x: A) -> A:
    return b.hardtanh_backward(b.mul(b.mul(g, grad), 1 / 3), x, -3.0, 3.0)


@gradient("threshold", "x")
def threshold_x(b: Backend[A], g: A, x: A, threshold: float) -> A:
    return b.threshold_backward(g, x, threshold)


@gradient("threshold_backward", "grad")
def threshold_backward_grad(b: Backend[A], g: A, x: A, threshold: float) -> A:
    return b.threshold_backward(g, x, threshold)


@gradient("threshold_backward", "x")
def threshold_backward_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("shrink", "x")
def shrink_x(b: Backend[A], g: A, x: A, lambd: float) -> A:
    return b.shrink_backward(g, x, lambd)


@gradient("shrink_backward", "grad")
def shrink_backward_grad(b: Backend[A], g: A, x: A, lambd: float) -> A:
    return b.shrink_backward(g, x, lambd)


@gradient("shrink_backward", "x")
def shrink_backward_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)
