"""Gradients of reductions."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad.rules.scan import reversed_along
from everygrad_ops import Backend
from everygrad_ops.precision import narrow, wide
from everygrad_ops.reduction import centred, size_of

A = TypeVar("A")


@gradient("sum", "x")
def sum_x(b: Backend[A], g: A, x_shape: tuple[int, ...], dims: tuple[int, ...], keepdim: bool) -> A:
    if len(dims) < len(x_shape):  # of everything, the gradient is one number
        g = restore(b, g, x_shape, dims, keepdim)
    return b.broadcast_to(g, x_shape)


@gradient("mean", "x")
def mean_x(b: Backend[A], g: A, x_shape: tuple[int, ...], dims: tuple[int, ...], keepdim: bool) -> A:
    share = b.div(restore(b, g, x_shape, dims, keepdim), max(1, size_of(x_shape, dims)))
    return b.broadcast_to(share, x_shape)


@gradient("var", "x")
def var_x(b: Backend[A], g: A, x: A, dims: tuple[int, ...], correction: float, keepdim: bool) -> A:
    shape, dtype = b.shape(x), b.dtype(x)
    divisor = size_of(shape, dims) - correction
    g = restore(b, g, shape, dims, keepdim)
    if divisor <= 0:
        return b.mul0(b.broadcast_to(g, shape), b.full(shape, float("nan"), dtype))
    scaled = b.mul(wide(b, g), 2 / divisor)
    return narrow(b, b.mul0(scaled, centred(b, wide(b, x), dims)), dtype)


@gradient("amax", "x")
def amax_x(b: Backend[A], g: A, x: A, out: A, dims: tuple[int, ...], keepdim: bool) -> A:
    return shared(b, g, x, out, dims, keepdim)


@gradient("amin", "x")
def amin_x(b: Backend[A], g: A, x: A, out: A, dims: tuple[int, ...], keepdim: bool) -> A:
    return shared(b, g, x, out, dims, keepdim)


@gradient("prod", "x")
def prod_x(b: Backend[A], g: A, x: A, dims: tuple[int, ...], keepdim: bool) -> A:
    """The product of all other elements: of those before times of those after. Nothing is divided."""
    shape, dtype = b.shape(x), b.dtype(x)
    kept = tuple(d for d in range(len(shape)) if d not in dims)
    order = kept + dims
    rows = tuple(shape[d] for d in kept)
    flat = b.reshape(b.permute(wide(b, x), order), (*rows, size_of(shape, dims)))
    after = reversed_along(b, _before(b, reversed_along(b, flat, len(rows))), len(rows))
    others = b.reshape(b.mul0(_before(b, flat), after), tuple(shape[d] for d in order))
    others = b.permute(others, tuple(sorted(range(len(order)), key=order.__getitem__)))
    return narrow(b, b.mul0(wide(b, restore(b, g, shape, dims, keepdim)), others), dtype)


def _before(b: Backend[A], x: A) -> A:
    """The product of the elements before each, along the last dim."""
    shape = b.shape(x)
    if shape[-1] == 0:
        return x
    whole = [(0, size, 1) for size in shape[:-1]]
    none = ((0, 0),) * len(whole)
    first = b.slice(x, (*whole, (0, shape[-1] - 1, 1)))
    return b.cumprod(b.pad(first, (*none, (1, 0)), 1), len(whole))


@gradient("logsumexp", "x")
def logsumexp_x(b: Backend[A], g: A, x: A, out: A, dims: tuple[int, ...], keepdim: bool) -> A:
    shape, dtype = b.shape(x), b.dtype(x)
    out = wide(b, restore(b, out, shape, dims, keepdim))
    endless = b.isinf(out)  # all -inf, or one +inf: no finite step changes the result
    share = b.exp(b.sub(wide(b, x), b.where(endless, 0, out)))
    share = b.where(endless, 0, share)
    return narrow(b, b.mul0(wide(b, restore(b, g, shape, dims, keepdim)), share), dtype)


def restore(b: Backend[A], g: A, shape: tuple[int, ...], dims: tuple[int, ...], keepdim: bool) -> A:
    """`g` of a reduction with its reduced dims back at size 1."""
    if keepdim:
        return g
    return b.reshape(g, tuple(1 if d in dims else s for d, s in enumerate(shape)))


def shared(b: Backend[A], g: A, x: A, out: A, dims: tuple[int, ...], keepdim: bool) -> A:
    """The gradient of an extremum, shared evenly by the tied entries (all NaN are tied)."""
    shape, dtype = b.shape(x), b.dtype(g)
    out = restore(b, out, shape, dims, keepdim)
    tied = b.logical_or(b.eq(x, out), b.logical_and(b.isnan(x), b.isnan(out)))
    g = wide(b, restore(b, g, shape, dims, keepdim))
    share = b.div(
        g, b.cast(b.sum(tied, dims, True), b.dtype(g))
    )  # an integer count, and float32: no overflow
    return b.where(tied, narrow(b, share, dtype), 0)
