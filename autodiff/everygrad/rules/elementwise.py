"""Gradients of elementwise ops.

Where a local derivative can be inf or NaN, the upstream meets it through `mul0`, so that a zero
upstream stops (where(x >= 0, x, sqrt(-x)) has gradient 1 at 1).
"""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("add", "x")
def add_x(b: Backend[A], g: A) -> A:
    return g


@gradient("add", "y")
def add_y(b: Backend[A], g: A) -> A:
    return g


@gradient("sub", "x")
def sub_x(b: Backend[A], g: A) -> A:
    return g


@gradient("sub", "y")
def sub_y(b: Backend[A], g: A) -> A:
    return b.neg(g)


@gradient("mul", "x")
def mul_x(b: Backend[A], g: A, y: A | float) -> A:
    return b.mul(g, y)


@gradient("mul", "y")
def mul_y(b: Backend[A], g: A, x: A) -> A:
    return b.mul(g, x)


@gradient("mul0", "x")
def mul0_x(b: Backend[A], g: A, y: A) -> A:
    return b.mul0(g, y)


@gradient("mul0", "y")
def mul0_y(b: Backend[A], g: A, x: A) -> A:
    return b.mul0(g, x)


@gradient("neg", "x")
def neg_x(b: Backend[A], g: A) -> A:
    return b.neg(g)


@gradient("exp", "x")
def exp_x(b: Backend[A], g: A, out: A) -> A:
    return b.mul0(g, out)


@gradient("tanh", "x")
def tanh_x(b: Backend[A], g: A, out: A) -> A:
    return b.tanh_backward(g, out)


@gradient("tanh_backward", "grad")
def tanh_backward_grad(b: Backend[A], g: A, y: A) -> A:
    return b.tanh_backward(g, y)


@gradient("tanh_backward", "y")
def tanh_backward_y(b: Backend[A], g: A, grad: A, y: A) -> A:
    return b.mul(b.mul(b.mul(g, grad), y), -2)


@gradient("div", "x")
def div_x(b: Backend[A], g: A, y: A | float) -> A:
    return b.div(g, y)


@gradient("div", "y")
def div_y(b: Backend[A], g: A, y: A, out: A) -> A:
    return b.neg(b.div(b.mul0(g, out), y))


@gradient("pow", "x")
def pow_x(b: Backend[A], g: A, x: A, y: A | float) -> A:
    raise NotImplementedError


@gradient("pow", "y")
def pow_y(b: Backend[A], g: A, x: A, y: A, out: A) -> A:
    raise NotImplementedError


@gradient("maximum", "x")
def maximum_x(b: Backend[A], g: A, x: A, y: A | float) -> A:
    raise NotImplementedError


@gradient("maximum", "y")
def maximum_y(b: Backend[A], g: A, x: A, y: A) -> A:
    raise NotImplementedError


@gradient("minimum", "x")
def minimum_x(b: Backend[A], g: A, x: A, y: A | float) -> A:
    raise NotImplementedError


@gradient("minimum", "y")
def minimum_y(b: Backend[A], g: A, x: A, y: A) -> A:
    raise NotImplementedError


@gradient("remainder", "x")
def remainder_x(b: Backend[A], g: A) -> A:
    return g


@gradient("remainder", "y")
def remainder_y(b: Backend[A], g: A, x: A, y: A) -> A:
    return b.neg(b.mul(g, b.floor(b.div(x, y))))


@gradient("abs", "x")
def abs_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul(g, b.sign(x))


@gradient("sign", "x")
def sign_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("floor", "x")
def floor_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("round", "x")
def round_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("expm1", "x")
def expm1_x(b: Backend[A], g: A, out: A) -> A:
    return b.mul0(g, b.add(out, 1))


@gradient("log", "x")
def log_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul0(g, b.reciprocal(x))


@gradient("log1p", "x")
def log1p_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul0(g, b.reciprocal(b.add(x, 1)))


@gradient("sqrt", "x")
def sqrt_x(b: Backend[A], g: A, out: A) -> A:
    return b.mul0(g, b.mul(b.reciprocal(out), 0.5))


@gradient("sin", "x")
def sin_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul(g, b.cos(x))


@gradient("cos", "x")
def cos_x(b: Backend[A], g: A, x: A) -> A:
    return b.neg(b.mul(g, b.sin(x)))
