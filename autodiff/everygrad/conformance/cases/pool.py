"""Cases of pooling at any rank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, BadCall, Case
from everygrad.conformance.cases.window import Index, count, inside, reads
from everygrad_ops import DTypeError, PoolOptions, ShapeError, pool_options

NAN, INF = float("nan"), float("inf")


def avg_weights(options: PoolOptions, sizes: Index) -> dict[tuple[Index, Index], float]:
    """(window, position) -> share of the position in the window's mean."""
    w, taps = options.window, list(reads(options.window, sizes, options.ceil_mode))
    real: dict[Index, int] = {}
    for at, _, place in taps:
        if options.count_include_pad:
            sides = zip(place, sizes, w.padding)
            counts = all(-left <= p < size + right for p, size, (left, right) in sides)
        else:
            counts = inside(place, sizes)
        real[at] = real.get(at, 0) + counts
    return {
        (at, place): 1 / (options.divisor_override or real[at])
        for at, _, place in taps
        if inside(place, sizes)
    }


def avg_pool(x: Array, options: PoolOptions) -> Array:
    """Means, element by element."""
    sizes = x.shape[2:]
    out = np.zeros((*x.shape[:2], *count(options.window, sizes, options.ceil_mode)))
    for (at, place), share in avg_weights(options, sizes).items():
        for i, j in np.ndindex(x.shape[:2]):
            out[(i, j, *at)] += x[(i, j, *place)] * share
    return out


def avg_pool_backward(grad: Array, x_shape: Index, options: PoolOptions) -> Array:
    """The gradient of means, element by element."""
    out = np.zeros(x_shape)
    for (at, place), share in avg_weights(options, x_shape[2:]).items():
        for i, j in np.ndindex(x_shape[:2]):
            out[(i, j, *place)] += grad[(i, j, *at)] * share
    return out


def max_pool(x: Array, options: PoolOptions) -> tuple[Array, Array]:
    """Largest values and where they are, element by element."""
    sizes = x.shape[2:]
    shape = (*x.shape[:2], *count(options.window, sizes, options.ceil_mode))
    values, indices = np.zeros(shape), np.full(shape, -1)
    for at, _, place in reads(options.window, sizes, options.ceil_mode):
        if not inside(place, sizes):
            continue
        flat = 0
        for p, size in zip(place, sizes):
            flat = flat * size + p
        for i, j in np.ndindex(x.shape[:2]):
            here, found, best = (i, j, *at), float(x[(i, j, *place)]), float(values[(i, j, *at)])
            if indices[here] < 0 or found > best or (math.isnan(found) and not math.isnan(best)):
                values[here], indices[here] = found, flat
    return values, indices


def max_pool_backward(grad: Array, indices: Array, x_shape: Index) -> Array:
    """Each upstream value added at its index."""
    out = np.zeros((*x_shape[:2], math.prod(x_shape[2:])))
    for i, j, *at in np.ndindex(grad.shape):
        out[i, j, indices[(i, j, *at)]] += grad[(i, j, *at)]
    return out.reshape(x_shape)


def distinct(r: np.random.Generator, shape: Index) -> Array:
    """Values so far apart that no difference changes which is the largest; of both signs."""
    return r.permutation(math.prod(shape)).reshape(shape) / 4 - math.prod(shape) / 8


def indices_for(x_shape: Index, options: PoolOptions, seed: int = 0) -> Array:
    """Indices that max pooling could give."""
    return max_pool(distinct(np.random.default_rng(seed), x_shape), options)[1]


def _avg(name: str, x: Index, options: PoolOptions, order: int = 2) -> list[Case]:
    grad = (*x[:2], *count(options.window, x[2:], options.ceil_mode))
    taps = math.prod(options.window.kernel_size)
    return [
        Case("avg_pool", name, lambda r: (r.normal(size=x), options), avg_pool, terms=taps, order=order),
        Case(
            "avg_pool_backward",
            name,
            lambda r: (r.normal(size=grad), x, options),
            avg_pool_backward,
            terms=taps,
            order=order,
        ),
    ]


