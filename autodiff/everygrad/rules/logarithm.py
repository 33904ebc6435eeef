"""Gradients of logarithms and powers of other bases, and of products with a logarithm."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend
from everygrad_ops.logarithm import LOG2, LOG10, same_infinity

A = TypeVar("A")


@gradient("log2", "x")
def log2_x(b: Backend[A], g: A, x: A) -> A:
    return b.div0(b.mul(g, 1 / LOG2), x)


@gradient("log10", "x")
def log10_x(b: Backend[A], g: A, x: A) -> A:
    return b.div0(b.mul(g, 1 / LOG10), x)


@gradient("exp2", "x")
def exp2_x(b: Backend[A], g: A, out: A) -> A:
    return b.mul0(g, b.mul(out, LOG2))


@gradient("logaddexp", "x")
def logaddexp_x(b: Backend[A], g: A, x: A, y: A) -> A:
    return b.mul0(g, _share(b, x, y, 1))


@gradient("logaddexp", "y")
def logaddexp_y(b: Backend[A], g: A, x: A, y: A) -> A:
    return b.mul0(g, _share(b, y, x, 1))


@gradient("logaddexp2", "x")
def logaddexp2_x(b: Backend[A], g: A, x: A, y: A) -> A:
    return b.mul0(g, _share(b, x, y, LOG2))


@gradient("logaddexp2", "y")
def logaddexp2_y(b: Backend[A], g: A, x: A, y: A) -> A:
    return b.mul0(g, _share(b, y, x, LOG2))


def _share(b: Backend[A], x: A, y: A, scale: float) -> A:
    """exp(x) / (exp(x) + exp(y)): of two equal infinities 1 / 2, or 0 where nothing adds up."""
    gap = b.where(same_infinity(b, x, y), 0, b.sub(x, y))
    share = b.sigmoid(gap if scale == 1 else b.mul(gap, scale))
    return b.where(b.logical_and(b.eq(x, -float("inf")), b.eq(y, -float("inf"))), 0, share)


@gradient("xlogy", "x")
def xlogy_x(b: Backend[A], g: A, x: A, y: A) -> A:
    nothing = b.logical_and(b.eq(x, 0), b.le(y, 0))
    return b.mul0(b.where(nothing, 0, g), b.log(y))


@gradient("xlogy", "y")
def xlogy_y(b: Backend[A], g: A, x: A, y: A) -> A:
    return b.div0(b.mul0(g, x), y)


@gradient("xlog1py", "x")
def xlog1py_x(b: Backend[A], g: A, x: A, y: A) -> A:
    nothing = b.logical_and(b.eq(x, 0), b.le(y, -1))
    return b.mul0(b.where(nothing, 0, g), b.log1p(y))


@gradient("xlog1py", "y")
def xlog1py_y(b: Backend[A], g: A, x: A, y: A) -> A:
    return b.div0(b.mul0(g, x), b.add(y, 1))
