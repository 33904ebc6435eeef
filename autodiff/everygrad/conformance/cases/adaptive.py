"""Cases of adaptive pools: at any rank, and under the names people know."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, BadCall, Case
from everygrad.conformance.cases.pool import distinct, max_pool_backward
from everygrad.conformance.cases.window import Index
from everygrad_ops import DTypeError, ShapeError

NAN, INF = float("nan"), float("inf")


def members(sizes: Index, output_size: Index) -> Iterator[tuple[Index, list[Index]]]:
    """Each window, with the positions that it covers in row-major order."""
    for at in np.ndindex(*output_size):
        spans = [
            range(math.floor(i * length / o), math.ceil((i + 1) * length / o))
            for i, length, o in zip(at, sizes, output_size)
        ]
        yield at, list(itertools.product(*spans))


def avg(x: Array, output_size: Index) -> Array:
    """Means, window by window."""
    out = np.zeros((*x.shape[:2], *output_size))
    for at, places in members(x.shape[2:], output_size):
        for i, j in np.ndindex(x.shape[:2]):
            out[(i, j, *at)] = sum(float(x[(i, j, *p)]) for p in places) / len(places)
    return out


def avg_backward(grad: Array, x_shape: Index) -> Array:
    """Each upstream value spread over its window."""
    out = np.zeros(x_shape)
    for at, places in members(x_shape[2:], grad.shape[2:]):
        for i, j in np.ndindex(x_shape[:2]):
            for p in places:
                out[(i, j, *p)] += grad[(i, j, *at)] / len(places)
    return out


def largest(x: Array, output_size: Index) -> tuple[Array, Array]:
    """Largest values and where they are, window by window; the first NaN wins."""
    values, indices = (
        np.zeros((*x.shape[:2], *output_size)),
        np.zeros((*x.shape[:2], *output_size), np.int64),
    )
    for at, places in members(x.shape[2:], output_size):
        for i, j in np.ndindex(x.shape[:2]):
            best = places[0]
            for p in places[1:]:
                found, seen = float(x[(i, j, *p)]), float(x[(i, j, *best)])
                if not math.isnan(seen) and (math.isnan(found) or found > seen):
                    best = p
            flat = 0
            for step, size in zip(best, x.shape[2:]):
                flat = flat * size + step
            values[(i, j, *at)], indices[(i, j, *at)] = x[(i, j, *best)], flat
    return values, indices


def _largest_alone(x: Array, output_size: Index) -> Array:
    return largest(x, output_size)[0]


def _indices(x_shape: Index, output_size: Index) -> Array:
    return largest(distinct(np.random.default_rng(0), x_shape), output_size)[1]


def _family(name: str, x: Index, output_size: Index, order: int = 2) -> list[Case]:
    grad, dtypes = (*x[:2], *output_size), (*FLOATS, *INTEGERS)
    count, indices = math.prod(x[2:]), _indices(x, output_size)
    return [
        Case(
            "adaptive_avg_pool",
            name,
            lambda r: (r.normal(size=x), output_size),
            avg,
            terms=count,
            order=order,
        ),
        Case(
            "adaptive_avg_pool_backward",
            name,
            lambda r: (r.normal(size=grad), x),
            avg_backward,
            terms=count,
            order=order,
        ),
        Case(
            "adaptive_max_pool",
            name,
            lambda r: (distinct(r, x), output_size),
            _largest_alone,
            dtypes=dtypes,
            exact=True,
            order=order,
        ),
        Case(
            "adaptive_max_pool_with_indices",
            name,
            lambda r: (distinct(r, x), output_size),
            largest,
            dtypes=dtypes,
            exact=True,
            order=order,
        ),
        Case(
            "adaptive_max_pool_with_indices_backward",
            name,
            lambda r: (r.normal(size=grad), indices, x),
            max_pool_backward,
            terms=count,
            order=order,
        ),
    ]


def _named(rank: int, x: Index, output_size: int | Index) -> list[Case]:
    sizes: Index = (output_size,) * rank if isinstance(output_size, int) else output_size
    grad, indices, given = (*x[:2], *sizes), _indices(x, sizes), output_size

    def mean(x: Array, _: Any) -> Array:
        return avg(x, sizes)

    def mean_backward(x: Array, grad: Array) -> Array:
        return avg_backward(grad, x.shape)

    def both(x: Array, _: Any) -> tuple[Array, Array]:
        return largest(x, sizes)

    def alone(x: Array, _: Any) -> Array:
        return largest(x, sizes)[0]

    def max_backward(x: Array, grad: Array, indices: Array) -> Array:
        return max_pool_backward(grad, indices, x.shape)

    def normal(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=x), r.normal(size=grad)

    average, maximum = f"adaptive_avg_pool{rank}d", f"adaptive_max_pool{rank}d"
    back, wrt = f"{maximum}_with_indices_backward", ("grad",)
    return [
        Case(average, "plain", lambda r: (r.normal(size=x), given), mean, terms=30, order=3),
        Case(f"{average}_backward", "plain", normal, mean_backward, terms=30, order=3, wrt=wrt),
        Case(maximum, "plain", lambda r: (distinct(r, x), given), alone, exact=True, order=3),
        Case(
            f"{maximum}_with_indices", "plain", lambda r: (distinct(r, x), given), both, exact=True, order=3
        ),
        Case(back, "plain", lambda r: (*normal(r), indices), max_backward, terms=8, order=3, wrt=wrt),
    ]


def _line(*values: float) -> Array:
    return np.array([[values]], np.float64)


def _known(op: str, name: str, x: Array, size: Index, y: Array, g: Array) -> Case:
    out = (y, None) if op.endswith("indices") else y
    return Case(op, name, lambda r: (x, size), lambda *_: out, scale=4, gradients=lambda *_: [g], order=1)


_MAX = ("adaptive_max_pool", "adaptive_max_pool_with_indices")

CASES = [
    *_family("1d", (2, 3, 7), (3,), order=3),
    *_family("2d", (2, 2, 5, 4), (2, 3), order=3),
    *_family("3d", (1, 2, 4, 3, 5), (3, 2, 2), order=3),
    *_family("even", (2, 2, 6, 4), (3, 2)),
    *_family("few-of-many", (1, 2, 11, 9), (2, 4)),
    *_family("one", (2, 3, 4, 3), (1, 1)),
    *_family("one-row", (2, 3, 4, 3), (1, 2)),
    *_family("all", (1, 2, 3, 4), (3, 4)),
    *_family("more-than-there-are", (1, 2, 2, 3), (5, 4)),
    *_family("batch-0", (0, 2, 3, 3), (2, 2)),
    *_family("channels-0", (2, 0, 3, 3), (1, 1)),
    *_named(1, (2, 2, 7), 3),
    *_named(2, (1, 2, 5, 6), (2, 4)),
    *_named(3, (1, 1, 3, 4, 5), (2, 3, 2)),
    _known(
        "adaptive_avg_pool",
        "ends-are-rounded-up",
        _line(0, 1, 2, 3, 4),
        (3,),
        _line(0.5, 2, 3.5),
        _line(1 / 2, 5 / 6, 1 / 3, 5 / 6, 1 / 2),
    ),
    _known(
        "adaptive_avg_pool",
        "inf-and-nan-stay-in-their-windows",
        _line(INF, 1, 3, NAN, 4),
        (3,),
        _line(INF, NAN, NAN),
        _line(1 / 2, 5 / 6, 1 / 3, 5 / 6, 1 / 2),
    ),
    _known("adaptive_avg_pool", "inf-at-the-end", _line(1, 3, INF), (3,), _line(1, 3, INF), _line(1, 1, 1)),
    *(_known(op, "nan-wins", _line(NAN, 1, 2, 3), (2,), _line(NAN, 3), _line(1, 0, 0, 1)) for op in _MAX),
    *(
        _known(op, "first-nan", _line(1, NAN, NAN, 3, 4), (2,), _line(NAN, NAN), _line(0, 1, 1, 0, 0))
        for op in _MAX
    ),
    *(
        _known(op, "first-of-ties", _line(1, 1, 1, 1, 1), (3,), _line(1, 1, 1), _line(1, 1, 0, 1, 0))
        for op in _MAX
    ),
    *(_known(op, "lowest", _line(-INF, -INF, -INF), (2,), _line(-INF, -INF), _line(1, 1, 0)) for op in _MAX),
]


def _bad(op: str, name: str, x: Index, size: Any, *words: str) -> BadCall:
    return BadCall(op, name, lambda r: (r.normal(size=x), size), ShapeError, words)


_EACH = ("adaptive_avg_pool", "adaptive_max_pool", "adaptive_max_pool_with_indices")
_INTS = np.arange(6).reshape(1, 1, 6)

BAD_CALLS = [
    *(_bad(op, "rank", (2, 3, 4), (2, 2), "4 dims") for op in _EACH),
    *(_bad(op, "output-0", (2, 3, 4), (0,), "at least 1") for op in _EACH),
    *(_bad(op, "length-0", (2, 3, 0), (1,), "elements") for op in _EACH),
    BadCall("adaptive_avg_pool", "integers", lambda r: (_INTS, (2,)), DTypeError, ("int64",)),
    BadCall("adaptive_avg_pool_backward", "integers", lambda r: (_INTS, (1, 1, 8)), DTypeError),
    _bad("adaptive_avg_pool_backward", "channels", (2, 3, 4), (2, 2, 8), "grad"),
    _bad("adaptive_avg_pool_backward", "rank", (2, 3, 4), (2, 3, 4, 4), "grad"),
    BadCall(
        "adaptive_max_pool_with_indices_backward",
        "indices-shape",
        lambda r: (r.normal(size=(1, 1, 2)), _INTS, (1, 1, 6)),
        ShapeError,
        ("indices",),
    ),
    BadCall(
        "adaptive_max_pool_with_indices_backward",
        "index",
        lambda r: (r.normal(size=(1, 1, 2)), np.array([[[0, 6]]]), (1, 1, 6)),
        IndexError,
        ("6",),
    ),
    _bad("adaptive_avg_pool2d", "sizes", (1, 1, 3, 3), (1, 2, 3), "output_size=(1, 2, 3)"),
    _bad("adaptive_max_pool1d", "size-0", (1, 1, 3), 0, "output_size=0"),
    _bad("adaptive_max_pool3d_with_indices", "rank", (1, 1, 3), 1, "5 dims"),
]
