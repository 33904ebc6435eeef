"""The matrix of cofactors: polynomial in the entries, so also where there is no inverse.

Where a matrix is far from singular it is det(x) x^-T. Elsewhere x is turned, by the fixed orthogonal factors of its
singular value decomposition, into a matrix that is diagonal up to what differentiation moves, and the block with
the small values is split off by its Schur complement. The determinant and adjugate of that small block come from
the Faddeev-LeVerrier recursion, which divides by whole numbers only. Every derivative is thus that of a polynomial.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from everygrad_ops.matrix import columns, diagonal_of, identity, rows, spread, turned

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")

SMALL = 1e-4
"""Pivots and singular values below this part of the largest take the careful way."""


def cofactor(b: Backend[A], x: A) -> A:
    """The matrices of cofactors of (..., n, n)."""
    shape = b.shape(x)
    n = shape[-1]
    if n == 0 or 0 in shape:
        return b.mul(x, 1.0)
    if n == 1:
        return b.add(b.mul(x, 0), 1)
    if _is_regular(b, x):
        return b.mul(spread(b, b.det(x)), turned(b, b.inv(x)))
    u, s, vh = b.svd(b.detach(x))
    small = _count_small(b, s)
    turn = b.mul(b.det(u), b.det(vh))
    inner = b.matmul(b.matmul(turned(b, u), x), turned(b, vh))
    split = _cofactor_split(b, inner, n - small)
    return b.mul(spread(b, turn), b.matmul(b.matmul(u, split), vh))


def adjugate(b: Backend[A], x: A) -> tuple[A, A]:
    """(determinant, adjugate) by the Faddeev-LeVerrier recursion: n products, no division by an entry."""
    n = b.shape(x)[-1]
    one = b.broadcast_to(identity(b, n, b.dtype(x)), b.shape(x))
    m = one
    for k in range(1, n + 1):
        product = b.matmul(x, m)
        c = b.mul(b.sum(diagonal_of(b, product), (len(b.shape(x)) - 2,)), -1 / k)
        if k == n:
            sign = -1.0 if n % 2 else 1.0
            return b.mul(c, sign), b.mul(m, -sign)
        m = b.add(product, b.mul(spread(b, c), one))
    raise AssertionError("n is at least 1")


def _cofactor_split(b: Backend[A], x: A, r: int) -> A:
    """The same, of matrices whose first r rows and columns are regular and nearly diagonal."""
    n = b.shape(x)[-1]
    if r == 0:
        return turned(b, adjugate(b, x)[1])
    if r == n:
        return b.mul(spread(b, b.det(x)), turned(b, b.inv(x)))
    top, bottom = rows(b, x, 0, r), rows(b, x, r, n)
    first, right = columns(b, top, 0, r), columns(b, top, r, n)
    left, last = columns(b, bottom, 0, r), columns(b, bottom, r, n)
    inverse = b.inv(first)
    before, after = b.matmul(inverse, right), b.matmul(left, inverse)
    det, adj = adjugate(b, b.sub(last, b.matmul(left, before)))
    corner = b.matmul(before, adj)
    main = b.add(b.mul(spread(b, det), inverse), b.matmul(corner, after))
    whole = b.cat(
        [
            b.cat([main, b.neg(corner)], len(b.shape(x)) - 1),
            b.cat([b.neg(b.matmul(adj, after)), adj], len(b.shape(x)) - 1),
        ],
        len(b.shape(x)) - 2,
    )
    return b.mul(spread(b, b.det(first)), turned(b, whole))


def _is_regular(b: Backend[A], x: A) -> bool:
    value = b.detach(x)
    finite = b.isfinite(value)
    if not bool(b.to_numpy(finite).all()):
        return True  # NaN comes through the inverse, and nothing else is asked for
    pivots = b.abs(diagonal_of(b, b.lu(value)[1]))
    last = len(b.shape(pivots)) - 1
    good = b.gt(b.amin(pivots, (last,), True), b.mul(b.amax(pivots, (last,), True), SMALL))
    return bool(b.to_numpy(good).all())


def _count_small(b: Backend[A], s: A) -> int:
    """The largest number of small singular values in one matrix."""
    last = len(b.shape(s)) - 1
    small = b.le(s, b.mul(b.amax(s, (last,), True), 2 * SMALL))
    return max(int(b.to_numpy(b.sum(small, (last,))).max()), 0)
