"""Cases of reading and writing by index."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, BadCall, Case
from everygrad_ops import DType, DTypeError, ShapeError
from everygrad_ops.errors import DimError

NUMBERS = (*FLOATS, *INTEGERS)
EVERY = (*NUMBERS, DType.bool_)
_ones = np.ones


def draw(r: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Small whole numbers: exact in every dtype, and so are sums of a few of them."""
    return np.asarray(r.integers(0, 7, size=shape), dtype=np.float64)


def positions(shape: Sequence[int]) -> itertools.product[tuple[int, ...]]:
    """Every position, in row-major order."""
    return itertools.product(*(range(s) for s in shape))


def ints(*values: Any) -> Array:
    """An index."""
    return np.array(values, dtype=np.int64)


def _gather(x: Array, dim: int, index: Array) -> Array:
    out = np.zeros(index.shape)
    for p in positions(index.shape):
        out[p] = x[(*p[:dim], index[p], *p[dim + 1 :])]
    return out


def _scatter_add(x: Array, dim: int, index: Array, src: Array) -> Array:
    out = np.array(x)
    for p in positions(index.shape):
        out[(*p[:dim], index[p], *p[dim + 1 :])] += src[p]
    return out


def _scatter(x: Array, dim: int, index: Array, src: Array) -> Array:
    out = np.array(x)
    for p in positions(index.shape):
        out[(*p[:dim], index[p], *p[dim + 1 :])] = src[p]
    return out


def _index_select(x: Array, dim: int, index: Array) -> Array:
    out = np.zeros((*x.shape[:dim], len(index), *x.shape[dim + 1 :]))
    for p in positions(out.shape):
        out[p] = x[(*p[:dim], index[p[dim]], *p[dim + 1 :])]
    return out


def _index_add(x: Array, dim: int, index: Array, src: Array) -> Array:
    out = np.array(x)
    for p in positions(src.shape):
        out[(*p[:dim], index[p[dim]], *p[dim + 1 :])] += src[p]
    return out


def _nonzero(x: Array) -> Array:
    found = [p for p in positions(x.shape) if x[p] != 0]
    return np.array(found, dtype=np.int64).reshape(len(found), x.ndim)


def case(op: str, name: str, oracle: Callable[..., Any], *args: Any, exact: bool = True, **more: Any) -> Case:
    """A case whose tuples of sizes become arrays under test; everything else is passed as it is."""

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return tuple(draw(r, a.shape) if isinstance(a, Of) else a for a in args)

    options: dict[str, Any] = {"dtypes": NUMBERS, "exact": exact, **more}
    return Case(op, name, sample, oracle, **options)


def always(*results: Any) -> Callable[..., Sequence[Any]]:
    """Known gradients, or the results of an oracle, whatever the arguments."""

    def known(*args: Any) -> Sequence[Any]:
        return results

    return known


class Of:
    """A float array to draw, of this shape."""

    def __init__(self, *shape: int) -> None:
        self.shape = shape


GATHER = [
    ("rows", (3, 4), 1, ints([0, 3, 1], [2, 2, 2], [1, 0, 3])),
    ("columns", (3, 4), 0, ints([0, 2, 1, 2], [2, 2, 2, 0])),
    ("smaller-index", (3, 4), 0, ints([2, 2], [0, 1], [2, 2], [1, 1])),
    ("middle-of-three", (2, 3, 2), 1, ints([[0, 2], [2, 2]], [[1, 1], [0, 2]])),
    ("one-index", (3, 5), 1, ints([4])),
    ("no-index", (3, 4), 1, np.zeros((3, 0), np.int64)),
    ("of-nothing", (0, 4), 1, np.zeros((0, 2), np.int64)),
    ("nothing-of-nothing", (2, 0), 1, np.zeros((2, 0), np.int64)),
]

SELECT = [
    ("rows", (4, 3), 0, ints(2, 0, 2, 3, 2)),
    ("last-dim", (2, 3), 1, ints(1, 1)),
    ("middle", (2, 3, 2), 1, ints(2, 0, 0, 1)),
    ("vector", (5,), 0, ints(4, 4, 0)),
    ("nothing", (3, 2), 0, ints()),
    ("rest-of-size-0", (3, 0), 0, ints(1, 2)),
    ("of-nothing", (0, 2), 0, ints()),
]


def _low_sum(op: str, oracle: Callable[..., Any]) -> Case:
    """4000 ones into one place: a float16 sum would stop at 2048."""
    return Case(
        op, "many", lambda r: (np.zeros(2), 0, np.zeros(4000, np.int64), np.ones(4000)), oracle, order=0
    )


