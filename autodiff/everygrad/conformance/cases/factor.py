"""Cases of factorizations: by loops over columns, and by multiplying the factors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad_ops import DType, DTypeError, ShapeError
from everygrad_ops.errors import LinAlgError

WIDE = (DType.float64, DType.float32)
Sample = Callable[[np.random.Generator], tuple[Array, ...]]


def _each(x: Array, function: Callable[[Array], tuple[Array, ...]], count: int) -> tuple[Array, ...]:
    """`function` of every matrix of `x`."""
    lead = x.shape[:-2]
    found = [function(x[at]) for at in np.ndindex(lead)]
    return tuple(
        np.reshape(np.stack([f[i] for f in found]), (*lead, *found[0][i].shape)) for i in range(count)
    )


def _over(one: Callable[[Array], tuple[Array, ...]], count: int) -> Callable[[Array], tuple[Array, ...]]:
    """`one` as an oracle of batches."""

    def oracle(x: Array) -> tuple[Array, ...]:
        return _each(x, one, count)

    return oracle


def _cholesky_one(x: Array) -> tuple[Array]:
    x = (x + x.T) / 2
    n = len(x)
    out = np.zeros((n, n))
    for i, j in itertools.product(range(n), repeat=2):
        if j <= i:
            rest = x[i, j] - sum(out[i, k] * out[j, k] for k in range(j))
            out[i, j] = math.sqrt(rest) if i == j else rest / out[j, j]
    return (out,)


def _qr_one(x: Array) -> tuple[Array, Array]:
    """Gram-Schmidt, twice per column."""
    m, n = x.shape
    k = min(m, n)
    q, r = np.zeros((m, k)), np.zeros((k, n))
    for j in range(n):
        v = x[:, j].copy()
        for _, i in itertools.product(range(2), range(min(j, k))):
            part = sum(q[a, i] * v[a] for a in range(m))
            r[i, j] += part
            v -= part * q[:, i]
        if j < k:
            r[j, j] = math.sqrt(sum(a * a for a in v))
            q[:, j] = v / r[j, j]
    return q, r


def _eigh_one(x: Array) -> tuple[Array, Array]:
    """Jacobi's rotations."""
    a = (x + x.T) / 2
    n = len(a)
    v = np.array([[float(i == j) for j in range(n)] for i in range(n)])
    for _, (i, j) in itertools.product(range(30), itertools.combinations(range(n), 2)):
        if a[i, j] == 0:
            continue
        angle = 0.5 * math.atan2(2 * a[i, j], a[i, i] - a[j, j])
        c, s = math.cos(angle), math.sin(angle)
        turn = np.array([[float(p == q) for q in range(n)] for p in range(n)])
        turn[[i, i, j, j], [i, j, i, j]] = c, -s, s, c
        a, v = turn.T @ a @ turn, v @ turn
    order = sorted(range(n), key=lambda k: float(a[k, k]))
    v = np.stack([_signed(v[:, k]) for k in order], axis=1)
    return np.array([a[k, k] for k in order]), v


def _signed(v: Array) -> Array:
    size = [abs(float(a)) for a in v]
    first = next(float(a) for a in v if abs(a) >= 0.38 * max(size))
    return v if first > 0 else -v


def _svd_one(x: Array) -> tuple[Array, Array, Array]:
    if x.shape[0] < x.shape[1]:
        u, s, vh = _svd_one(x.T)
        sign = [1.0 if np.array_equal(_signed(w), w) else -1.0 for w in vh]
        return vh.T * sign, s, u.T * np.reshape(sign, (-1, 1))
    values, v = _eigh_one(np.array([[float(np.sum(a * c)) for c in x.T] for a in x.T]))
    s, v = np.sqrt(values[::-1]), v[:, ::-1]
    u = np.stack([sum(x[:, j] * v[j, k] for j in range(len(v))) / s[k] for k in range(len(s))], axis=1)
    sign = [1.0 if np.array_equal(_signed(w), w) else -1.0 for w in u.T]
    return u * sign, s, (v * sign).T


def _lu_one(x: Array) -> tuple[Array, Array, Array]:
    m, n = x.shape
    k = min(m, n)
    a, rows = x.copy(), list(range(m))
    lower = np.zeros((m, k))
    for j in range(k):
        best = max(range(j, m), key=lambda i: abs(a[i, j]))
        for v in (a, lower):
            v[[j, best]] = v[[best, j]]
        rows[j], rows[best] = rows[best], rows[j]
        lower[j, j] = 1
        for i in range(j + 1, m):
            lower[i, j] = a[i, j] / a[j, j]
            a[i] = a[i] - lower[i, j] * a[j]
    upper = np.array([[a[i, j] if i <= j else 0.0 for j in range(n)] for i in range(k)])
    return lower, upper, np.array(rows, np.int64)


def _cholesky(x: Array) -> Array:
    return _each(x, _cholesky_one, 1)[0]


def spread(r: np.random.Generator, *shape: int) -> Array:
    """Matrices with singular values well apart from each other and from 0: the diagonal is heavy."""
    x = 0.4 * r.normal(size=shape)
    k = min(shape[-2:])
    x[..., range(k), range(k)] += 1.0 + 1.3 * np.arange(k)
    return x


def _of(*shape: int) -> Sample:
    return lambda r: (spread(r, *shape),)


def _empty(*shape: int) -> Sample:
    return lambda r: (np.zeros(shape),)


def _shapes(*shapes: tuple[int, ...]) -> Callable[[Array], tuple[Array, ...]]:
    return lambda x: tuple(np.zeros(s) for s in shapes)


