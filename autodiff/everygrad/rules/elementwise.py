"""Gradients of arithmetic.

Where a local derivative can be inf or NaN, the upstream meets it through `mul0` or `div0`, so that a zero
upstream stops (where(x >= 0, x, sqrt(-x)) has gradient 1 at 1). A plain product gives no such promise.
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


@gradient("div", "x")
def div_x(b: Backend[A], g: A, y: A | float) -> A:
    if isinstance(y, (int, float)):
        return b.div(g, y) if y else b.div0(g, b.zeros_like(g))
    return b.div0(g, y)


@gradient("div", "y")
def div_y(b: Backend[A], g: A, y: A, out: A) -> A:
    return b.neg(b.div0(b.mul0(g, out), y))


@gradient("div0", "x")
def div0_x(b: Backend[A], g: A, y: A) -> A:
    return b.div0(g, y)


@gradient("div0", "y")
def div0_y(b: Backend[A], g: A, y: A, out: A) -> A:
    return b.neg(b.div0(b.mul0(g, out), y))


@gradient("pow", "x")
def pow_x(b: Backend[A], g: A, x: A, y: A | float) -> A:
    if not isinstance(y, (int, float)):
        return b.mul0(g, b.mul0(y, b.pow(x, b.sub(y, 1))))
    if y == 0:
        return b.zeros_like(g)
    if y == 1:
        return g
    return b.mul0(g, b.mul(x if y == 2 else b.pow(x, y - 1), y))


@gradient("pow", "y")
def pow_y(b: Backend[A], g: A, x: A, y: A, out: A) -> A:
    corner = b.logical_and(b.eq(x, 0), b.eq(y, 0))  # 0 ** y steps from 1 to 0 there: no slope
    return b.mul0(g, b.mul0(out, b.log(b.where(corner, 1, x))))


@gradient("maximum", "x")
def maximum_x(b: Backend[A], g: A, x: A, y: A | float) -> A:
    return _won(b, g, x, y, b.gt(x, y))


@gradient("maximum", "y")
def maximum_y(b: Backend[A], g: A, x: A, y: A) -> A:
    return _won(b, g, y, x, b.gt(y, x))


@gradient("minimum", "x")
def minimum_x(b: Backend[A], g: A, x: A, y: A | float) -> A:
    return _won(b, g, x, y, b.lt(x, y))


@gradient("minimum", "y")
def minimum_y(b: Backend[A], g: A, x: A, y: A) -> A:
    return _won(b, g, y, x, b.lt(y, x))


def _won(b: Backend[A], g: A, x: A, y: A | float, better: A) -> A:
    """The part of `g` for x: all where it is better or the only NaN, half where both are equal or NaN."""
    tied, nan = b.eq(x, y), b.isnan(x)
    if not isinstance(y, (int, float)):
        tied = b.logical_or(tied, b.logical_and(nan, b.isnan(y)))
    return b.where(tied, b.mul(g, 0.5), b.where(b.logical_or(better, nan), g, 0))


@gradient("remainder", "x")
def remainder_x(b: Backend[A], g: A) -> A:
    return g


@gradient("remainder", "y")
def remainder_y(b: Backend[A], g: A, x: A, y: A, out: A) -> A:
    whole = b.round(b.div(b.sub(x, out), y))  # floor(x / y) can be one off where x / y rounds to an integer
    return b.neg(b.mul0(g, whole))


@gradient("floor_divide", "x")
def floor_divide_x(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("floor_divide", "y")
def floor_divide_y(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("clamp", "x")
def clamp_x(b: Backend[A], g: A, x: A, low: float | None, high: float | None) -> A:
    if low is not None:
        g = b.where(b.lt(x, low), 0, g)
    if high is not None:
        g = b.where(b.gt(x, high), 0, g)
    return g
