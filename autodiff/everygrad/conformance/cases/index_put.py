"""Cases of index, index_put, masks and one-hot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import FLOATS, Array, Case
from everygrad.conformance.cases.indexing import EVERY, Of, always, bad, case, ints, positions
from everygrad_ops import DTypeError, ShapeError

_ones = np.ones


def places_of(
    x: Array, indices: Sequence[Array]
) -> tuple[tuple[int, ...], list[tuple[tuple[int, ...], tuple[int, ...]]]]:
    """The shape that `index` gives, and (position in it, position in x) in row-major order."""
    stretched = np.broadcast_arrays(*indices)
    common, rest = stretched[0].shape, x.shape[len(indices) :]
    pairs = [
        ((*p, *q), (*(int(i[p]) for i in stretched), *q)) for p in positions(common) for q in positions(rest)
    ]
    return (*common, *rest), pairs


def _index(x: Array, indices: Sequence[Array]) -> Array:
    shape, places = places_of(x, indices)
    out = np.zeros(shape)
    for to, source in places:
        out[to] = x[source]
    return out


def _index_put(x: Array, indices: Sequence[Array], values: Array, accumulate: bool = False) -> Array:
    out = np.array(x)
    for source, to in places_of(x, indices)[1]:
        out[to] = out[to] + values[source] if accumulate else values[source]
    return out


def _masked_fill(x: Array, condition: Array, value: Any) -> Array:
    x, condition, value = np.broadcast_arrays(x, condition, value)
    out = np.array(x)
    for p in positions(out.shape):
        if condition[p]:
            out[p] = value[p]
    return out


def _masked_select(x: Array, condition: Array) -> Array:
    return np.array([x[p] for p in positions(x.shape) if condition[p]], dtype=np.float64)


def _one_hot(index: Array, classes: int) -> Array:
    out = np.zeros((*index.shape, classes), dtype=np.int64)
    for p in positions(index.shape):
        out[(*p, index[p])] = 1
    return out


INDEX = [
    ("one", (4, 3), [ints(3, 0, 3)]),
    ("two", (3, 4, 2), [ints(0, 2, 2, 0), ints(3, 1, 1, 3)]),
    ("stretched", (3, 4), [ints([0], [2]), ints(1, 1, 3)]),
    ("rank-0", (3, 4), [np.array(2), np.array(1)]),
    ("rank-0-of-three", (3, 4, 2), [np.array(2), np.array(1)]),
    ("matrix", (3, 2), [ints([0, 1], [1, 1], [2, 0])]),
    ("nothing", (3, 2), [ints()]),
    ("rest-of-size-0", (3, 0), [ints(1, 1)]),
    ("of-nothing", (0, 2), [ints(), ints()]),
]


def _put(name: str, shape: tuple[int, ...], indices: Sequence[Array], accumulate: bool) -> Case:
    common = np.broadcast_shapes(*(i.shape for i in indices))
    values = Of(*common, *shape[len(indices) :])
    kind = "add" if accumulate else "assign"
    return case("index_put", f"{kind}-{name}", _index_put, Of(*shape), list(indices), values, accumulate)


CASES = [
    *(case("index", name, _index, Of(*shape), indices, dtypes=EVERY) for name, shape, indices in INDEX),
    *(_put(name, shape, indices, add) for name, shape, indices in INDEX for add in (False, True)),
    *(
        case("masked_fill", name, _masked_fill, Of(*shape), condition, value, dtypes=EVERY)
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
        gradients=always(np.array([0.0, 1.0, 0.0])),
        exact=True,
    ),
    *(
        case("masked_select", name, _masked_select, Of(*condition.shape), condition, dtypes=FLOATS)
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
        gradients=always(np.zeros(2)),
        exact=True,
    ),
    *(
        Case("one_hot", name, lambda r, index=index: (index, 4), _one_hot, order=0)  # type: ignore[misc]  # bound in the loop
        for name, index in [
            ("vector", ints(0, 3, 3)),
            ("matrix", ints([1, 2], [0, 0])),
            ("rank-0", np.array(2)),
            ("size-0", np.zeros((2, 0), np.int64)),
        ]
    ),
    # as B041, for rows: the last write stays, and it alone gets gradient
    Case(
        "index_put",
        "last-wins",
        lambda r: (np.zeros(4), [ints(0, 1, 1, 2)], np.array([11.0, 12.0, 13.0, 14.0])),
        _index_put,
        gradients=always(np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0, 1.0])),
        exact=True,
    ),
    # a float16 sum would stop at 2048
    Case(
        "index_put",
        "add-many",
        lambda r: (np.zeros(2), [np.zeros(4000, np.int64)], np.ones(4000), True),
        _index_put,
        order=0,
    ),
]

BAD_CALLS = [
    bad("index", "too-large", _ones((2, 3)), [ints(0, 1), ints(1, 3)], words=["3"]),
    bad("index", "negative", _ones((2, 3)), [ints(0, -2)], words=["-2", "2"]),
    bad("index", "none", _ones((2, 3)), [], error=ShapeError),
    bad("index", "too-many", _ones((2,)), [ints(0), ints(0)], error=ShapeError),
    bad("index", "shapes", _ones((2, 3)), [ints(0, 1), ints(0, 1, 2)], error=ShapeError),
    bad("index", "bool", _ones((2,)), [np.array([True, False])], error=DTypeError),
    bad("index_put", "too-large", _ones((2, 3)), [ints(0), ints(5)], _ones(1), words=["5", "3"]),
    bad("index_put", "values", _ones((2, 3)), [ints(0, 1)], _ones((1, 3)), error=ShapeError),
    bad("index_put", "shapes", _ones((2, 3)), [ints(0, 1), ints(0, 1, 2)], _ones(2), error=ShapeError),
    bad("index_put", "dtypes", _ones(2), [ints(0)], _ones(1, np.float32), error=DTypeError),
    bad("masked_select", "shape", _ones((2, 3)), np.array([True, False, True]), error=ShapeError),
    bad("one_hot", "too-large", ints(0, 4), 4, words=["4"]),
    bad("one_hot", "negative", ints(-1), 4, words=["-1"]),
]
