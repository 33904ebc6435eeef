"""Gradients of floats taken apart: a power of two that stands still, and steps that move along."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("frexp", "x")
def frexp_x(b: Backend[A], g_mantissa: A, x: A) -> A:
    values = b.detach(x)
    whole = b.logical_or(b.eq(values, 0), b.logical_not(b.isfinite(values)))
    safe = b.where(whole, 1, values)
    return b.mul0(g_mantissa, b.where(whole, 1, b.div(b.frexp(safe)[0], safe)))


@gradient("nextafter", "x")
def nextafter_x(b: Backend[A], g: A) -> A:
    return g


@gradient("nextafter", "y")
def nextafter_y(b: Backend[A], g: A) -> A:
    return b.zeros_like(g)