def _max(name: str, x: Index, options: PoolOptions, order: int = 2) -> list[Case]:
    grad = (*x[:2], *count(options.window, x[2:], options.ceil_mode))
    indices = indices_for(x, options)
    dtypes, taps = (*FLOATS, *INTEGERS), math.prod(options.window.kernel_size)
    return [
        Case(
            "max_pool",
            name,
            lambda r: (distinct(r, x), options),
            _values,
            dtypes=dtypes,
            exact=True,
            order=order,
        ),
        Case(
            "max_pool_with_indices",
            name,
            lambda r: (distinct(r, x), options),
            max_pool,
            dtypes=dtypes,
            exact=True,
            order=order,
        ),
        Case(
            "max_pool_with_indices_backward",
            name,
            lambda r: (r.normal(size=grad), indices, x, options),
            _written,
            terms=taps,
            order=order,
        ),
    ]


def _values(x: Array, options: PoolOptions) -> Array:
    return max_pool(x, options)[0]


def _written(grad: Array, indices: Array, x_shape: Index, options: PoolOptions) -> Array:
    return max_pool_backward(grad, indices, x_shape)


def _options(rank: int, *window: Any, **rest: Any) -> PoolOptions:
    return pool_options(*window, rank=rank, **rest)


def _line(*values: float) -> Array:
    return np.array([[values]], np.float64)


def _known(op: str, name: str, x: Array, options: PoolOptions, y: Any, g: Any, dtypes: Any = FLOATS) -> Case:
    """A result and a gradient of its sum that are known."""
    due, grad = np.array(y, np.float64)[None, None], np.array(g, np.float64).reshape(x.shape)
    out = (due, None) if op == "max_pool_with_indices" else due
    return Case(
        op,
        name,
        lambda r: (x, options),
        lambda *_: out,
        dtypes=dtypes,
        scale=16,
        gradients=lambda *_: [grad],
        order=1,
    )


def _both(name: str, x: Array, options: PoolOptions, y: Any, g: Any, dtypes: Any = FLOATS) -> list[Case]:
    ops = ("max_pool", "max_pool_with_indices")
    return [_known(op, name, x, options, y, g, dtypes) for op in ops]


_GRID = np.arange(16.0).reshape(1, 1, 4, 4)
_OVER = _options(2, 3, 2, ceil_mode=True)
_OVER_GRAD = [[1 / 9, 1 / 9, 5 / 18, 1 / 6]] * 2 + [
    [5 / 18, 5 / 18, 25 / 36, 5 / 12],
    [1 / 6, 1 / 6, 5 / 12, 1 / 4],
]
_SIX = _line(1, 2, 3, 4, 5, 6)
_THIRDS = [[[1 / 3, 1, 2 / 3], [4 / 3, 10 / 3, 2], [1, 7 / 3, 4 / 3]]]
_MOD = np.array([[7 * (7 * i + j) % 11 for j in range(7)] for i in range(5)], np.float64)[None, None]
_MOD_GRAD = [[float((i, j) in {(0, 3), (1, 2), (2, 0), (3, 2)}) for j in range(7)] for i in range(5)]

