"""Cases of max_unpool and of pooling by the p-norm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, BadCall, Case
from everygrad.conformance.cases.pool import distinct, indices_for
from everygrad.conformance.cases.window import Index, count, inside, reads
from everygrad_ops import DTypeError, PoolOptions, ShapeError, pool_options


def max_unpool(x: Array, indices: Array, output_size: Index) -> Array:
    """Value by value; the last stays."""
    out = np.zeros((*x.shape[:2], math.prod(output_size)))
    for i, j, *at in np.ndindex(x.shape):
        out[i, j, indices[(i, j, *at)]] = x[(i, j, *at)]
    return out.reshape(*x.shape[:2], *output_size)


def lp_pool(x: Array, norm_type: float, options: PoolOptions) -> Array:
    """Sums of powers and their roots, element by element."""
    sizes = x.shape[2:]
    out = np.zeros((*x.shape[:2], *count(options.window, sizes, options.ceil_mode)))
    for at, _, place in reads(options.window, sizes, options.ceil_mode):
        if inside(place, sizes):
            for i, j in np.ndindex(x.shape[:2]):
                out[(i, j, *at)] += float(x[(i, j, *place)]) ** norm_type
    for at in np.ndindex(out.shape):
        out[at] = math.copysign(abs(out[at]) ** (1 / norm_type), out[at])
    return out


def _largest(x: Array, *_: Any) -> Array:
    """Of each pair, the larger."""
    return np.where(x[..., ::2] > x[..., 1::2], x[..., ::2], x[..., 1::2])


def _unpool(name: str, x: Index, options: PoolOptions, order: int = 2) -> Case:
    indices = indices_for(x, options)
    return Case(
        "max_unpool",
        name,
        lambda r: (r.normal(size=indices.shape), indices, x[2:]),
        max_unpool,
        exact=True,
        order=order,
    )


def _lp(name: str, x: Index, norm_type: float, options: PoolOptions, order: int = 3) -> Case:
    return Case(
        "lp_pool",
        name,
        lambda r: (r.uniform(0.5, 1.5, size=x), norm_type, options),
        lp_pool,
        terms=2 * math.prod(options.window.kernel_size),
        order=order,
    )


def _line(*values: float) -> Array:
    return np.array([[values]], np.float64)


def _known(name: str, x: Array, norm_type: float, y: Array, g: Array) -> Case:
    return Case(
        "lp_pool",
        name,
        lambda r: (x, norm_type, pool_options(2, rank=1)),
        lambda *_: y,
        scale=25,
        gradients=lambda *_: [g],
        order=1,
    )


_PAIR = pool_options(2, rank=1)
_TWICE = np.array([[[2, 0, 2, 2]]])

CASES = [
    _unpool("1d", (2, 2, 7), pool_options(2, rank=1), order=3),
    _unpool("2d", (1, 2, 5, 6), pool_options((2, 3), rank=2), order=3),
    _unpool("3d", (1, 1, 4, 2, 4), pool_options(2, rank=3), order=3),
    _unpool("batch-0", (0, 2, 4), pool_options(2, rank=1)),
    Case(
        "max_unpool",
        "integers",
        lambda r: (distinct(r, (1, 1, 3)), np.array([[[4, 0, 2]]]), (5,)),
        max_unpool,
        dtypes=(*FLOATS, *INTEGERS),
        exact=True,
    ),
    Case(
        "max_unpool",
        "the-last-of-repeats",
        lambda r: (_line(1, 2, 3, 4), _TWICE, (4,)),
        lambda *_: _line(2, 0, 4, 0),
        exact=True,
        gradients=lambda *_: [_line(0, 1, 0, 1)],
    ),
    _lp("1d", (2, 2, 7), 2, pool_options(3, 2, rank=1)),
    _lp("2d", (1, 2, 5, 4), 3, pool_options((2, 3), 1, rank=2)),
    _lp("3d", (1, 1, 4, 3, 4), 2.5, pool_options(2, rank=3), order=2),
    _lp("sums", (2, 2, 5), 1, pool_options(2, rank=1)),
    _lp("below-1", (1, 2, 4), 0.5, pool_options(2, rank=1), order=2),
    _lp("over-the-edge", (1, 2, 5, 6), 2, pool_options(3, 2, rank=2, ceil_mode=True), order=2),
    _lp("batch-0", (0, 2, 4), 2, pool_options(2, rank=1)),
    Case(
        "lp_pool",
        "signs",
        lambda r: (r.choice([-1, 1], size=(2, 2, 6)) * r.uniform(0.5, 1.5, size=(2, 2, 6)), 2, _PAIR),
        lp_pool,
        terms=4,
    ),
    Case(
        "lp_pool",
        "largest",
        lambda r: (distinct(r, (2, 2, 6)), math.inf, _PAIR),
        _largest,
        exact=True,
    ),
    _known("nothing-has-slope-0", _line(0, 0, 3, 4), 2, _line(0, 5), _line(0, 0, 0.6, 0.8)),
    _known("sums-have-slope-1", _line(0, 0, 3, -3), 1, _line(0, 0), _line(1, 1, 1, 1)),
]


def _bad(name: str, x: Index, norm_type: float, options: Any, error: type[Exception], *words: str) -> BadCall:
    return BadCall("lp_pool", name, lambda r: (r.normal(size=x), norm_type, options), error, words)


def _bad_unpool(name: str, index: Any, size: Index, error: type[Exception], *words: str) -> BadCall:
    return BadCall("max_unpool", name, lambda r: (_line(1, 2), np.array(index), size), error, words)


BAD_CALLS = [
    _bad("norm-type", (1, 1, 4), 0, _PAIR, ValueError, "norm_type=0"),
    _bad("rank", (1, 1, 4, 4), 2, _PAIR, ShapeError, "3 dims"),
    _bad("too-small", (1, 1, 1), 2, _PAIR, ShapeError, "(1,)"),
    BadCall(
        "lp_pool", "integers", lambda r: (np.arange(4).reshape(1, 1, 4), 2, _PAIR), DTypeError, ("int64",)
    ),
    _bad_unpool("index", [[[0, 4]]], (4,), IndexError, "4"),
    _bad_unpool("negative-index", [[[0, -1]]], (4,), IndexError, "-1"),
    _bad_unpool("indices-shape", [[[0]]], (4,), ShapeError, "indices of shape (1, 1, 1)"),
    _bad_unpool("rank", [[[0, 1]]], (4, 4), ShapeError, "output_size=(4, 4)"),
]
