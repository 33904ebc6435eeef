"""Cases of writes that meet, in every mode."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, Case
from everygrad.conformance.cases.index_put import INDEX, places_of
from everygrad.conformance.cases.indexing import (
    GATHER,
    NUMBERS,
    SELECT,
    always,
    bad,
    ints,
    positions,
    wrong_indices,
)
from everygrad_ops import DTypeError, ShapeError

Place = tuple[int, ...]
_ones = np.ones


def extreme(values: Sequence[float], sign: int) -> float:
    """The largest (sign 1) or smallest value; NaN wins."""
    best = values[0]
    for v in values[1:]:
        best = best if math.isnan(best) else v if math.isnan(v) or sign * v > sign * best else best
    return best


def _reduced(mode: str, values: Sequence[float]) -> float:
    by_mode: dict[str, Callable[[], float]] = {
        "assign": lambda: values[-1],
        "sum": lambda: sum(values),
        "mean": lambda: sum(values) / len(values),
        "prod": lambda: math.prod(values),
        "amax": lambda: extreme(values, 1),
        "amin": lambda: extreme(values, -1),
    }
    return by_mode[mode]()


def _written(x: Array, pairs: Sequence[tuple[Place, float]], mode: str, include_self: bool) -> Array:
    """`x` after the writes (place, value), which come in order."""
    met: dict[Place, list[float]] = {}
    for place, value in pairs:
        met.setdefault(place, [x[place]] if include_self else []).append(value)
    out = np.array(x)
    for place, values in met.items():
        out[place] = _reduced(mode, values)
    return out


def _scatter_reduce(
    x: Array, dim: int, index: Array, src: Array, mode: str, include_self: bool = True
) -> Array:
    pairs = [((*p[:dim], int(index[p]), *p[dim + 1 :]), src[p]) for p in positions(index.shape)]
    return _written(x, pairs, mode, include_self)


def _floored(x: Array, dim: int, index: Array, src: Array, mode: str) -> Array:
    return np.asarray(np.floor(_scatter_reduce(x, dim, index, src, mode)))


def _in_mode(mode: str) -> Callable[..., Array]:
    def oracle(x: Array, dim: int, index: Array, src: Array, include_self: bool = True) -> Array:
        return _scatter_reduce(x, dim, index, src, mode, include_self)

    return oracle


def _index_reduce(
    x: Array, dim: int, index: Array, src: Array, mode: str, include_self: bool = True
) -> Array:
    pairs = [((*p[:dim], int(index[p[dim]]), *p[dim + 1 :]), src[p]) for p in positions(src.shape)]
    return _written(x, pairs, mode, include_self)


def _index_put_reduce(
    x: Array, indices: Sequence[Array], values: Array, mode: str, include_self: bool = True
) -> Array:
    pairs = [(to, values[source]) for source, to in places_of(x, indices)[1]]
    return _written(x, pairs, mode, include_self)


def _columns(indices: Array) -> list[Array]:
    return [indices[..., k] for k in range(indices.shape[-1])]


def _gather_nd(x: Array, indices: Array) -> Array:
    shape, pairs = places_of(x, _columns(indices))
    out = np.zeros(shape)
    for to, source in pairs:
        out[to] = x[source]
    return out


def _scatter_nd(
    x: Array, indices: Array, values: Array, mode: str = "assign", include_self: bool = True
) -> Array:
    return _index_put_reduce(x, _columns(indices), values, mode, include_self)


def _distinct(r: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Values at least a half apart, so that a step of a difference changes no order."""
    return np.asarray(r.permutation(math.prod(shape)) / 2 - 1, dtype=np.float64).reshape(shape)


