"""Gradients of functions of one array.

The upstream meets a local derivative that can be inf or NaN through `mul0` or `div0`: a zero upstream stops.
The derivative of tanh lies in [0, 1], so only a NaN in x gets past a zero upstream there.
"""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("neg", "x")
def neg_x(b: Backend[A], g: A) -> A:
    return b.neg(g)


@gradient("abs", "x")
def abs_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul0(g, b.sign(x))


@gradient("sign", "x")
def sign_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("floor", "x")
def floor_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("ceil", "x")
def ceil_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("trunc", "x")
def trunc_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("round", "x")
def round_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("exp", "x")
def exp_x(b: Backend[A], g: A, out: A) -> A:
    return b.mul0(g, out)


@gradient("expm1", "x")
def expm1_x(b: Backend[A], g: A, out: A) -> A:
    return b.mul0(g, b.add(out, 1))


@gradient("log", "x")
def log_x(b: Backend[A], g: A, x: A) -> A:
    return b.div0(g, x)


@gradient("log1p", "x")
def log1p_x(b: Backend[A], g: A, x: A) -> A:
    return b.div0(g, b.add(x, 1))


@gradient("sqrt", "x")
def sqrt_x(b: Backend[A], g: A, out: A) -> A:
    return b.div0(b.mul(g, 0.5), out)


@gradient("rsqrt", "x")
def rsqrt_x(b: Backend[A], g: A, x: A, out: A) -> A:
    return b.mul(b.div0(b.mul0(g, out), x), -0.5)


@gradient("reciprocal", "x")
def reciprocal_x(b: Backend[A], g: A, out: A) -> A:
    return b.neg(b.mul0(b.mul0(g, out), out))


@gradient("square", "x")
def square_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul0(g, b.mul(x, 2))


@gradient("sin", "x")
def sin_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul0(g, b.cos(x))


@gradient("cos", "x")
def cos_x(b: Backend[A], g: A, x: A) -> A:
    return b.neg(b.mul0(g, b.sin(x)))


@gradient("tan", "x")
def tan_x(b: Backend[A], g: A, out: A) -> A:
    return b.mul0(g, b.add(b.square(out), 1))


@gradient("tanh", "x")
def tanh_x(b: Backend[A], g: A, out: A) -> A:
    return b.tanh_backward(g, out)


@gradient("tanh_backward", "grad")
def tanh_backward_grad(b: Backend[A], g: A, y: A) -> A:
    return b.tanh_backward(g, y)


@gradient("tanh_backward", "y")
def tanh_backward_y(b: Backend[A], g: A, grad: A, y: A) -> A:
    return b.mul(b.mul(b.mul(g, grad), y), -2)
