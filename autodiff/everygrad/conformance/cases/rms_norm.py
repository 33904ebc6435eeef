"""Cases of root-mean-square norm and local response norm, to order three."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case, Sampler
from everygrad.conformance.cases.elementwise import fsum
from everygrad.conformance.cases.norm import LOW, WIDE, only_first
from everygrad_ops import DType, ShapeError


def _with_stats(x: Array, shape: tuple[int, ...], weight: Array | None, eps: float) -> tuple[Any, ...]:
    lead = x.shape[: x.ndim - len(shape)]
    out, rstd = np.zeros(x.shape), np.zeros((*lead, *(1 for _ in shape)))
    if not x.size:
        return out, None
    for at in np.ndindex(lead):
        values = [float(v) for v in x[at].flat]
        rstd[at] = 1 / math.sqrt(fsum(v * v for v in values) / len(values) + eps)
        out[at] = x[at] * rstd[at] * (1 if weight is None else weight)
    return out, rstd


def _rms_norm(*args: Any) -> Array:
    out: Array = _with_stats(*args)[0]
    return out


def _backward(
    grad: Array, x: Array, shape: tuple[int, ...], weight: Array | None, eps: float, needs: Any, *_: Any
) -> tuple[Any, ...]:
    gx, gw = np.zeros(x.shape), np.zeros(shape)
    for at in np.ndindex(x.shape[: x.ndim - len(shape)]) if x.size else ():
        values = [float(v) for v in x[at].flat]
        up = [float(v) for v in (grad[at] * (1 if weight is None else weight)).flat]
        square = fsum(v * v for v in values) / len(values) + eps
        along = fsum(a * b for a, b in zip(up, values)) / len(values)
        row = [u / math.sqrt(square) - v * along / square**1.5 for u, v in zip(up, values)]
        gx[at] = np.reshape(row, shape)
        gw += grad[at] * x[at] / math.sqrt(square)
    return tuple(g if need else None for g, need in zip((gx, gw), needs))


def _cases(name: str, size: tuple[int, ...], rank: int, weighted: bool = True) -> list[Case]:
    shape, terms = size[len(size) - rank :], max(math.prod(size), 1)

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=size) * 2 + 0.5, shape, r.normal(size=shape) + 1 if weighted else None, 1e-3

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        x, _, weight, eps = sample(r)
        return r.normal(size=size), x, shape, weight, eps, (True, True), None

    first = only_first(_with_stats)
    order = 3 if all(size) else 0
    return [
        Case("rms_norm", name, sample, _rms_norm, terms=terms, scale=3.0, order=3),
        Case("rms_norm_with_stats", name, sample, _with_stats, WIDE, terms, 3.0, order=order),
        Case("rms_norm_with_stats", f"{name}-low", sample, first, LOW, terms, 3.0, order=0),
        Case("rms_norm_backward", name, backward, _backward, terms=4 * terms, scale=8.0, order=3),
    ]


def _row(name: str, rows: Any, eps: float = 1e-5, scale: float = 1.0, dtypes: Sequence[DType] = WIDE) -> Case:
    x = np.array(rows, np.float64)
    n = x.shape[1]
    return Case("rms_norm", name, lambda r: (x, (n,), None, eps), _rms_norm, dtypes, n, scale, order=0)


def _known_slope() -> Case:
    """f(t) = t / sqrt(t^2 / 2 + 1/2), the first of rms_norm([t, 0], eps 1/2): f' = 1/2 (t^2 / 2 + 1/2)^-1.5."""
    t = 0.7
    root = math.sqrt(t * t / 2 + 0.5)
    weight = np.array([1.0, 2.0])
    known = [np.array([0.5 / root**3, 2 / root]), np.array([t / root, 0.0])]
    return Case(
        "rms_norm",
        "known-slope",
        lambda r: (np.array([t, 0.0]), (2,), weight, 0.5),
        _rms_norm,
        gradients=lambda *_: known,
        terms=4,
    )


def _local_response(x: Array, size: int, alpha: float, beta: float, k: float) -> Array:
    out = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        around = range(max(at[1] - size // 2, 0), min(at[1] + (size - 1) // 2 + 1, x.shape[1]))
        square = fsum(float(x[(at[0], c, *at[2:])]) ** 2 for c in around)
        out[at] = x[at] / (k + alpha / size * square) ** beta
    return out


def _local(name: str, shape: tuple[int, ...], *options: Any) -> Case:
    return Case(
        "local_response_norm",
        name,
        lambda r: (r.normal(size=shape) * 2, *options),
        _local_response,
        terms=8,
        scale=2.0,
        order=3,
    )


CASES = [
    *_cases("matrix", (3, 4), 1),
    *_cases("two-dims", (2, 3, 2), 2),
    *_cases("vector", (5,), 1, False),
    *_cases("no-rows", (0, 3), 1),
    *_cases("no-columns", (3, 0), 1),
    _row("huge", [[1e30, -1e30], [1, 2], [3e37, 1e30]]),
    _row("tiny", [[1e-20, 2e-20, 4e-20], [1e-4, 2e-4, 4e-4]], eps=1e-12),
    _row("zeros-tiny-eps", np.zeros((2, 4)), eps=1e-12, dtypes=(*WIDE, *LOW)),
    _row("low-precision-range", [[200, 300, -400, 100], [250, 251, 252, 254]], dtypes=LOW, scale=2.0),
    _row("not-finite", [[math.nan, 1.0], [1.0, 2.0]]),
    _known_slope(),
    _local("odd", (2, 4, 3), 3, 0.5, 0.75, 1.0),
    _local("even", (1, 3, 2, 2), 2, 0.3, 0.5, 2.0),
    _local("wider-than-x", (1, 2, 3), 5, 0.5, 0.75, 1.0),
    _local("matrix", (2, 3), 1, 0.5, 1.5, 1.0),
    _local("no-batch", (0, 3, 2), 3, 0.5, 0.75, 1.0),
]


def _rms(shape: tuple[int, ...], trailing: tuple[int, ...], weight: Any = None) -> Sampler:
    return lambda r: (np.ones(shape), trailing, weight, 1e-5)


BAD_CALLS = [
    BadCall("rms_norm", "shape", _rms((2, 3), (4,)), ShapeError, ["rms_norm", "(2, 3)", "(4,)"]),
    BadCall("rms_norm", "no-shape", _rms((2, 3), ()), ShapeError),
    BadCall("rms_norm", "weight", _rms((2, 3), (3,), np.ones(2)), ShapeError, ["weight"]),
    BadCall(
        "local_response_norm",
        "size",
        lambda r: (np.ones((1, 2, 3)), 0, 1.0, 1.0, 1.0),
        ShapeError,
        ["size=0"],
    ),
    BadCall("local_response_norm", "rank", lambda r: (np.ones(3), 1, 1.0, 1.0, 1.0), ShapeError, ["(3,)"]),
]
