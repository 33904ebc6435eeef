"""Gradients of remainders, signs and blends, and of the cardinal sine."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("fmod", "x")
def fmod_x(b: Backend[A], g: A) -> A:
    return g


@gradient("fmod", "y")
def fmod_y(b: Backend[A], g: A, x: A, y: A, out: A) -> A:
    whole = b.round(b.div(b.sub(x, out), y))  # trunc(x / y) can be one off where x / y rounds to an integer
    return b.neg(b.mul0(g, whole))


@gradient("copysign", "x")
def copysign_x(b: Backend[A], g: A, x: A, out: A) -> A:
    return b.mul0(b.mul0(g, b.sign(x)), b.sign(out))


@gradient("copysign", "y")
def copysign_y(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)


@gradient("lerp", "x")
def lerp_x(b: Backend[A], g: A, weight: A | float) -> A:
    if isinstance(weight, (int, float)):
        return b.mul(g, 1 - weight)
    return b.mul(g, b.add(b.neg(weight), 1))


@gradient("lerp", "y")
def lerp_y(b: Backend[A], g: A, weight: A | float) -> A:
    return b.mul(g, weight)


@gradient("lerp", "weight")
def lerp_weight(b: Backend[A], g: A, x: A, y: A) -> A:
    return b.mul(g, b.sub(y, x))


@gradient("nan_to_num", "x")
def nan_to_num_x(b: Backend[A], g: A, x: A) -> A:
    return b.where(b.isfinite(x), g, 0)


@gradient("sinc", "x")
def sinc_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul0(g, b.sinc_derivative(x, 1))


@gradient("sinc_derivative", "x")
def sinc_derivative_x(b: Backend[A], g: A, x: A, order: int) -> A:
    return b.mul0(g, b.sinc_derivative(x, order + 1))
