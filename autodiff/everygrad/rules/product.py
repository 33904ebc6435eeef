"""Gradients of products beyond matrices."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend
from everygrad_ops.matrix import turned

A = TypeVar("A")


@gradient("cross", "x")
def cross_x(b: Backend[A], g: A, y: A, dim: int) -> A:
    return b.cross(y, g, dim)


@gradient("cross", "y")
def cross_y(b: Backend[A], g: A, x: A, dim: int) -> A:
    return b.cross(g, x, dim)


@gradient("cdist", "x")
def cdist_x(b: Backend[A], g: A, x: A, y: A, p: float, out: A) -> A:
    return b.cdist_backward(g, x, y, p, out)


@gradient("cdist", "y")
def cdist_y(b: Backend[A], g: A, x: A, y: A, p: float, out: A) -> A:
    return b.cdist_backward(turned(b, g), y, x, p, turned(b, out))
