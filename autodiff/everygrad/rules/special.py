"""Gradients of special functions."""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("erf", "x")
def erf_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul(g, b.mul(b.exp(b.neg(b.mul(x, x))), 2 / math.sqrt(math.pi)))
