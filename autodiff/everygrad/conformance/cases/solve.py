"""Cases of linear systems, inverses and determinants: Cramer's rule and sums over permutations."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, Case, Sampler, bad_call
from everygrad.conformance.cases.elementwise import fsum
from everygrad.conformance.cases.factor import spread
from everygrad_ops import DType, DTypeError
from everygrad_ops.errors import LinAlgError

WIDE = (DType.float64, DType.float32)


def _sign(order: tuple[int, ...]) -> int:
    return -1 if sum(a > b for a, b in itertools.combinations(order, 2)) % 2 else 1


def _det_one(x: Array) -> float:
    n = len(x)
    orders = itertools.permutations(range(n))
    terms = (_sign(o) * math.prod(float(x[i, j]) for i, j in enumerate(o)) for o in orders)
    return float(fsum(terms))


def _minor(x: Array, i: int, j: int) -> float:
    n = len(x)
    kept = x[[r for r in range(n) if r != i]][:, [c for c in range(n) if c != j]]
    return (-1 if (i + j) % 2 else 1) * _det_one(kept)


def _cofactors_one(x: Array) -> Array:
    n = len(x)
    return np.array([[_minor(x, i, j) for j in range(n)] for i in range(n)]).reshape(n, n)


def _det(x: Array) -> Array:
    out = np.zeros(x.shape[:-2])
    for at in np.ndindex(out.shape):
        out[at] = _det_one(x[at])
    return out


def _cofactors(x: Array) -> Array:
    out = np.zeros(x.shape)
    for at in np.ndindex(x.shape[:-2]):
        out[at] = _cofactors_one(x[at])
    return out


def _inv(x: Array) -> Array:
    out = np.zeros(x.shape)
    for at in np.ndindex(x.shape[:-2]):
        out[at] = _cofactors_one(x[at]).T / _det_one(x[at])
    return out


def _solve(x: Array, y: Array) -> Array:
    lead = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x, y = np.broadcast_to(x, (*lead, *x.shape[-2:])), np.broadcast_to(y, (*lead, *y.shape[-2:]))
    inverse = _inv(x)
    out = np.zeros(y.shape)
    for at in np.ndindex(out.shape):
        *l, i, j = at
        out[at] = fsum(inverse[(*l, i, k)] * y[(*l, k, j)] for k in range(x.shape[-1]))
    return out


def _triangular(x: Array, y: Array, upper: bool, unit: bool = False) -> Array:
    n = x.shape[-1]
    part = np.zeros(x.shape)
    for i, j in itertools.product(range(n), repeat=2):
        if i == j:
            part[..., i, j] = 1 if unit else x[..., i, j]
        elif (i < j) == upper:
            part[..., i, j] = x[..., i, j]
    return _solve(part, y)


def _slogdet(x: Array) -> tuple[Array, Array]:
    det = _det(x)
    flat = [float(v) for v in det.flat]
    sign = [v if math.isnan(v) else (v > 0) - (v < 0) for v in flat]
    logs = [math.log(abs(v)) if v else -math.inf for v in flat]
    return np.reshape(np.array(sign, np.float64), det.shape), np.reshape(logs, det.shape).astype(np.float64)


def _pinv(x: Array, rtol: float) -> Array:
    """Of independent columns, or rows: by the inverse of the products of all pairs."""
    if x.shape[-2] < x.shape[-1]:
        return np.swapaxes(_pinv(np.swapaxes(x, -1, -2), rtol), -1, -2)
    m, n = x.shape[-2:]
    gram = np.array([[fsum(x[k, i] * x[k, j] for k in range(m)) for j in range(n)] for i in range(n)])
    return _solve(gram, x.T)


def _exp(x: Array) -> Array:
    out = np.zeros(x.shape)
    for at in np.ndindex(x.shape[:-2]):
        term = total = np.array([[float(i == j) for j in range(len(x[at]))] for i in range(len(x[at]))])
        for k in range(1, 60):
            term = np.array([[fsum(a * c) for c in x[at].T] for a in term]).reshape(term.shape) / k
            total = total + term
        out[at] = total
    return out


def _system(*shapes: tuple[int, ...], options: tuple[Any, ...] = ()) -> Sampler:
    return lambda r: (spread(r, *shapes[0]), *(r.normal(size=s) for s in shapes[1:]), *options)


def _case(
    op: str,
    name: str,
    oracle: Any,
    *shapes: tuple[int, ...],
    given: tuple[Any, ...] = (),
    scale: float = 4.0,
    **options: Any,
) -> Case:
    return Case(op, name, _system(*shapes, options=given), oracle, terms=16, scale=scale, **options)


def _of(x: Any) -> Sampler:
    return lambda r: (np.array(x, np.float64),)


RANK_1 = np.outer([1.0, 2.0, -1.0], [3.0, 1.0, 2.0])
RANK_2 = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
ROTATED = [[0.6, -0.8], [0.8, 0.6]]

CASES = [
    _case("solve", "n-3", _solve, (3, 3), (3, 2), order=3),
    _case("solve", "batched", _solve, (2, 2, 2), (2, 2, 1)),
    _case("solve", "one-matrix", _solve, (2, 2), (3, 2, 1)),
    _case("solve", "one-right-side", _solve, (3, 2, 2), (2, 2)),
    _case("solve", "no-columns", _solve, (2, 2), (2, 0)),
    _case("solve", "n-0", _solve, (0, 0), (0, 2)),
    _case("solve_triangular", "lower", _triangular, (3, 3), (3, 2), given=(False,), order=3),
    _case("solve_triangular", "upper", _triangular, (3, 3), (3, 2), given=(True,)),
    _case("solve_triangular", "unit-lower", _triangular, (3, 3), (3, 1), given=(False, True)),
    _case("solve_triangular", "unit-upper", _triangular, (2, 2, 2), (2, 2, 2), given=(True, True)),
    _case("solve_triangular", "stretched", _triangular, (2, 2), (3, 2, 1), given=(True, False)),
    _case("solve_triangular", "n-0", _triangular, (0, 0), (0, 2), given=(True,)),
    _case("inv", "n-3", _inv, (3, 3), order=3),
    _case("inv", "batched", _inv, (2, 2, 2)),
    _case("inv", "n-1", _inv, (1, 1)),
    Case("inv", "no-batch", lambda r: (np.zeros((0, 2, 2)),), _inv),
    _case("pinv", "square", _pinv, (2, 2), given=(1e-9,), dtypes=WIDE),
    _case("pinv", "tall", _pinv, (3, 2), given=(1e-9,), dtypes=WIDE, order=3),
    _case("pinv", "wide", _pinv, (2, 3), given=(1e-9,)),
    Case(
        "pinv",
        "rank-1",  # outer(u, v) has outer(v, u) / (u.u v.v)
        lambda r: (np.outer([1.0, 2.0], [3.0, 4.0]), 1e-3),
        lambda *_: np.outer([3.0, 4.0], [1.0, 2.0]) / 125,
        terms=4,
        order=0,
    ),
    Case("pinv", "nothing", lambda r: (np.zeros((0, 3)), 1e-9), lambda *_: np.zeros((3, 0))),
    _case("slogdet", "n-3", _slogdet, (3, 3), order=3),
    _case("slogdet", "batched", _slogdet, (2, 2, 2)),
    Case("slogdet", "negative", _of([[1.0, 2.0], [3.0, 4.0]]), _slogdet, terms=4),
    Case("slogdet", "singular", _of([[1.0, 2.0], [2.0, 4.0]]), _slogdet, order=0),
    Case("slogdet", "n-0", lambda r: (np.zeros((2, 0, 0)),), _slogdet),
    _case("det", "n-3", _det, (3, 3), order=3),
    _case("det", "n-1", _det, (2, 1, 1)),
    _case("det", "batched", _det, (2, 2, 3, 3)),
    Case("det", "n-0", lambda r: (np.zeros((0, 0)),), _det),
    Case("det", "turned", _of(ROTATED), _det, terms=4, order=3),
    Case("det", "rank-n-1", _of(RANK_2), _det, terms=9, scale=200.0, order=3),
    Case(
        "det",
        "rank-n-2",
        _of(RANK_1),
        _det,
        gradients=lambda *_: [np.zeros((3, 3))],
        terms=9,
        scale=20.0,
    ),
    Case("det", "zeros", lambda r: (np.zeros((3, 3)),), _det, order=3),
    Case("det", "mixed-batch", _of([RANK_1, RANK_2, np.diag([1.0, 2, 3])]), _det, terms=9, scale=200.0),
    Case(
        "det",
        "known-at-rank-n-1",
        _of(np.diag([2.0, 3.0, 0.0])),
        _det,
        gradients=lambda *_: [np.diag([0.0, 0.0, 6.0])],
        scale=6.0,
    ),
    _case("cofactors", "n-3", _cofactors, (3, 3)),
    _case("cofactors", "n-1", _cofactors, (2, 1, 1)),
    _case("cofactors", "n-0", _cofactors, (2, 0, 0)),
    Case("cofactors", "rank-n-1", _of(RANK_2), _cofactors, terms=9, scale=200.0),
    Case("cofactors", "rank-n-2", _of(RANK_1), _cofactors, terms=9, scale=20.0),
    Case("cofactors", "zeros", lambda r: (np.zeros((2, 3, 3)),), _cofactors),
    Case(
        "cofactors",
        "nearly-singular",
        _of([[1.0, 2.0], [2.0, 4.0 + 2.0**-18]]),
        _cofactors,
        terms=4,
        scale=8.0,
    ),
    _case("matrix_exp", "n-2", _exp, (2, 2), dtypes=WIDE),
    _case("matrix_exp", "batched", _exp, (2, 2, 2), dtypes=WIDE, scale=200.0),
    Case("matrix_exp", "nilpotent", _of([[0.0, 3.0], [0.0, 0.0]]), _exp, terms=4),
    Case("matrix_exp", "zeros", lambda r: (np.zeros((3, 3)),), _exp, order=3),
    Case("matrix_exp", "n-0", lambda r: (np.zeros((2, 0, 0)),), _exp),
]


SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])
BAD_CALLS = [
    bad_call("solve", "singular", SINGULAR, np.ones((2, 1)), error=LinAlgError),
    bad_call("solve", "one-of-a-batch", np.stack([np.eye(2), SINGULAR]), np.ones((2, 1)), error=LinAlgError),
    bad_call("solve", "rows", np.eye(2), np.ones((3, 1))),
    bad_call("solve", "vector", np.eye(2), np.ones(2)),
    bad_call("solve", "batch", np.ones((2, 1, 1)), np.ones((3, 1, 1))),
    bad_call("solve", "dtypes", np.eye(2), np.ones((2, 1), np.float32), error=DTypeError),
    bad_call("solve", "integers", np.eye(2, dtype=np.int64), np.ones((2, 1), np.int64), error=DTypeError),
    bad_call(
        "solve_triangular",
        "zero",
        np.array([[1.0, 5.0], [3.0, 0.0]]),
        np.ones((2, 1)),
        True,
        error=LinAlgError,
    ),
    bad_call("solve_triangular", "rows", np.eye(2), np.ones((3, 1)), True),
    bad_call("inv", "singular", SINGULAR, error=LinAlgError),
    bad_call("inv", "not-square", np.ones((2, 3))),
    bad_call("pinv", "vector", np.ones(3), 1e-9),
    bad_call("pinv", "not-finite", np.array([[np.nan, 1.0]]), 1e-9, error=LinAlgError),
    bad_call("slogdet", "not-square", np.ones((2, 3))),
    bad_call("det", "not-square", np.ones((2, 3))),
    bad_call("det", "vector", np.ones(3)),
    bad_call("det", "integers", np.eye(2, dtype=np.int64), error=DTypeError),
    bad_call("cofactors", "not-square", np.ones((2, 3))),
    bad_call("matrix_exp", "not-square", np.ones((2, 3))),
]
