"""Gradients of draws that are smooth functions of a parameter."""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend, DType

A = TypeVar("A")


@gradient("standard_gamma", "x")
def standard_gamma_x(b: Backend[A], g: A, x: A, out: A) -> A:
    """-(dP/dx) / (dP/dz) at the draw z, with P(x, z) the distribution function, which stays as it is.

    P = p z S with p its density, S = sum of t_k, t_k = z^k / (x (x + 1) ... (x + k)). So the quotient is
    z ((digamma(x) - log z) S + sum of t_k h_k), h_k = 1 / x + ... + 1 / (x + k).
    Sources: Figurnov, Mohamed, Mnih, "Implicit reparameterization gradients", 2018; DLMF 8.11.4.
    """
    dtype, shape = b.dtype(x), b.shape(x)
    a, z = b.cast(x, DType.float64), b.cast(out, DType.float64)
    terms = _terms(b, b.detach(a), b.detach(z))
    steps = b.cast(b.arange(0, terms, 1, DType.int64), DType.float64)
    along = b.add(b.reshape(a, (*shape, 1)), steps)
    last = len(shape)
    t = b.cumprod(b.div(b.where(b.eq(steps, 0), 1, b.reshape(z, (*shape, 1))), along), last)
    h = b.cumsum(b.reciprocal(along), last)
    total, weighted = b.sum(t, (last,)), b.sum(b.mul(t, h), (last,))
    change = b.add(b.mul(b.sub(b.digamma(a), b.log(b.where(b.eq(z, 0), 1, z))), total), weighted)
    return b.mul0(g, b.cast(b.mul0(z, change), dtype))


def _terms(b: Backend[A], a: A, z: A) -> int:
    """How many terms of the series matter in float64: it falls like a Gaussian beyond k = z - a."""
    known = b.logical_and(b.isfinite(a), b.isfinite(z))
    a, z = b.where(known, a, 1), b.where(known, z, 1)
    if 0 in b.shape(a):
        return 1
    count = b.add(b.maximum(b.sub(z, a), 0), b.sqrt(b.add(b.mul(z, 80), 1600)))
    return 42 + math.ceil(float(b.to_numpy(b.amax(count, tuple(range(len(b.shape(a))))))))
