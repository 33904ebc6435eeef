"""Gradients of special functions, each of the same family: so to every order."""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("erf", "x")
def erf_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul(g, b.mul(b.exp(b.neg(b.mul(x, x))), 2 / math.sqrt(math.pi)))


@gradient("erfc", "x")
def erfc_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul(g, b.mul(b.exp(b.neg(b.mul(x, x))), -2 / math.sqrt(math.pi)))


@gradient("erfcx", "x")
def erfcx_x(b: Backend[A], g: A, x: A, out: A) -> A:
    return b.mul0(g, b.sub(b.mul(b.mul(x, out), 2), 2 / math.sqrt(math.pi)))


@gradient("erfinv", "x")
def erfinv_x(b: Backend[A], g: A, out: A) -> A:
    return b.mul0(g, b.mul(b.exp(b.square(out)), math.sqrt(math.pi) / 2))


@gradient("ndtri", "x")
def ndtri_x(b: Backend[A], g: A, out: A) -> A:
    return b.mul0(g, b.mul(b.exp(b.mul(b.square(out), 0.5)), math.sqrt(2 * math.pi)))


@gradient("log_ndtr", "x")
def log_ndtr_x(b: Backend[A], g: A, x: A) -> A:
    tail = b.erfcx(b.mul(x, -math.sqrt(0.5)))  # inf for large x, where the slope is 0
    return b.div0(b.mul(g, math.sqrt(2 / math.pi)), tail)


@gradient("entr", "x")
def entr_x(b: Backend[A], g: A, x: A) -> A:
    return b.neg(b.mul0(g, b.add(b.log(x), 1)))