CASES = [
    *_avg("1d", (2, 3, 7), _options(1, 3, 2, 1), order=3),
    *_avg("2d", (2, 2, 5, 4), _options(2, (3, 2), (2, 1), 1), order=3),
    *_avg("3d", (1, 2, 3, 4, 5), _options(3, 2, (1, 2, 2), (0, 1, 1)), order=3),
    *_avg("exclude-pad", (2, 2, 5, 6), _options(2, 3, 2, 1, count_include_pad=False)),
    *_avg("ceil", (1, 2, 6, 5), _options(2, 3, 2, 1, ceil_mode=True)),
    *_avg(
        "ceil-exclude-pad", (1, 2, 6, 5), _options(2, (2, 3), 2, 1, ceil_mode=True, count_include_pad=False)
    ),
    *_avg("ceil-3d", (1, 1, 4, 5, 6), _options(3, 2, 3, 1, ceil_mode=True)),
    *_avg("divisor", (1, 2, 5, 4), _options(2, 2, 1, 1, count_include_pad=False, divisor_override=3)),
    *_avg("divisor-negative", (1, 2, 5), _options(1, 2, divisor_override=-2)),
    *_avg("asymmetric", (2, 2, 4, 5), _options(2, 3, 2, ((0, 1), (1, 0)))),
    *_avg(
        "asymmetric-exclude-pad-ceil",
        (2, 2, 4, 6),
        _options(2, 3, 2, ((1, 0), (0, 1)), ceil_mode=True, count_include_pad=False),
    ),
    *_avg("asymmetric-ceil-last-window-dropped", (1, 1, 4), _options(1, 2, 2, ((0, 1),), ceil_mode=True)),
    *_avg("dilated", (1, 2, 7, 6), _options(2, 2, 2, 1, (3, 2))),
    *_avg("stride-drops-the-end", (1, 2, 8, 7), _options(2, 2, (4, 3))),
    *_avg("kernel-beyond-input", (1, 1, 2, 2, 3), _options(3, 3, 1, 1)),
    *_avg("batch-0", (0, 2, 4, 4), _options(2, 2)),
    *_avg("channels-0", (2, 0, 4, 4), _options(2, 2, 1, ((1, 0), (0, 0)))),
    *_max("1d", (2, 3, 7), _options(1, 3, 2, 1), order=3),
    *_max("2d", (2, 2, 5, 4), _options(2, (3, 2), (2, 1), 1), order=3),
    *_max("3d", (1, 2, 3, 4, 5), _options(3, 2, (1, 2, 2), (0, 1, 1)), order=3),
    *_max("dilated", (1, 2, 7, 6), _options(2, (2, 3), (2, 1), 1, (3, 2))),
    *_max("dilated-wide-padding", (1, 1, 7), _options(1, 2, 1, 2, 4)),
    *_max("ceil", (2, 1, 6, 5), _options(2, 3, 2, 1, ceil_mode=True)),
    *_max("asymmetric-ceil", (1, 2, 5, 6), _options(2, 3, 2, ((1, 0), (0, 1)), ceil_mode=True)),
    *_max("stride-drops-the-end", (1, 2, 8, 7), _options(2, 2, (4, 3))),
    *_max("batch-0", (0, 2, 4, 4), _options(2, 2)),
    *_max("channels-0", (2, 0, 4, 4), _options(2, 2, 1, 1)),
    _known("avg_pool", "overhang-does-not-count", _GRID, _OVER, [[5, 6.5], [11, 12.5]], _OVER_GRAD),
    _known(
        "avg_pool",
        "padding-counts-overhang-does-not",
        _SIX,
        _options(1, 3, 2, 1, ceil_mode=True),
        [1, 3, 5, 3],
        [1 / 3, 2 / 3, 1 / 3, 2 / 3, 1 / 3, 5 / 6],
    ),
    _known(
        "avg_pool",
        "neither-counts",
        _SIX,
        _options(1, 3, 2, 1, ceil_mode=True, count_include_pad=False),
        [1.5, 3, 5, 6],
        [1 / 2, 5 / 6, 1 / 3, 2 / 3, 1 / 3, 4 / 3],
    ),
    _known(
        "avg_pool",
        "override-wins",
        np.array([[[[1.0, 2], [3, 4]]]]),
        _options(2, 2, 1, 1, count_include_pad=False, divisor_override=3),
        _THIRDS[0],
        [[4 / 3] * 2] * 2,
    ),
    _known(
        "avg_pool",
        "same-strided",
        _line(4, 8),
        _options(1, 3, 2, ((0, 1),), count_include_pad=False),
        [6],
        [0.5, 0.5],
    ),
    _known(
        "avg_pool",
        "same",
        _line(2, 4, 6),
        _options(1, 2, 1, ((0, 1),), count_include_pad=False),
        [3, 5, 6],
        [0.5, 1, 1.5],
    ),
    _known("avg_pool", "inf-and-nan", _line(INF, 1, NAN, 1, 1, 1), _options(1, 2), [INF, NAN, 1], [0.5] * 6),
    *_both("dilation-by-axis", _MOD, _options(2, 2, 2, 0, (1, 3)), [[10, 8], [10, 7]], _MOD_GRAD),
    *_both("nan-wins", _line(NAN, 1, 2, 3), _options(1, 2), [NAN, 3], [1, 0, 0, 1]),
    *_both("first-nan", _line(1, NAN, NAN, 3), _options(1, 4, 1, 1), [NAN, NAN, NAN], [0, 3, 0, 0]),
    *_both("padding-never-wins", _line(-5, -5, -5), _options(1, 3, 1, 1), [-5, -5, -5], [2, 1, 0]),
    *_both("lowest-everywhere", _line(-INF, -INF, -INF), _options(1, 3, 1, 1), [-INF] * 3, [2, 1, 0]),
    *_both("inf", _line(INF, 1, -INF, INF), _options(1, 2), [INF, INF], [1, 0, 0, 1]),
    *_both(
        "first-of-ties",
        np.ones((1, 1, 3, 3)),
        _options(2, 2, 1),
        [[1, 1], [1, 1]],
        [[1, 1, 0], [1, 1, 0], [0, 0, 0]],
    ),
    *_both(
        "negative-integers",
        np.array([[[[-1.0, -2], [-3, -4]]]]),
        _options(2, 2, 1, 1),
        [[-1, -1, -2], [-1, -1, -2], [-3, -3, -4]],
        [[4, 2], [2, 1]],
        (*FLOATS, *INTEGERS[:-1]),
    ),
]


