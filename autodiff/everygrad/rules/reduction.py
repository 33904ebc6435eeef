"""Gradients of reductions and order."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("sum", "x")
def sum_x(b: Backend[A], g: A, x_shape: tuple[int, ...], dims: tuple[int, ...], keepdim: bool) -> A:
    return b.broadcast_to(restore(b, g, x_shape, dims, keepdim), x_shape)


@gradient("amax", "x")
def amax_x(b: Backend[A], g: A, x: A, out: A, dims: tuple[int, ...], keepdim: bool) -> A:
    return _share(b, g, x, out, dims, keepdim)


@gradient("amin", "x")
def amin_x(b: Backend[A], g: A, x: A, out: A, dims: tuple[int, ...], keepdim: bool) -> A:
    return _share(b, g, x, out, dims, keepdim)


@gradient("prod", "x")
def prod_x(b: Backend[A], g: A, x: A, dims: tuple[int, ...], keepdim: bool) -> A:
    raise NotImplementedError


@gradient("sort", "x")
def sort_x(b: Backend[A], g_values: A, out_indices: A, dim: int) -> A:
    return b.scatter_add(b.zeros_like(g_values), dim, out_indices, g_values)


def restore(b: Backend[A], g: A, shape: tuple[int, ...], dims: tuple[int, ...], keepdim: bool) -> A:
    """`g` of a reduction with its reduced dims back at size 1."""
    if keepdim:
        return g
    return b.reshape(g, tuple(1 if d in dims else s for d, s in enumerate(shape)))


def _share(b: Backend[A], g: A, x: A, out: A, dims: tuple[int, ...], keepdim: bool) -> A:
    """The gradient of an extremum, shared evenly by the tied entries (all NaN are tied)."""
    shape = b.shape(x)
    out = b.detach(restore(b, out, shape, dims, keepdim))
    x = b.detach(x)
    tied = b.logical_or(b.eq(x, out), b.logical_and(b.isnan(x), b.isnan(out)))
    count = b.sum(tied, dims, True)  # integers: never overflows the dtype
    share = b.div(restore(b, g, shape, dims, keepdim), b.cast(count, b.dtype(g)))
    return b.where(tied, b.broadcast_to(share, shape), 0)
