"""Gradients of gated activations."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("glu", "x")
def glu_x(b: Backend[A], g: A, x: A, dim: int) -> A:
    return b.glu_backward(g, x, dim)
