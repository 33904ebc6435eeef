"""Gradients of inverse trigonometric and hyperbolic functions.

Products such as (1 - x) * (1 + x) stand for 1 - x * x: exact near the ends, and they do not overflow.
"""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("asin", "x")
def asin_x(b: Backend[A], g: A, x: A) -> A:
    return b.div0(g, b.sqrt(_one_minus_square(b, x)))


@gradient("acos", "x")
def acos_x(b: Backend[A], g: A, x: A) -> A:
    return b.neg(b.div0(g, b.sqrt(_one_minus_square(b, x))))


@gradient("atan", "x")
def atan_x(b: Backend[A], g: A, x: A) -> A:
    return b.div0(g, b.add(b.square(x), 1))


@gradient("sinh", "x")
def sinh_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul0(g, b.cosh(x))


@gradient("cosh", "x")
def cosh_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul0(g, b.sinh(x))


@gradient("asinh", "x")
def asinh_x(b: Backend[A], g: A, x: A) -> A:
    return b.div0(g, b.hypot(x, b.ones_like(x)))


@gradient("acosh", "x")
def acosh_x(b: Backend[A], g: A, x: A) -> A:
    return b.div0(b.div0(g, b.sqrt(b.sub(x, 1))), b.sqrt(b.add(x, 1)))


@gradient("atanh", "x")
def atanh_x(b: Backend[A], g: A, x: A) -> A:
    return b.div0(g, _one_minus_square(b, x))


@gradient("atan2", "y")
def atan2_y(b: Backend[A], g: A, y: A, x: A) -> A:
    r = b.hypot(x, y)
    return b.div0(b.mul0(g, b.div0(x, r)), r)


@gradient("atan2", "x")
def atan2_x(b: Backend[A], g: A, y: A, x: A) -> A:
    r = b.hypot(x, y)
    return b.neg(b.div0(b.mul0(g, b.div0(y, r)), r))


@gradient("hypot", "x")
def hypot_x(b: Backend[A], g: A, x: A, out: A) -> A:
    return b.mul0(g, b.div0(x, out))


@gradient("hypot", "y")
def hypot_y(b: Backend[A], g: A, y: A, out: A) -> A:
    return b.mul0(g, b.div0(y, out))


def _one_minus_square(b: Backend[A], x: A) -> A:
    return b.mul(b.add(b.neg(x), 1), b.add(x, 1))