CASES = [
    *(
        case("gather", name, _gather, Of(*shape), dim, index, dtypes=EVERY)
        for name, shape, dim, index in GATHER
    ),
    *(
        case("scatter_add", name, _scatter_add, Of(*shape), dim, index, Of(*index.shape))
        for name, shape, dim, index in GATHER
    ),
    *(
        case("scatter", name, _scatter, Of(*shape), dim, index, Of(*index.shape), dtypes=EVERY)
        for name, shape, dim, index in GATHER
    ),
    case("scatter", "larger-src", _scatter, Of(3, 4), 1, ints([0, 0], [3, 1]), Of(3, 5)),
    # B041: the last write stays, and it alone gets gradient
    Case(
        "scatter",
        "last-wins",
        lambda r: (np.zeros(4), 0, ints(0, 1, 1, 2), np.array([11.0, 12.0, 13.0, 14.0])),
        _scatter,
        gradients=always(np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0, 1.0])),
        exact=True,
    ),
    case("scatter_add", "larger-src", _scatter_add, Of(3, 4), 1, ints([0, 0], [3, 1]), Of(3, 5)),
    case(
        "scatter_add", "no-index-larger-src", _scatter_add, Of(3, 4), 0, np.zeros((0, 4), np.int64), Of(2, 4)
    ),
    *(
        case("index_select", name, _index_select, Of(*shape), dim, index, dtypes=EVERY)
        for name, shape, dim, index in SELECT
    ),
    *(
        case(
            "index_add",
            name,
            _index_add,
            Of(*shape),
            dim,
            index,
            Of(*shape[:dim], len(index), *shape[dim + 1 :]),
        )
        for name, shape, dim, index in SELECT
    ),
    Case(
        "index_add",
        "many-wide-rows",
        lambda r: (r.normal(size=(20, 64)), 0, r.integers(0, 20, size=300), r.normal(size=(300, 64))),
        _index_add,
        dtypes=(DType.float64, DType.float32),
        terms=40,
        order=1,
    ),
    _low_sum("scatter_add", _scatter_add),
    _low_sum("index_add", _index_add),
    *(
        case("nonzero", name, _nonzero, Of(*shape), dtypes=EVERY, order=0)
        for name, shape in [("vector", (6,)), ("matrix", (3, 4)), ("rank-0", ()), ("size-0", (2, 0))]
    ),
    Case("nonzero", "nan", lambda r: (np.array([0.0, np.nan, -0.0, np.inf]),), _nonzero, order=0),
    Case("nonzero", "condition", lambda r: (r.integers(0, 2, size=(3, 4)).astype(bool),), _nonzero, order=0),
    # B040: a repeated read adds up in the gradient
    Case(
        "gather",
        "repeated",
        lambda r: (np.array([1.0, 2.0, 3.0]), 0, ints(0, 0, 2, 0)),
        _gather,
        gradients=always(np.array([3.0, 0.0, 1.0])),
        exact=True,
    ),
    # only what was read or written gets gradient
    Case(
        "scatter_add",
        "short-index",
        lambda r: (np.zeros((2, 2)), 1, ints([1], [1]), np.ones((2, 3))),
        _scatter_add,
        gradients=always(np.ones((2, 2)), np.array([[1.0, 0, 0], [1.0, 0, 0]])),
        exact=True,
    ),
]


def bad(
    op: str, name: str, *args: Any, error: type[Exception] = IndexError, words: Sequence[str] = ()
) -> BadCall:
    """A wrong call; an IndexError unless said otherwise."""

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return args

    return BadCall(op, name, sample, error, words)


def wrong_indices(op: str, *, vector: bool, src: bool) -> list[BadCall]:
    """The same faults for each op that takes (x, dim, index[, src])."""
    x = _ones((2, 3))

    def call(name: str, dim: int, index: Array, **more: Any) -> BadCall:
        shape = (*x.shape[:dim], *index.shape, *x.shape[dim + 1 :]) if vector else index.shape
        return bad(op, name, x, dim, index, *([_ones(shape)] if src else []), **more)

    def index(*values: int) -> Array:
        return ints(*values) if vector else ints(list(values), list(values))

    return [
        call("too-large", 1, index(0, 7), words=["7", "3"]),
        call("negative", 1, index(0, -1), words=["-1", "3"]),
        call("dim", 2, index(0), error=DimError),
        call("negative-dim", -1, index(0), error=DimError),
        call("rank", 1, ints([[0]]) if not vector else ints([0]), error=ShapeError),
        call("rank-0", 1, np.array(0), error=ShapeError),
        call("float", 1, index(0).astype(np.float32), error=DTypeError),
        call("int32", 1, index(0).astype(np.int32), error=DTypeError),
        call("bool", 1, index(1, 0, 1).astype(bool), error=DTypeError),
    ]


BAD_CALLS = [
    *wrong_indices("gather", vector=False, src=False),
    *wrong_indices("scatter_add", vector=False, src=True),
    *wrong_indices("scatter", vector=False, src=True),
    *wrong_indices("index_select", vector=True, src=False),
    *wrong_indices("index_add", vector=True, src=True),
    bad("gather", "index-too-wide", _ones((2, 3)), 1, ints([0], [0], [0]), error=ShapeError),
    bad("gather", "of-nothing", _ones((2, 0)), 1, ints([0], [0])),
    bad(
        "scatter_add",
        "src-too-small",
        _ones((2, 3)),
        1,
        ints([0, 1], [0, 1]),
        _ones((2, 1)),
        error=ShapeError,
    ),
    bad(
        "scatter_add",
        "index-too-wide",
        _ones((2, 3)),
        0,
        ints([0, 0, 0, 0]),
        _ones((1, 4)),
        error=ShapeError,
    ),
    bad("scatter_add", "dtypes", _ones(3), 0, ints(0), _ones(1, np.float32), error=DTypeError),
    bad("index_add", "src-stretches", _ones((3, 2)), 0, ints(0, 1), _ones((1, 2)), error=ShapeError),
    bad("index_add", "dtypes", _ones(3), 0, ints(0), _ones(1, np.float32), error=DTypeError),
]
