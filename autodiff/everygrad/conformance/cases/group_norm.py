"""Cases of group and instance norm: plain, ill-conditioned, constant, empty; to order three."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case, Sampler
from everygrad.conformance.cases.norm import EVERY, LOW, WIDE, only_first, slopes, standardised
from everygrad_ops import DType, ShapeError


def _groups(x: Array, groups: int) -> Iterator[tuple[int, int, list[tuple[int, ...]]]]:
    """(sample, group, the places of its elements)"""
    size = x.shape[1] // groups
    for n in range(x.shape[0]):
        for g in range(groups):
            yield n, g, [at for at in np.ndindex(x.shape) if at[0] == n and at[1] // max(size, 1) == g]


def _with_stats(
    x: Array, groups: int, weight: Array | None, bias: Array | None, eps: float
) -> tuple[Array, Array | None, Array | None]:
    out, stats = np.zeros(x.shape), np.zeros((2, x.shape[0], groups))
    if not x.size:
        return out, None, None
    for n, g, places in _groups(x, groups):
        normed, mean, _, rstd = standardised([float(x[at]) for at in places], eps)
        stats[:, n, g] = mean, rstd
        for at, v in zip(places, normed):
            c = at[1]
            out[at] = v * (1 if weight is None else weight[c]) + (0 if bias is None else bias[c])
    return out, stats[0], stats[1]


def _group_norm(*args: Any) -> Array:
    return _with_stats(*args)[0]


def _instance_norm(x: Array, weight: Array | None, bias: Array | None, eps: float) -> Array:
    return _with_stats(x, x.shape[1], weight, bias, eps)[0]


def _backward(
    grad: Array, x: Array, groups: int, weight: Array | None, eps: float, needs: Sequence[bool], *_: Any
) -> tuple[Any, ...]:
    gx, gw, gb = np.zeros(x.shape), np.zeros(x.shape[1]), np.zeros(x.shape[1])
    for _n, _g, places in _groups(x, groups) if x.size else ():
        values, up = [float(x[at]) for at in places], [float(grad[at]) for at in places]
        scale = [1.0 if weight is None else float(weight[at[1]]) for at in places]
        normed = standardised(values, eps)[0]
        for at, v, u, s in zip(places, normed, up, slopes([a * b for a, b in zip(up, scale)], values, eps)):
            gx[at] = s
            gw[at[1]] += u * v
            gb[at[1]] += u
    return tuple(g if need else None for g, need in zip((gx, gw, gb), needs))


def _cases(name: str, size: tuple[int, ...], groups: int, affine: str = "wb") -> list[Case]:
    c, terms = size[1], max(math.prod(size), 1)

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        weight = r.normal(size=c) + 1 if "w" in affine else None
        bias = r.normal(size=c) if "b" in affine else None
        return r.normal(size=size) * 2 + 0.5, groups, weight, bias, 1e-3

    def instance(r: np.random.Generator) -> tuple[Any, ...]:
        x, _, weight, bias, eps = sample(r)
        return x, weight, bias, eps

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        x, _, weight, _, eps = sample(r)
        return r.normal(size=size), x, groups, weight, eps, EVERY, None, None

    first = only_first(_with_stats)
    return [
        Case("group_norm", name, sample, _group_norm, terms=terms, scale=3.0, order=3),
        Case("instance_norm", name, instance, _instance_norm, terms=terms, scale=3.0, order=3),
        Case(
            "group_norm_with_stats", name, sample, _with_stats, WIDE, terms, 3.0, order=3 if all(size) else 0
        ),
        Case("group_norm_with_stats", f"{name}-low", sample, first, LOW, terms, 3.0, order=0),
        Case("group_norm_backward", name, backward, _backward, terms=4 * terms, scale=8.0, order=3),
    ]


def _rows(
    name: str, rows: Any, eps: float = 1e-5, scale: float = 1.0, dtypes: Sequence[DType] = WIDE
) -> list[Case]:
    """Hard rows as the groups of two samples, and as instances."""
    row = np.array(rows, np.float64)
    n = row.shape[1]
    x = np.stack([row, row[::-1]])  # (2, channels, n): one channel to a group
    groups, plain = len(row), (None, None, eps)
    return [
        Case("group_norm", name, lambda r: (x, groups, *plain), _group_norm, dtypes, n, scale, order=0),
        Case("instance_norm", name, lambda r: (x, *plain), _instance_norm, dtypes, n, scale, order=0),
    ]


def _known_slope() -> list[Case]:
    """sum(norm([t, 0]) * [1, 2]) = -t / sqrt(1 + t^2) with eps 1/4: f' = -(1 + t^2)^-1.5."""
    t = 0.7
    slope = -((1 + t * t) ** -1.5)
    x, weight = np.array([[t, 0.0]]), np.array([1.0, 2.0])
    known = [np.array([[slope, -slope]]), np.array([t, -t]) / math.sqrt(1 + t * t)]
    return [
        Case(
            "group_norm",
            "known-slope",
            lambda r: (x, 1, weight, None, 0.25),
            _group_norm,
            gradients=lambda *_: known,
            terms=4,
        )
    ]


CASES = [
    *_cases("1d", (2, 4, 3), 2),
    *_cases("2d", (2, 6, 2, 3), 3, "w"),
    *_cases("3d", (1, 2, 1, 3, 2), 1, ""),
    *_cases("matrix", (3, 4), 2, "b"),
    *_cases("no-batch", (0, 4, 2), 2),
    *_cases("no-elements", (2, 4, 0), 2),
    *_rows("cancellation", [[4096, 4097, 4098, 4099], [1, 2, 3, 4]]),
    *_rows("huge", [[1e30, -1e30], [1, 2], [3e37, 1e30]]),
    *_rows("constant", [[1e10] * 7, [0.1] * 7, [3.0] * 7]),
    *_rows("zeros-tiny-eps", np.zeros((2, 4)), eps=1e-12, dtypes=(*WIDE, *LOW)),
    *_rows("not-finite", [[math.nan, 1.0], [1.0, 2.0]]),
    *_rows("low-precision-range", [[200, 300, -400, 100], [250, 251, 252, 254]], dtypes=LOW, scale=2.0),
    *_known_slope(),
]


def _call(shape: tuple[int, ...], groups: int, weight: Any = None) -> Sampler:
    return lambda r: (np.ones(shape), groups, weight, None, 1e-5)


BAD_CALLS = [
    BadCall("group_norm", "groups", _call((2, 4, 3), 3), ShapeError, ["groups=3", "(2, 4, 3)"]),
    BadCall("group_norm", "no-groups", _call((2, 4, 3), 0), ShapeError, ["groups=0"]),
    BadCall("group_norm", "rank", _call((4,), 2), ShapeError, ["(4,)"]),
    BadCall("group_norm", "weight", _call((2, 4, 3), 2, np.ones(3)), ShapeError, ["weight"]),
    BadCall(
        "instance_norm",
        "rank",
        lambda r: (np.ones(3), None, None, 1e-5),
        ShapeError,
        ["instance_norm", "(3,)"],
    ),
]
