"""Gradients of Bessel functions, each of neighbouring orders: so to every order.

Source: Abramowitz, Stegun, "Handbook of mathematical functions", 1964, 9.1.27, 9.6.26 and 10.4.1.
"""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("bessel_i", "x")
def bessel_i_x(b: Backend[A], g: A, x: A, n: int) -> A:
    if n == 0:
        return b.mul0(g, b.bessel_i(x, 1))
    return b.mul0(g, b.mul(b.add(b.bessel_i(x, n - 1), b.bessel_i(x, n + 1)), 0.5))


@gradient("bessel_ie", "x")
def bessel_ie_x(b: Backend[A], g: A, x: A, n: int, out: A) -> A:
    near = b.bessel_ie(x, 1) if n == 0 else b.mul(b.add(b.bessel_ie(x, n - 1), b.bessel_ie(x, n + 1)), 0.5)
    return b.mul0(g, b.sub(near, b.mul(b.sign(x), out)))


@gradient("bessel_j", "x")
def bessel_j_x(b: Backend[A], g: A, x: A, n: int) -> A:
    if n == 0:
        return b.neg(b.mul0(g, b.bessel_j(x, 1)))
    return b.mul0(g, b.mul(b.sub(b.bessel_j(x, n - 1), b.bessel_j(x, n + 1)), 0.5))


@gradient("bessel_y", "x")
def bessel_y_x(b: Backend[A], g: A, x: A, n: int) -> A:
    if n == 0:
        return b.neg(b.mul0(g, b.bessel_y(x, 1)))
    return b.mul0(g, b.mul(b.sub(b.bessel_y(x, n - 1), b.bessel_y(x, n + 1)), 0.5))


@gradient("bessel_k", "x")
def bessel_k_x(b: Backend[A], g: A, x: A, n: int) -> A:
    if n == 0:
        return b.neg(b.mul0(g, b.bessel_k(x, 1)))
    return b.mul0(g, b.mul(b.add(b.bessel_k(x, n - 1), b.bessel_k(x, n + 1)), -0.5))


@gradient("bessel_ke", "x")
def bessel_ke_x(b: Backend[A], g: A, x: A, n: int, out: A) -> A:
    near = b.bessel_ke(x, 1) if n == 0 else b.mul(b.add(b.bessel_ke(x, n - 1), b.bessel_ke(x, n + 1)), 0.5)
    return b.mul0(g, b.sub(out, near))


@gradient("airy_ai", "x")
def airy_ai_x(b: Backend[A], g: A, x: A, slope: bool) -> A:
    return b.mul0(g, b.mul(x, b.airy_ai(x, False)) if slope else b.airy_ai(x, True))