def _bad(op: str, name: str, x: Index, options: Any, *words: str) -> BadCall:
    return BadCall(op, name, lambda r: (r.normal(size=x), options()), ShapeError, words)


_IMAGE = (1, 1, 3, 6)
_EACH = ("avg_pool", "max_pool", "max_pool_with_indices")


def _ints(r: np.random.Generator) -> Array:
    return r.integers(0, 9, size=(1, 1, 4))


_GRAD = np.ones((1, 1, 2))


def _bad_index(index: int) -> BadCall:
    return BadCall(
        "max_pool_with_indices_backward",
        f"index-{index}",
        lambda r: (_GRAD, np.array([[[0, index]]]), (1, 1, 4), _options(1, 2)),
        IndexError,
        (str(index), "4"),
    )


BAD_CALLS = [
    *(_bad(op, "too-small", _IMAGE, lambda: _options(2, 6), "(3, 6)", "(0, 1)") for op in _EACH),
    *(_bad(op, "padding", _IMAGE, lambda: _options(2, 3, 1, 2), "half") for op in _EACH),
    *(_bad(op, "rank", (3, 6, 6), lambda: _options(2, 2), "4 dims") for op in _EACH),
    *(_bad(op, "stride-0", _IMAGE, lambda: _options(2, 2, 0), "stride") for op in _EACH),
    *(_bad(op, "kernel-0", _IMAGE, lambda: _options(2, (0, 2)), "kernel_size") for op in _EACH),
    *(_bad(op, "dilation-0", _IMAGE, lambda: _options(2, 2, 1, 0, 0), "dilation") for op in _EACH),
    *(
        _bad(
            op,
            "window-of-padding-only",
            (1, 1, 1, 5),
            lambda: _options(2, 2, 1, (1, 0), (2, 1)),
            "no element",
        )
        for op in _EACH
    ),
    *(_bad(op, "length-0", (1, 1, 0), lambda: _options(1, 2, 1, 1), "no element") for op in _EACH),
    _bad("avg_pool", "divisor-0", _IMAGE, lambda: _options(2, 2, divisor_override=0), "divisor_override"),
    BadCall("avg_pool", "integers", lambda r: (_ints(r), _options(1, 2)), DTypeError, ("int64",)),
    BadCall("avg_pool_backward", "integers", lambda r: (_ints(r), (1, 1, 8), _options(1, 2)), DTypeError),
    BadCall(
        "avg_pool_backward", "grad", lambda r: (_GRAD, (1, 1, 8), _options(1, 2)), ShapeError, ("(1, 1, 4)",)
    ),
    BadCall(
        "max_pool_with_indices_backward",
        "grad",
        lambda r: (_GRAD, np.zeros((1, 1, 2), np.int64), (1, 1, 8), _options(1, 2)),
        ShapeError,
        ("(1, 1, 4)",),
    ),
    BadCall(
        "max_pool_with_indices_backward",
        "indices-shape",
        lambda r: (_GRAD, np.zeros((1, 1, 3), np.int64), (1, 1, 4), _options(1, 2)),
        ShapeError,
        ("(1, 1, 3)",),
    ),
    _bad_index(-1),
    _bad_index(4),
]
