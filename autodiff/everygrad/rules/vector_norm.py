"""Gradients of the norms of vectors."""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.reduction import restore, shared
from everygrad.rules.registry import gradient
from everygrad_ops import Backend
from everygrad_ops.precision import narrow, wide

A = TypeVar("A")


@gradient("vector_norm", "x")
def vector_norm_x(b: Backend[A], g: A, x: A, out: A, p: float, dims: tuple[int, ...], keepdim: bool) -> A:
    """sign(x) (|x| / out)^(p - 1), and 0 where the norm or x is 0. The quotient is in [0, 1] for p > 0."""
    shape, dtype = b.shape(x), b.dtype(x)
    if p == 0:
        return b.full(shape, 0, dtype)
    y = wide(b, x)
    if math.isinf(p):
        return b.mul(shared(b, g, b.abs(x), out, dims, keepdim), b.sign(x))
    g = wide(b, restore(b, g, shape, dims, keepdim))
    if p == 1:
        return narrow(b, b.mul(g, b.sign(y)), dtype)
    norm = wide(b, restore(b, out, shape, dims, keepdim))
    none = b.eq(norm, 0)
    norm = b.where(none, 1, norm)
    ratio = b.div(y, norm)
    slope = ratio if p == 2 else b.mul0(b.sign(y), b.pow(b.abs(ratio), p - 1))
    return narrow(b, b.where(none, 0, b.mul0(g, slope)), dtype)
