"""Cases of Einstein's sums, the cross product and distances."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case, bad_call
from everygrad_ops import DType, DTypeError, ShapeError

INF = math.inf
WIDE = (DType.float64, DType.float32)


def _einsum(xs: list[Array], equation: str) -> Array:
    """All assignments of the indices, one by one."""
    left, output = equation.split("->")
    terms = left.split(",")
    sizes: dict[str, int] = {}
    for term, x in zip(terms, xs):
        for letter, size in zip(term, x.shape):
            sizes[letter] = size if sizes.get(letter, 1) == 1 else sizes[letter]
    out = np.zeros([sizes[c] for c in output], xs[0].dtype)
    for values in itertools.product(*(range(s) for s in sizes.values())):
        at = dict(zip(sizes, values))
        product = xs[0].dtype.type(1)
        for term, x in zip(terms, xs):
            product = product * x[tuple(at[c] if n > 1 else 0 for c, n in zip(term, x.shape))]
        out[tuple(at[c] for c in output)] += product
    return out


def _sum(name: str, equation: str, *shapes: tuple[int, ...], **options: Any) -> Case:
    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return [r.normal(size=s) for s in shapes], equation

    return Case("einsum", name, sample, _einsum, terms=64, scale=4.0, **options)


def _cross(x: Array, y: Array, dim: int) -> Array:
    x, y = np.broadcast_arrays(x, y)
    out = np.zeros(x.shape, x.dtype)
    for at in np.ndindex(*x.shape[:dim], *x.shape[dim + 1 :]):
        a, c, o = (v[(*at[:dim], slice(None), *at[dim:])] for v in (x, y, out))
        o[:] = [a[1] * c[2] - a[2] * c[1], a[2] * c[0] - a[0] * c[2], a[0] * c[1] - a[1] * c[0]]
    return out


def _norm(v: Array, p: float) -> float:
    size = [abs(float(a)) for a in v]
    if p == 0:
        return float(sum(a != 0 for a in size))
    if p == INF:
        return float(np.max(size, initial=0.0))  # NaN wins
    return float(math.fsum(a**p for a in size) ** (1 / p))


def _cdist(x: Array, y: Array, p: float) -> Array:
    lead = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x, y = np.broadcast_to(x, (*lead, *x.shape[-2:])), np.broadcast_to(y, (*lead, *y.shape[-2:]))
    out = np.zeros((*lead, x.shape[-2], y.shape[-2]))
    for at in np.ndindex(out.shape):
        *l, i, j = at
        out[at] = _norm(x[(*l, i)] - y[(*l, j)], p)
    return out


def _cdist_backward(grad: Array, x: Array, y: Array, p: float) -> Array:
    out = np.zeros(x.shape)
    rows = np.broadcast_to(x, (*grad.shape[:-1], x.shape[-1]))
    for at in np.ndindex(grad.shape):
        *l, i, j = at
        apart = rows[(*l, i)] - np.broadcast_to(y, (*grad.shape[:-2], *y.shape[-2:]))[(*l, j)]
        size = _norm(apart, p)
        for k, v in enumerate(apart):
            if v == 0 or p == 0:
                continue
            slope = float(abs(v) == size) if p == INF else (abs(v) / size) ** (p - 1)
            out[(*(l if x.ndim > 2 else ()), i, k)] += grad[at] * slope * (1 if v > 0 else -1)
    return out


def _pdist(x: Array, p: float) -> Array:
    return np.array([_norm(a - c, p) for a, c in itertools.combinations(x, 2)], np.float64)


def _draw(*shapes: tuple[int, ...], **options: Any) -> Callable[[np.random.Generator], tuple[Any, ...]]:
    return lambda r: (*(r.normal(size=s) for s in shapes), *options.values())


def _same_rows(x: Array, y: Array, p: float) -> list[Array]:
    """Gradients of the sum of distances between [0, 0] and [3, 4], each with each."""
    return [np.array([[-0.6, -0.8], [0.6, 0.8]]), np.array([[-0.6, -0.8], [0.6, 0.8]])]


CASES = [
    _sum("product", "ij,jk->ik", (2, 3), (3, 4), order=3),
    _sum("transposed", "ij->ji", (2, 3)),
    _sum("trace", "ii->", (3, 3)),
    _sum("diagonal", "iji->ij", (2, 3, 2)),
    _sum("thrice", "iii->i", (2, 2, 2)),
    _sum("total", "ij->", (2, 3)),
    _sum("dot", "i,i->", (4,), (4,)),
    _sum("outer", "i,j->ji", (2,), (3,)),
    _sum("hadamard", "ij,ij->ij", (2, 3), (2, 3)),
    _sum("batched", "bij,bkj->bik", (2, 2, 3), (2, 2, 3)),
    _sum("alone-in-one", "ij,k->i", (2, 3), (2,)),
    _sum("one-operand-sums", "ijk->j", (2, 3, 2)),
    _sum("three", "ij,jk,kl->il", (2, 3), (3, 2), (2, 4)),
    _sum("four", "ab,bc,cd,da->", (2, 2), (2, 3), (3, 2), (2, 2)),
    _sum("shared-by-three", "i,i,i->i", (3,), (3,), (3,)),
    _sum("bilinear", "bi,oij,bj->bo", (2, 2), (3, 2, 2), (2, 2)),
    _sum("stretched", "ij,jk->ik", (2, 1), (3, 4)),
    _sum("stretched-batch", "bij,bjk->bik", (1, 2, 3), (2, 3, 2)),
    _sum("stretched-alone", "ij,ij->ij", (2, 1), (1, 3)),
    _sum("stretched-diagonal", "ii->i", (1, 3)),
    _sum("capitals", "Aa,aB->BA", (2, 3), (3, 2)),
    _sum("rank-0", ",i->i", (), (3,)),
    _sum("size-0", "ij,jk->ik", (2, 0), (0, 3)),
    _sum("empty-batch", "bi,bi->b", (0, 3), (0, 3)),
    Case(
        "einsum",
        "integers",
        lambda r: ([r.integers(-3, 4, size=(2, 3)) * 1.0, r.integers(-3, 4, size=(3, 2)) * 1.0], "ij,jk->k"),
        _einsum,
        dtypes=(DType.int64, DType.int32, DType.int8),
        exact=True,
        order=0,
    ),
    Case("cross", "vectors", _draw((3,), (3,), dim=0), _cross, terms=2, scale=4.0),
    Case("cross", "first-dim", _draw((3, 2), (3, 2), dim=0), _cross, terms=2, scale=4.0),
    # the gradient has the operand's shape
    Case("cross", "stretched", _draw((2, 1, 3), (1, 4, 3), dim=2), _cross, terms=2, scale=4.0),
    Case("cross", "middle", _draw((2, 3, 1), (1, 3, 2), dim=1), _cross, terms=2, scale=4.0),
    Case("cross", "size-0", _draw((0, 3), (1, 3), dim=1), _cross),
    Case(
        "cross",
        "integers",
        lambda r: (r.integers(-5, 6, size=(2, 3)) * 1.0, r.integers(-5, 6, size=(2, 3)) * 1.0, 1),
        _cross,
        dtypes=(DType.int64, DType.int32),
        exact=True,
        order=0,
    ),
    *(
        Case("cdist", f"p-{p}", _draw((2, 3), (4, 3), p=p), _cdist, terms=3, scale=2.0, order=3)
        for p in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, INF)
    ),
    Case("cdist", "stretched", _draw((2, 1, 2, 3), (3, 1, 3), p=2.0), _cdist, terms=3, scale=2.0),
    Case("cdist", "no-columns", _draw((2, 0), (3, 0), p=2.0), _cdist),
    Case("cdist", "no-rows", _draw((0, 2), (3, 2), p=2.0), _cdist),
    Case("cdist", "no-batch", _draw((0, 2, 2), (3, 2), p=1.0), _cdist),
    Case(
        "cdist",
        "equal-rows",
        lambda r: (np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 0.0], [3.0, 4.0]]), 2.0),
        _cdist,
        gradients=_same_rows,
    ),
    # a product of matrices would cancel: these rows are near to each other and far from 0
    Case(
        "cdist",
        "near-rows",
        lambda r: (1000 + np.array([[0.0, 0.25]]), 1000 + np.array([[0.25, 0.5], [0.0, 0.5]]), 2.0),
        _cdist,
        dtypes=WIDE,
        scale=0.1,
    ),
    *(
        Case(
            "cdist_backward",
            f"p-{p}",
            _draw((2, 4), (2, 3), (4, 3), p=p),
            _cdist_backward,
            terms=4,
            scale=2.0,
        )
        for p in (0.0, 1.0, 1.5, 2.0, 3.0, INF)
    ),
    Case("cdist_backward", "stretched", _draw((2, 2, 4), (2, 3), (2, 4, 3), p=2.0), _cdist_backward, terms=8),
    Case("cdist_backward", "no-rows", _draw((0, 3), (0, 2), (3, 2), p=2.0), _cdist_backward),
    *(
        Case("pdist", f"p-{p}", _draw((4, 3), p=p), _pdist, terms=3, scale=2.0)
        for p in (0.0, 1.0, 2.0, 3.0, INF)
    ),
    Case("pdist", "one-row", _draw((1, 3), p=2.0), _pdist),
    Case("pdist", "no-rows", _draw((0, 3), p=2.0), _pdist),
    Case(
        "pdist",
        "equal-rows",
        lambda r: (np.array([[1.0, 2.0], [1.0, 2.0], [4.0, 6.0]]), 2.0),
        _pdist,
        gradients=lambda *_: [np.array([[-0.6, -0.8], [-0.6, -0.8], [1.2, 1.6]])],
    ),
]


def _bad_sum(name: str, equation: str, *shapes: tuple[int, ...]) -> BadCall:
    return BadCall("einsum", name, lambda r: ([np.ones(s) for s in shapes], equation), ShapeError, [equation])


BAD_CALLS = [
    _bad_sum("sizes", "ij,jk->ik", (2, 3), (4, 5)),
    _bad_sum("terms", "ij,jk->ik", (2, 3)),
    _bad_sum("ranks", "ij->i", (2, 3, 4)),
    _bad_sum("unknown-letter", "ij->k", (2, 3)),
    _bad_sum("twice-in-result", "ij->ii", (2, 3)),
    _bad_sum("no-arrow", "ij,jk", (2, 3), (3, 2)),
    _bad_sum("dots", "...i->i", (2, 3)),
    bad_call("einsum", "dtypes", [np.ones(2), np.ones(2, np.float32)], "i,i->", error=DTypeError),
    bad_call("cross", "size", np.ones((2, 2)), np.ones((2, 3)), 1),
    bad_call("cross", "ranks", np.ones((2, 3)), np.ones(3), 1),
    bad_call("cross", "stretch", np.ones((2, 3)), np.ones((4, 3)), 1),
    bad_call("cross", "dim", np.ones((2, 3)), np.ones((2, 3)), 2),
    bad_call("cross", "dtypes", np.ones(3), np.ones(3, np.float32), 0, error=DTypeError),
    bad_call("cross", "booleans", np.ones(3, bool), np.ones(3, bool), 0, error=DTypeError),
    bad_call("cdist", "columns", np.ones((2, 3)), np.ones((2, 4)), 2.0),
    bad_call("cdist", "vector", np.ones(3), np.ones((2, 3)), 2.0),
    bad_call("cdist", "negative-p", np.ones((2, 3)), np.ones((2, 3)), -1.0),
    bad_call("cdist", "dtypes", np.ones((2, 3)), np.ones((2, 3), np.float32), 2.0, error=DTypeError),
    bad_call("cdist_backward", "columns", np.ones((2, 2)), np.ones((2, 3)), np.ones((2, 4)), 2.0),
    bad_call("pdist", "rank", np.ones((2, 2, 3)), 2.0),
    bad_call("pdist", "negative-p", np.ones((2, 3)), -1.0),
]