def _factors(r: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Small whole numbers, zeros among them: products are exact in every dtype."""
    return np.asarray(r.integers(0, 4, size=shape), dtype=np.float64)


def _case(
    op: str, name: str, oracle: Callable[..., Any], shapes: Sequence[tuple[int, ...]], *args: Any, mode: str
) -> Case:
    """None among the arguments stands for a drawn array of the next shape."""

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        sizes = [math.prod(s) for s in shapes]
        flat = (_distinct if mode in ("amax", "amin") else _factors)(r, (sum(sizes),))
        parts = np.split(flat, np.cumsum(sizes)[:-1])
        drawn = iter([part.reshape(shape) for part, shape in zip(parts, shapes)])
        return tuple(next(drawn) if a is None else a for a in args)

    exact = mode not in ("mean",)
    return Case(op, name, sample, oracle, dtypes=FLOATS if mode == "mean" else NUMBERS, exact=exact)


MODES = ("assign", "sum", "prod", "mean", "amax", "amin")
BOTH = (True, False)
FEW = [row for row in GATHER if row[0] in ("columns", "smaller-index", "of-nothing")]
NAMED = {"scatter_prod": "prod", "scatter_amax": "amax", "scatter_amin": "amin"}


def _scatters(op: str, mode: str, rows: Sequence[Any], *option: str) -> list[Case]:
    oracle = _scatter_reduce if option else _in_mode(mode)
    return [
        _case(
            op,
            f"{mode}-{name}{'' if include else '-alone'}",
            oracle,
            [shape, index.shape],
            None,
            dim,
            index,
            None,
            *option,
            include,
            mode=mode,
        )
        for name, shape, dim, index in rows
        for include in BOTH
    ]


def _vectors(mode: str) -> list[Case]:
    return [
        _case(
            "index_reduce",
            f"{mode}-{name}{'' if include else '-alone'}",
            _index_reduce,
            [shape, (*shape[:dim], len(index), *shape[dim + 1 :])],
            None,
            dim,
            index,
            None,
            mode,
            include,
            mode=mode,
        )
        for name, shape, dim, index in SELECT
        if name in ("rows", "middle", "nothing")
        for include in BOTH
    ]


def _puts(mode: str) -> list[Case]:
    made: list[Case] = []
    for name, shape, indices in INDEX:
        if name not in ("two", "stretched", "matrix", "nothing", "rank-0"):
            continue
        common = np.broadcast_shapes(*(i.shape for i in indices))
        shapes = [shape, (*common, *shape[len(indices) :])]
        include = name != "two"
        made.append(
            _case(
                "index_put_reduce",
                f"{mode}-{name}",
                _index_put_reduce,
                shapes,
                None,
                list(indices),
                None,
                mode,
                include,
                mode=mode,
            )
        )
    return made


POINTS = [
    ("rows", (3, 2), ints([2], [0], [2])),
    ("elements", (3, 4), ints([2, 1], [0, 3], [2, 1])),
    ("matrix-of-rows", (2, 3, 2), ints([[1, 0], [1, 0]], [[0, 2], [1, 1]])),
    ("one", (3, 2), np.array([1], np.int64)),
    ("nothing", (3, 2), np.zeros((0, 1), np.int64)),
]


def _nd() -> list[Case]:
    made: list[Case] = []
    for name, shape, indices in POINTS:
        values = (*indices.shape[:-1], *shape[indices.shape[-1] :])
        made.append(_case("gather_nd", name, _gather_nd, [shape], None, indices, mode="sum"))
        for mode in MODES if name == "elements" else ("assign", "amax"):
            made.append(
                _case(
                    "scatter_nd",
                    f"{mode}-{name}",
                    _scatter_nd,
                    [shape, values],
                    None,
                    indices,
                    None,
                    mode,
                    mode=mode,
                )
            )
    return made


def _known(op: str, name: str, args: tuple[Any, ...], *gradients: Any, mode: str) -> Case:
    return Case(
        op,
        name,
        lambda r: args,
        _in_mode(mode),
        gradients=always(*(_floats(*g) for g in gradients)),
        exact=True,
    )


def _floats(*values: float) -> Array:
    return np.array(values, dtype=np.float64)


CASES = [
    *(c for op, mode in NAMED.items() for c in _scatters(op, mode, FEW)),
    *(c for mode in MODES for c in _scatters("scatter_reduce", mode, FEW[:2], mode)),
    *(c for mode in MODES for c in _vectors(mode)),
    *(c for mode in MODES for c in _puts(mode)),
    *_nd(),
    # B043, and without what was there
    _known(
        "scatter_prod",
        "zeros",
        (_floats(2), 0, ints(0, 0), _floats(0, 3)),
        [0.0],
        [6.0, 0.0],
        mode="prod",
    ),
    _known(
        "scatter_prod",
        "two-zeros-alone",
        (_floats(2), 0, ints(0, 0, 0), _floats(0, 3, 0), False),
        [0.0],
        [0.0, 0.0, 0.0],
        mode="prod",
    ),
    # B044: ties share, also with what was there, and several NaN are tied
    _known(
        "scatter_amax",
        "ties",
        (_floats(1), 0, ints(0, 0), _floats(5, 5)),
        [0.0],
        [0.5, 0.5],
        mode="amax",
    ),
    _known(
        "scatter_amax",
        "ties-alone",
        (_floats(9), 0, ints(0, 0), _floats(5, 5), False),
        [0.0],
        [0.5, 0.5],
        mode="amax",
    ),
    _known(
        "scatter_amin",
        "ties-with-self",
        (_floats(5, 7), 0, ints(0, 0, 0), _floats(5, 6, 5)),
        [1 / 3, 1.0],
        [1 / 3, 0.0, 1 / 3],
        mode="amin",
    ),
    _known(
        "scatter_amin",
        "nan",
        (_floats(1, np.nan, 2), 0, ints(0, 0, 1, 0), _floats(np.nan, 0, 3, np.nan)),
        [0.0, 1.0, 1.0],
        [0.5, 0.0, 0.0, 0.5],
        mode="amin",
    ),
    Case(
        "scatter_amax",
        "larger-src",
        lambda r: (_distinct(r, (3, 4)), 1, ints([0, 0], [3, 1]), _distinct(r, (3, 5)) + 0.25),
        _in_mode("amax"),
        exact=True,
    ),
    Case(
        "scatter_amin",
        "infinite-alone",
        lambda r: (_floats(1, 2), 0, ints(0), _floats(np.inf), False),
        _in_mode("amin"),
        exact=True,
        gradients=always(_floats(0, 1), _floats(1)),
    ),
    Case(
        "scatter_reduce",
        "mean-of-integers",
        lambda r: (_floats(-3, 2), 0, ints(0, 1, 1), _floats(0, 2, 3), "mean"),
        _floored,
        dtypes=INTEGERS[:4],
        order=0,
        exact=True,
    ),
    Case(
        "scatter_reduce",
        "size-0",
        lambda r: (r.normal(size=(3, 0)), 0, np.zeros((2, 0), np.int64), np.zeros((2, 0)), "sum"),
        _scatter_reduce,
        exact=True,
    ),
    # a float16 count or sum would stop at 2048
    Case(
        "scatter_reduce",
        "mean-many",
        lambda r: (np.zeros(2), 0, np.zeros(4000, np.int64), np.ones(4000), "mean", False),
        _scatter_reduce,
        order=0,
    ),
]

BAD_CALLS = [
    *(c for op in NAMED for c in wrong_indices(op, vector=False, src=True)),
    bad("scatter_reduce", "mode", _ones(3), 0, ints(0), _ones(1), "max", error=ValueError, words=["max"]),
    *(
        bad("scatter_reduce", f"{mode}-too-large", _ones(3), 0, ints(7), _ones(1), mode, words=["7", "3"])
        for mode in MODES
    ),
    bad("scatter_reduce", "dtypes", _ones(3), 0, ints(0), _ones(1, np.float32), "mean", error=DTypeError),
    bad("index_reduce", "too-large", _ones(3), 0, ints(7), _ones(1), "amax", words=["7", "3"]),
    bad("index_reduce", "negative", _ones(3), 0, ints(-1), _ones(1), "assign", words=["-1", "3"]),
    bad("index_reduce", "src", _ones((3, 2)), 0, ints(0), _ones((1, 1)), "prod", error=ShapeError),
    bad(
        "index_put_reduce", "too-large", _ones((2, 3)), [ints(0), ints(5)], _ones(1), "amax", words=["5", "3"]
    ),
    bad("index_put_reduce", "values", _ones((2, 3)), [ints(0)], _ones((1, 2)), "prod", error=ShapeError),
    bad("gather_nd", "too-large", _ones((2, 3)), ints([0, 3]), words=["3"]),
    bad("gather_nd", "too-many", _ones((2, 3)), ints([0, 0, 0]), error=ShapeError),
    bad("scatter_nd", "negative", _ones((2, 3)), ints([-1, 0]), _ones(1), words=["-1", "2"]),
    bad("scatter_nd", "values", _ones((2, 3)), ints([0], [1]), _ones((2, 2)), error=ShapeError),
]
