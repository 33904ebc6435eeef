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


def _draw(r: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Small whole numbers: exact in every dtype, and so are sums of a few of them."""
    return np.asarray(r.integers(0, 7, size=shape), dtype=np.float64)


def _positions(shape: Sequence[int]) -> itertools.product[tuple[int, ...]]:
    return itertools.product(*(range(s) for s in shape))


def _ints(*values: Any) -> Array:
    return np.array(values, dtype=np.int64)


def _gather(x: Array, dim: int, index: Array) -> Array:
    out = np.zeros(index.shape)
    for p in _positions(index.shape):
        out[p] = x[(*p[:dim], index[p], *p[dim + 1 :])]
    return out


def _scatter_add(x: Array, dim: int, index: Array, src: Array) -> Array:
    out = np.array(x)
    for p in _positions(index.shape):
        out[(*p[:dim], index[p], *p[dim + 1 :])] += src[p]
    return out


def _scatter(x: Array, dim: int, index: Array, src: Array) -> Array:
    out = np.array(x)
    for p in _positions(index.shape):
        out[(*p[:dim], index[p], *p[dim + 1 :])] = src[p]
    return out


def _index_select(x: Array, dim: int, index: Array) -> Array:
    out = np.zeros((*x.shape[:dim], len(index), *x.shape[dim + 1 :]))
    for p in _positions(out.shape):
        out[p] = x[(*p[:dim], index[p[dim]], *p[dim + 1 :])]
    return out


def _index_add(x: Array, dim: int, index: Array, src: Array) -> Array:
    out = np.array(x)
    for p in _positions(src.shape):
        out[(*p[:dim], index[p[dim]], *p[dim + 1 :])] += src[p]
    return out


def _nonzero(x: Array) -> Array:
    found = [p for p in _positions(x.shape) if x[p] != 0]
    return np.array(found, dtype=np.int64).reshape(len(found), x.ndim)


def _places(
    x: Array, indices: Sequence[Array]
) -> tuple[tuple[int, ...], list[tuple[tuple[int, ...], tuple[int, ...]]]]:
    """The shape that `index` gives, and (position in it, position in x) in row-major order."""
    stretched = np.broadcast_arrays(*indices)
    common, rest = stretched[0].shape, x.shape[len(indices) :]
    pairs = [
        ((*p, *q), (*(int(i[p]) for i in stretched), *q))
        for p in _positions(common)
        for q in _positions(rest)
    ]
    return (*common, *rest), pairs


def _index(x: Array, indices: Sequence[Array]) -> Array:
    shape, places = _places(x, indices)
    out = np.zeros(shape)
    for to, source in places:
        out[to] = x[source]
    return out


def _index_put(x: Array, indices: Sequence[Array], values: Array, accumulate: bool = False) -> Array:
    out = np.array(x)
    for source, to in _places(x, indices)[1]:
        out[to] = out[to] + values[source] if accumulate else values[source]
    return out


def _masked_fill(x: Array, condition: Array, value: Any) -> Array:
    x, condition, value = np.broadcast_arrays(x, condition, value)
    out = np.array(x)
    for p in _positions(out.shape):
        if condition[p]:
            out[p] = value[p]
    return out


def _masked_select(x: Array, condition: Array) -> Array:
    return np.array([x[p] for p in _positions(x.shape) if condition[p]], dtype=np.float64)


def _one_hot(index: Array, classes: int) -> Array:
    out = np.zeros((*index.shape, classes), dtype=np.int64)
    for p in _positions(index.shape):
        out[(*p, index[p])] = 1
    return out


def _case(
    op: str, name: str, oracle: Callable[..., Any], *args: Any, exact: bool = True, **more: Any
) -> Case:
    """A case whose tuples of sizes become arrays under test; everything else is passed as it is."""

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return tuple(_draw(r, a.shape) if isinstance(a, Of) else a for a in args)

    options: dict[str, Any] = {"dtypes": NUMBERS, "exact": exact, **more}
    return Case(op, name, sample, oracle, **options)


def _always(*results: Any) -> Callable[..., Sequence[Any]]:
    """Known gradients, or the results of an oracle, whatever the arguments."""

    def known(*args: Any) -> Sequence[Any]:
        return results

    return known


class Of:
    """A float array to draw, of this shape."""

    def __init__(self, *shape: int) -> None:
        self.shape = shape


GATHER = [
    ("rows", (3, 4), 1, _ints([0, 3, 1], [2, 2, 2], [1, 0, 3])),
    ("columns", (3, 4), 0, _ints([0, 2, 1, 2], [2, 2, 2, 0])),
    ("smaller-index", (3, 4), 0, _ints([2, 2], [0, 1], [2, 2], [1, 1])),
    ("middle-of-three", (2, 3, 2), 1, _ints([[0, 2], [2, 2]], [[1, 1], [0, 2]])),
    ("one-index", (3, 5), 1, _ints([4])),
    ("no-index", (3, 4), 1, np.zeros((3, 0), np.int64)),
    ("of-nothing", (0, 4), 1, np.zeros((0, 2), np.int64)),
    ("nothing-of-nothing", (2, 0), 1, np.zeros((2, 0), np.int64)),
]

SELECT = [
    ("rows", (4, 3), 0, _ints(2, 0, 2, 3, 2)),
    ("last-dim", (2, 3), 1, _ints(1, 1)),
    ("middle", (2, 3, 2), 1, _ints(2, 0, 0, 1)),
    ("vector", (5,), 0, _ints(4, 4, 0)),
    ("nothing", (3, 2), 0, _ints()),
    ("rest-of-size-0", (3, 0), 0, _ints(1, 2)),
    ("of-nothing", (0, 2), 0, _ints()),
]

INDEX = [
    ("one", (4, 3), [_ints(3, 0, 3)]),
    ("two", (3, 4, 2), [_ints(0, 2, 2, 0), _ints(3, 1, 1, 3)]),
    ("stretched", (3, 4), [_ints([0], [2]), _ints(1, 1, 3)]),
    ("rank-0", (3, 4), [np.array(2), np.array(1)]),
    ("rank-0-of-three", (3, 4, 2), [np.array(2), np.array(1)]),
    ("matrix", (3, 2), [_ints([0, 1], [1, 1], [2, 0])]),
    ("nothing", (3, 2), [_ints()]),
    ("rest-of-size-0", (3, 0), [_ints(1, 1)]),
    ("of-nothing", (0, 2), [_ints(), _ints()]),
]


def _put(name: str, shape: tuple[int, ...], indices: Sequence[Array], accumulate: bool) -> Case:
    common = np.broadcast_shapes(*(i.shape for i in indices))
    values = Of(*common, *shape[len(indices) :])
    kind = "add" if accumulate else "assign"
    return _case("index_put", f"{kind}-{name}", _index_put, Of(*shape), list(indices), values, accumulate)


def _low_sum(op: str, name: str, *rest: Any) -> Case:
    """4000 ones into one place: a float16 sum would stop at 2048."""

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return (np.zeros(2), *rest)

    return Case(op, name, sample, _scatter_add if op == "scatter_add" else _put_last, order=0)


def _put_last(x: Array, *rest: Any) -> Array:
    return _index_put(x, *rest) if isinstance(rest[0], list) else _index_add(x, *rest)


_zeros4000 = np.zeros(4000, np.int64)

CASES = [
    *(
        _case("gather", name, _gather, Of(*shape), dim, index, dtypes=EVERY)
        for name, shape, dim, index in GATHER
    ),
    *(
        _case("scatter_add", name, _scatter_add, Of(*shape), dim, index, Of(*index.shape))
        for name, shape, dim, index in GATHER
    ),
    *(
        _case("scatter", name, _scatter, Of(*shape), dim, index, Of(*index.shape), dtypes=EVERY)
        for name, shape, dim, index in GATHER
    ),
    _case("scatter", "larger-src", _scatter, Of(3, 4), 1, _ints([0, 0], [3, 1]), Of(3, 5)),
    # B041: the last write stays, and it alone gets gradient
    Case(
        "scatter",
        "last-wins",
        lambda r: (np.zeros(4), 0, _ints(0, 1, 1, 2), np.array([11.0, 12.0, 13.0, 14.0])),
        _scatter,
        gradients=_always(np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0, 1.0])),
        exact=True,
    ),
    _case("scatter_add", "larger-src", _scatter_add, Of(3, 4), 1, _ints([0, 0], [3, 1]), Of(3, 5)),
    _case(
        "scatter_add", "no-index-larger-src", _scatter_add, Of(3, 4), 0, np.zeros((0, 4), np.int64), Of(2, 4)
    ),
    *(
        _case("index_select", name, _index_select, Of(*shape), dim, index, dtypes=EVERY)
        for name, shape, dim, index in SELECT
    ),
    *(
        _case(
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
    _low_sum("scatter_add", "many", 0, _zeros4000, np.ones(4000)),
    _low_sum("index_add", "many", 0, _zeros4000, np.ones(4000)),
    _low_sum("index_put", "many", [_zeros4000], np.ones(4000), True),
    *(
        _case("nonzero", name, _nonzero, Of(*shape), dtypes=EVERY, order=0)
        for name, shape in [("vector", (6,)), ("matrix", (3, 4)), ("rank-0", ()), ("size-0", (2, 0))]
    ),
    Case("nonzero", "nan", lambda r: (np.array([0.0, np.nan, -0.0, np.inf]),), _nonzero, order=0),
    Case("nonzero", "condition", lambda r: (r.integers(0, 2, size=(3, 4)).astype(bool),), _nonzero, order=0),
    *(_case("index", name, _index, Of(*shape), indices, dtypes=EVERY) for name, shape, indices in INDEX),
    *(_put(name, shape, indices, add) for name, shape, indices in INDEX for add in (False, True)),
    *(
        _case("masked_fill", name, _masked_fill, Of(*shape), condition, value, dtypes=EVERY)
        for name, shape, condition, value in [
            ("number", (2, 3), np.array([[True, False, True], [False, False, True]]), 1),
            ("stretched", (2, 3), np.array([True, False, True]), 1),
            ("rank-0-value", (2, 3), np.array([[True], [False]]), Of()),
            ("size-0", (0, 3), np.array([True, False, True]), 1),
        ]
    ),
    # the masked entries must not leak into values or gradients
    Case(
        "masked_fill",
        "over-nan",
        lambda r: (np.array([np.nan, 2.0, np.inf]), np.array([True, False, True]), 0.0),
        _masked_fill,
        gradients=_always(np.array([0.0, 1.0, 0.0])),
        exact=True,
    ),
    *(
        _case("masked_select", name, _masked_select, Of(*condition.shape), condition, dtypes=FLOATS)
        for name, condition in [
            ("some", np.array([[True, False, True], [False, False, True]])),
            ("all", np.ones((2, 2), bool)),
            ("rank-0", np.array(True)),
            ("size-0", np.zeros((0, 2), bool)),
        ]
    ),
    # B050: nothing selected gives nothing, and a gradient of zeros
    Case(
        "masked_select",
        "none",
        lambda r: (np.array([1.0, 2.0]), np.array([False, False])),
        _masked_select,
        gradients=_always(np.zeros(2)),
        exact=True,
    ),
    *(
        Case("one_hot", name, lambda r, index=index: (index, 4), _one_hot, order=0)  # type: ignore[misc]  # bound in the loop
        for name, index in [
            ("vector", _ints(0, 3, 3)),
            ("matrix", _ints([1, 2], [0, 0])),
            ("rank-0", np.array(2)),
            ("size-0", np.zeros((2, 0), np.int64)),
        ]
    ),
    # B040: a repeated read adds up in the gradient
    Case(
        "gather",
        "repeated",
        lambda r: (np.array([1.0, 2.0, 3.0]), 0, _ints(0, 0, 2, 0)),
        _gather,
        gradients=_always(np.array([3.0, 0.0, 1.0])),
        exact=True,
    ),
    # as B041, for rows: the last write stays, and it alone gets gradient
    Case(
        "index_put",
        "last-wins",
        lambda r: (np.zeros(4), [_ints(0, 1, 1, 2)], np.array([11.0, 12.0, 13.0, 14.0])),
        _index_put,
        gradients=_always(np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0, 1.0])),
        exact=True,
    ),
    # only what was read or written gets gradient
    Case(
        "scatter_add",
        "short-index",
        lambda r: (np.zeros((2, 2)), 1, _ints([1], [1]), np.ones((2, 3))),
        _scatter_add,
        gradients=_always(np.ones((2, 2)), np.array([[1.0, 0, 0], [1.0, 0, 0]])),
        exact=True,
    ),
]


def _bad(
    op: str, name: str, *args: Any, error: type[Exception] = IndexError, words: Sequence[str] = ()
) -> BadCall:
    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return args

    return BadCall(op, name, sample, error, words)


def _wrong_indices(op: str, *, vector: bool, src: bool) -> list[BadCall]:
    """The same faults for each op that takes (x, dim, index[, src])."""
    x = _ones((2, 3))

    def call(name: str, dim: int, index: Array, **more: Any) -> BadCall:
        shape = (*x.shape[:dim], *index.shape, *x.shape[dim + 1 :]) if vector else index.shape
        return _bad(op, name, x, dim, index, *([_ones(shape)] if src else []), **more)

    def index(*values: int) -> Array:
        return _ints(*values) if vector else _ints(list(values), list(values))

    return [
        call("too-large", 1, index(0, 7), words=["7", "3"]),
        call("negative", 1, index(0, -1), words=["-1", "3"]),
        call("dim", 2, index(0), error=DimError),
        call("negative-dim", -1, index(0), error=DimError),
        call("rank", 1, _ints([[0]]) if not vector else _ints([0]), error=ShapeError),
        call("rank-0", 1, np.array(0), error=ShapeError),
        call("float", 1, index(0).astype(np.float32), error=DTypeError),
        call("int32", 1, index(0).astype(np.int32), error=DTypeError),
        call("bool", 1, index(1, 0, 1).astype(bool), error=DTypeError),
    ]


BAD_CALLS = [
    *_wrong_indices("gather", vector=False, src=False),
    *_wrong_indices("scatter_add", vector=False, src=True),
    *_wrong_indices("scatter", vector=False, src=True),
    *_wrong_indices("index_select", vector=True, src=False),
    *_wrong_indices("index_add", vector=True, src=True),
    _bad("gather", "index-too-wide", _ones((2, 3)), 1, _ints([0], [0], [0]), error=ShapeError),
    _bad("gather", "of-nothing", _ones((2, 0)), 1, _ints([0], [0])),
    _bad(
        "scatter_add",
        "src-too-small",
        _ones((2, 3)),
        1,
        _ints([0, 1], [0, 1]),
        _ones((2, 1)),
        error=ShapeError,
    ),
    _bad(
        "scatter_add",
        "index-too-wide",
        _ones((2, 3)),
        0,
        _ints([0, 0, 0, 0]),
        _ones((1, 4)),
        error=ShapeError,
    ),
    _bad("scatter_add", "dtypes", _ones(3), 0, _ints(0), _ones(1, np.float32), error=DTypeError),
    _bad("index_add", "src-stretches", _ones((3, 2)), 0, _ints(0, 1), _ones((1, 2)), error=ShapeError),
    _bad("index_add", "dtypes", _ones(3), 0, _ints(0), _ones(1, np.float32), error=DTypeError),
    _bad("index", "too-large", _ones((2, 3)), [_ints(0, 1), _ints(1, 3)], words=["3"]),
    _bad("index", "negative", _ones((2, 3)), [_ints(0, -2)], words=["-2", "2"]),
    _bad("index", "none", _ones((2, 3)), [], error=ShapeError),
    _bad("index", "too-many", _ones((2,)), [_ints(0), _ints(0)], error=ShapeError),
    _bad("index", "shapes", _ones((2, 3)), [_ints(0, 1), _ints(0, 1, 2)], error=ShapeError),
    _bad("index", "bool", _ones((2,)), [np.array([True, False])], error=DTypeError),
    _bad("index_put", "too-large", _ones((2, 3)), [_ints(0), _ints(5)], _ones(1), words=["5", "3"]),
    _bad("index_put", "values", _ones((2, 3)), [_ints(0, 1)], _ones((1, 3)), error=ShapeError),
    _bad("index_put", "shapes", _ones((2, 3)), [_ints(0, 1), _ints(0, 1, 2)], _ones(2), error=ShapeError),
    _bad("index_put", "dtypes", _ones(2), [_ints(0)], _ones(1, np.float32), error=DTypeError),
    _bad("masked_select", "shape", _ones((2, 3)), np.array([True, False, True]), error=ShapeError),
    _bad("one_hot", "too-large", _ints(0, 4), 4, words=["4"]),
    _bad("one_hot", "negative", _ints(-1), 4, words=["-1"]),
]
