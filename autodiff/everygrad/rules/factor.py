"""Gradients of factorizations, made of products, solutions and triangular parts.

Sources: Giles, "An extended collection of matrix derivative results", 2008 (Cholesky, eigh, svd); Walter and
Lehmann, "On evaluating higher-order derivatives of the QR decomposition", 2010 (QR, LU).
"""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend
from everygrad_ops.matrix import (
    column,
    columns,
    embedded,
    half_lower,
    on_diagonal,
    row,
    rows,
    symmetric,
    turned,
)

A = TypeVar("A")


@gradient("cholesky", "x")
def cholesky_x(b: Backend[A], g: A, out: A) -> A:
    inner = half_lower(b, b.matmul(turned(b, out), g))
    left = b.solve_triangular(turned(b, out), inner, True)
    return symmetric(b, turned(b, b.solve_triangular(turned(b, out), turned(b, left), True)))


@gradient("qr", "x")
def qr_x(b: Backend[A], g_q: A | None, g_r: A | None, x: A, out_q: A, out_r: A) -> A:
    k, n = b.shape(out_r)[-2:]
    g_r = b.zeros_like(out_r) if g_r is None else g_r
    g_q = b.zeros_like(out_q) if g_q is None else g_q
    g_rest = columns(b, g_r, k, n)
    if n > k:  # the columns beyond the first k are q times those of r
        rest = columns(b, x, k, n)
        g_q = b.add(g_q, b.matmul(rest, turned(b, g_rest)))
    r, g_first = columns(b, out_r, 0, k), columns(b, g_r, 0, k)
    m = b.sub(b.matmul(r, turned(b, g_first)), b.matmul(turned(b, g_q), out_q))
    lower = b.tril(m, -1)
    both = b.add(b.tril(m, 0), turned(b, lower))
    inner = b.add(g_q, b.matmul(out_q, both))
    first = turned(b, b.solve_triangular(r, turned(b, inner), True))
    return first if n == k else b.cat([first, b.matmul(out_q, g_rest)], len(b.shape(x)) - 1)


@gradient("orthogonal_complement", "x")
def orthogonal_complement_x(b: Backend[A], g: A, x: A, out: A) -> A:
    return b.neg(b.matmul(out, b.matmul(turned(b, g), x)))


@gradient("eigh", "x")
def eigh_x(b: Backend[A], g_values: A | None, g_vectors: A | None, out_values: A, out_vectors: A) -> A:
    n = b.shape(out_values)[-1]
    inner = None if g_values is None else embedded(b, g_values)
    if g_vectors is not None:
        turns = b.matmul(turned(b, out_vectors), g_vectors)
        gaps = b.sub(row(b, out_values), column(b, out_values))
        mixed = b.mul(_quotient(b, b.sub(turns, turned(b, turns)), gaps, _unused(b, g_vectors), n), 0.5)
        inner = mixed if inner is None else b.add(inner, mixed)
    assert inner is not None
    return symmetric(b, b.matmul(b.matmul(out_vectors, inner), turned(b, out_vectors)))


def _unused(b: Backend[A], g: A) -> A:
    """Which pairs of columns have no upstream at all: nothing depends on how they turn into each other."""
    used = b.any(b.ne(b.detach(g), 0), (len(b.shape(g)) - 2,))
    return b.logical_not(b.logical_or(row(b, used), column(b, used)))


def _quotient(b: Backend[A], x: A, gaps: A, skipped: A, n: int) -> A:
    """x / gaps off the diagonal, inf or NaN where a gap is 0; 0 where `skipped`."""
    skipped = b.logical_or(skipped, on_diagonal(b, n))
    return b.where(skipped, 0, b.div(b.where(skipped, 0, x), b.where(skipped, 1, gaps)))


@gradient("svd", "x")
def svd_x(b: Backend[A], g_u: A | None, g_s: A | None, g_vh: A | None, out_u: A, out_s: A, out_vh: A) -> A:
    k = b.shape(out_s)[-1]
    v = turned(b, out_vh)
    inner = None if g_s is None else embedded(b, g_s)
    outside: list[A] = []
    left, right = column(b, out_s), row(b, out_s)
    gaps = b.mul(b.sub(right, left), b.add(right, left))
    if g_u is not None:
        turns = b.matmul(turned(b, out_u), g_u)
        skew = _quotient(b, b.sub(turns, turned(b, turns)), gaps, _unused(b, g_u), k)
        inner = _sum(b, inner, b.mul(skew, right))
        if b.shape(out_u)[-2] > k:
            beyond = b.sub(g_u, b.matmul(out_u, turns))
            outside.append(b.matmul(b.div0(beyond, right), out_vh))
    if g_vh is not None:
        g_v = turned(b, g_vh)
        turns = b.matmul(out_vh, g_v)
        skew = _quotient(b, b.sub(turns, turned(b, turns)), gaps, _unused(b, g_v), k)
        inner = _sum(b, inner, b.mul(left, skew))
        if b.shape(v)[-2] > k:
            beyond = b.sub(g_v, b.matmul(v, turns))
            outside.append(b.matmul(out_u, turned(b, b.div0(beyond, right))))
    assert inner is not None
    total = b.matmul(b.matmul(out_u, inner), out_vh)
    for part in outside:
        total = b.add(total, part)
    return total


def _sum(b: Backend[A], x: A | None, y: A) -> A:
    return y if x is None else b.add(x, y)


@gradient("lu", "x")
def lu_x(
    b: Backend[A], g_lower: A | None, g_upper: A | None, out_lower: A, out_upper: A, out_permutation: A
) -> A:
    (m, k), n = b.shape(out_lower)[-2:], b.shape(out_upper)[-1]
    g_lower = b.zeros_like(out_lower) if g_lower is None else b.tril(g_lower, -1)
    g_upper = b.zeros_like(out_upper) if g_upper is None else b.triu(g_upper, 0)
    lower, upper = rows(b, out_lower, 0, k), columns(b, out_upper, 0, k)
    g_l, g_u = rows(b, g_lower, 0, k), columns(b, g_upper, 0, k)
    below = beside = None
    if m > k:  # those rows of lower are those of x times the inverse of upper
        part, g_part = rows(b, out_lower, k, m), rows(b, g_lower, k, m)
        below = turned(b, b.solve_triangular(upper, turned(b, g_part), True))
        g_u = b.sub(g_u, b.matmul(turned(b, part), below))
    if n > k:  # those columns of upper are the inverse of lower times those of x
        part, g_part = columns(b, out_upper, k, n), columns(b, g_upper, k, n)
        beside = b.solve_triangular(turned(b, lower), g_part, True, True)
        g_l = b.sub(g_l, b.matmul(beside, turned(b, part)))
    inner = b.add(b.tril(b.matmul(turned(b, lower), g_l), -1), b.triu(b.matmul(g_u, turned(b, upper)), 0))
    left = b.solve_triangular(turned(b, lower), inner, True, True)
    total = turned(b, b.solve_triangular(upper, turned(b, left), True))
    rank = len(b.shape(total))
    if below is not None:
        total = b.cat([total, below], rank - 2)
    if beside is not None:
        total = b.cat([total, beside], rank - 1)
    where = b.broadcast_to(column(b, out_permutation), b.shape(total))
    return b.scatter_add(b.zeros_like(total), rank - 2, where, total)