def _factors(op: str, one: Any, shape: tuple[int, ...], name: str, **options: Any) -> Case:
    count = {"qr": 2, "eigh": 2, "svd": 3, "lu": 3}[op]
    return Case(op, name, _of(*shape), _over(one, count), terms=16, scale=4.0, **options)


def _line(x: Array) -> Array:
    """The complement of a line in the plane: its direction, turned, with the sign of Householder's reflection."""
    return np.array([[-x[1, 0]], [x[0, 0]]])


def _third(x: Array) -> Array:
    """The cross product of two unit columns."""
    a, c = x[:, 0], x[:, 1]
    return np.array([[a[1] * c[2] - a[2] * c[1]], [a[2] * c[0] - a[0] * c[2]], [a[0] * c[1] - a[1] * c[0]]])


CASES = [
    Case("cholesky", "n-3", _of(3, 3), _cholesky, terms=9, order=3),
    Case("cholesky", "n-1", lambda r: (np.array([[2.25]]),), _cholesky),
    Case("cholesky", "batched", _of(2, 2, 2), _cholesky, terms=4),
    Case("cholesky", "not-symmetric", lambda r: (np.array([[4.0, 3.0], [1.0, 5.0]]),), _cholesky),
    Case("cholesky", "n-0", _empty(2, 0, 0), lambda *_: np.zeros((2, 0, 0))),
    Case("cholesky", "no-batch", _empty(0, 2, 2), lambda *_: np.zeros((0, 2, 2))),
    _factors("qr", _qr_one, (3, 3), "square", order=3, dtypes=WIDE),
    _factors("qr", _qr_one, (4, 2), "tall"),
    _factors("qr", _qr_one, (2, 4), "wide"),
    _factors("qr", _qr_one, (2, 3, 2), "batched"),
    Case("qr", "negative", lambda r: (np.array([[-3.0, 1.0], [-4.0, 2.0]]),), _qr_one, scale=4.0),
    Case("qr", "no-rows", _empty(0, 3), _shapes((0, 0), (0, 3))),
    Case("qr", "no-columns", _empty(2, 3, 0), _shapes((2, 3, 0), (2, 0, 0))),
    _factors("eigh", _eigh_one, (3, 3), "n-3", order=3, dtypes=WIDE),
    _factors("eigh", _eigh_one, (2, 2), "n-2"),
    _factors("eigh", _eigh_one, (2, 3, 3), "batched"),
    Case("eigh", "known", lambda r: (np.array([[2.0, 1.0], [1.0, 2.0]]),), _eigh_one),
    Case("eigh", "n-0", _empty(2, 0, 0), _shapes((2, 0), (2, 0, 0))),
    _factors("svd", _svd_one, (3, 3), "square", order=3, dtypes=WIDE),
    _factors("svd", _svd_one, (4, 2), "tall", dtypes=WIDE),
    _factors("svd", _svd_one, (2, 4), "wide", dtypes=WIDE),
    _factors("svd", _svd_one, (2, 2, 2), "batched"),
    Case("svd", "no-rows", _empty(0, 3), _shapes((0, 0), (0,), (0, 3))),
    Case("svd", "no-batch", _empty(0, 3, 2), _shapes((0, 3, 2), (0, 2), (0, 2, 2))),
    _factors("lu", _lu_one, (3, 3), "square", order=3),
    _factors("lu", _lu_one, (4, 2), "tall"),
    _factors("lu", _lu_one, (2, 4), "wide"),
    _factors("lu", _lu_one, (2, 3, 3), "batched"),
    Case(
        "lu",
        "pivots",
        lambda r: (np.array([[1.0, 2.0, 1.0], [4.0, 3.0, 1.0], [2.0, 5.0, 9.0]]),),
        _lu_one,
        scale=8.0,
        terms=4,
    ),
    Case("lu", "n-0", _empty(0, 0), lambda *_: (np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0, np.int64))),
    Case("orthogonal_complement", "line", lambda r: (np.array([[0.6], [-0.8]]),), _line),
    Case(
        "orthogonal_complement",
        "two-of-three",
        lambda r: (np.array([[2.0, -2.0], [1.0, 2.0], [2.0, 1.0]]) / 3,),
        _third,
        order=0,
    ),
    Case("orthogonal_complement", "none-left", lambda r: (np.eye(2),), lambda *_: np.zeros((2, 0))),
    Case("orthogonal_complement", "of-nothing", _empty(2, 0), lambda *_: np.eye(2)),
]


def _bad(op: str, name: str, x: Array, error: type[Exception] = ShapeError) -> BadCall:
    return BadCall(op, name, lambda r: (x,), error)


BAD_CALLS = [
    *(
        _bad(op, "vector", np.ones(3))
        for op in ("cholesky", "qr", "eigh", "svd", "lu", "orthogonal_complement")
    ),
    *(_bad(op, "not-square", np.ones((2, 3))) for op in ("cholesky", "eigh")),
    *(
        _bad(op, "integers", np.ones((2, 2), np.int64), DTypeError)
        for op in ("cholesky", "qr", "eigh", "svd", "lu")
    ),
    *(
        _bad(op, f"not-finite-{i}", np.array([[v, 1.0], [1.0, 3.0]]), LinAlgError)
        for op in ("cholesky", "qr", "eigh", "svd", "lu")
        for i, v in enumerate((np.nan, np.inf))
    ),
    _bad("cholesky", "indefinite", np.array([[1.0, 2.0], [2.0, 1.0]]), LinAlgError),
    _bad("cholesky", "one-of-a-batch", np.stack([np.eye(2), -np.eye(2)]), LinAlgError),
]
