"""Cases of order: stable sorting, ties to the lowest index, NaN as the largest."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, BadCall, Case, Sampler
from everygrad.conformance.cases.elementwise import INF, NAN, known, values
from everygrad_ops import DType, ShapeError
from everygrad_ops.errors import DimError

ALL = (*FLOATS, *INTEGERS, DType.bool_)


def _above(x: float, y: float) -> bool:
    return (math.isnan(x) and not math.isnan(y)) or x > y


def _places(v: Sequence[float], descending: bool) -> list[int]:
    """The stable order, by comparing pairs; NaN is the largest."""

    def compare(i: int, j: int) -> int:
        return (-1 if descending else 1) * (_above(v[i], v[j]) - _above(v[j], v[i]))

    return sorted(range(len(v)), key=functools.cmp_to_key(compare))


def _along(x: Array, dim: int, places: Callable[[Sequence[float]], list[int]]) -> tuple[Array, Array]:
    """(values, indices) of the places chosen in each line along `dim`."""
    lines = np.moveaxis(x, dim, -1)
    flat = lines.reshape(math.prod(lines.shape[:-1]), lines.shape[-1])
    chosen = [places([v.item() for v in line]) for line in flat]
    count = len(places([0.0] * lines.shape[-1]))
    shape = (*lines.shape[:-1], count)
    index = np.array(chosen, np.int64).reshape(shape)
    value = np.array([line[p] for line, ps in zip(flat, chosen) for p in ps], x.dtype).reshape(shape)
    return np.moveaxis(value, -1, dim), np.moveaxis(index, -1, dim)


def _sort(x: Array, dim: int, descending: bool = False) -> tuple[Array, Array]:
    return _along(x, dim, lambda v: _places(v, descending))


def _topk(x: Array, k: int, dim: int, largest: bool = True) -> tuple[Array, Array]:
    return _along(x, dim, lambda v: _places(v, largest)[:k])


def _kth(x: Array, k: int, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    def lowest(v: Sequence[float]) -> list[int]:
        due = v[_places(v, False)[k - 1]]
        return [next(i for i, y in enumerate(v) if y == due or (math.isnan(y) and math.isnan(due)))]

    found = _along(x, dim, lowest)
    return found if keepdim else (found[0].squeeze(dim), found[1].squeeze(dim))


def _searchsorted(s: Array, x: Array, right: bool = False) -> Array:
    out = np.zeros(x.shape, np.int64)
    for at in np.ndindex(x.shape):
        row = s if s.ndim == 1 else s[at[:-1]]
        v = x[at].item()
        out[at] = sum(not _above(y, v) if right else _above(v, y) for y in row.tolist())
    return out


def _sorted(r: np.random.Generator, *shape: int) -> Array:
    return np.sort(_ties(*shape)(r), -1)


def _arg(largest: bool) -> Callable[..., Array]:
    def pick(v: Sequence[float]) -> list[int]:
        nan = [i for i, x in enumerate(v) if math.isnan(x)]
        return [nan[0] if nan else _places(v, largest)[0]]

    def oracle(x: Array, dim: int, keepdim: bool = False) -> Array:
        index = _along(x, dim, pick)[1]
        return index if keepdim else index.squeeze(dim)

    return oracle


def _ties(*shape: int) -> Callable[[np.random.Generator], Array]:
    return lambda r: np.asarray(r.integers(0, 3, shape), np.float64)


def _with(draw: Callable[[np.random.Generator], Array], *options: object) -> Sampler:
    return lambda r: (draw(r), *options)


def _distinct(*shape: int) -> Callable[[np.random.Generator], Array]:
    return lambda r: np.asarray(r.permutation(math.prod(shape)).reshape(shape), np.float64)


NANS: list[object] = [[1, NAN, 3, NAN, -INF, INF], [NAN, NAN, 0, -1, 2, 0], [INF, 1, -INF, 1, 2, 3]]

CASES = [
    *[
        case
        for op, largest in (("argmax", True), ("argmin", False))
        for case in (
            Case(op, "ties", _with(_ties(3, 20), 1), _arg(largest), ALL),
            Case(op, "columns", _with(_ties(20, 3), 0), _arg(largest), ALL),
            Case(op, "kept", _with(_ties(2, 3, 4), 1, True), _arg(largest), ALL),
            Case(op, "nan", values(NANS, 1), _arg(largest)),
            Case(op, "nan-columns", values(NANS, 0), _arg(largest)),
            Case(op, "long-ties", lambda r: (np.ones((2, 5000)), 1), lambda x, d: np.zeros(2, np.int64), ALL),
            Case(op, "no-rows", lambda r: (np.zeros((0, 3)), 1), lambda x, d: np.zeros(0, np.int64)),
        )
    ],
    *[
        case
        for down in (False, True)
        for tail in ["-down" * down]
        for case in (
            Case("sort", f"plain{tail}", _with(_distinct(3, 4), 1, down), _sort, ALL, exact=True),
            Case("sort", f"middle{tail}", _with(_distinct(2, 3, 2), 1, down), _sort, ALL, exact=True),
            Case("sort", f"ties{tail}", _with(_ties(3, 40), 1, down), _sort, ALL, exact=True, order=0),
            Case("sort", f"columns{tail}", _with(_ties(40, 3), 0, down), _sort, ALL, exact=True, order=0),
            Case("sort", f"nan{tail}", values(NANS, 1, down), _sort, exact=True, gradients=known([[1.0] * 6] * 3)),
            Case("sort", f"size-0{tail}", _with(_ties(0, 3), 1, down), _sort, ALL),
            Case("sort", f"nothing{tail}", lambda r, d=down: (np.zeros((2, 0)), 1, d), lambda x, *o: (x, np.zeros((2, 0), np.int64))),  # type: ignore[misc]  # a default binds the loop's value
            Case("argsort", f"ties{tail}", _with(_ties(3, 40), 1, down), lambda *a: _sort(*a)[1], ALL),
            Case("argsort", f"size-0{tail}", _with(lambda r: np.zeros((2, 0)), 1, down), lambda *a: _sort(*a)[1], ALL),
            Case("topk", f"size-0{tail}", _with(lambda r: np.zeros((0, 3)), 2, 1, down), _topk, ALL, exact=True),
            Case("argsort", f"nan{tail}", values(NANS, 1, down), lambda *a: _sort(*a)[1]),
            Case("topk", f"plain{tail}", _with(_distinct(3, 4), 2, 1, down), _topk, ALL, exact=True),
            Case("topk", f"columns{tail}", _with(_distinct(5, 2), 3, 0, down), _topk, ALL, exact=True),
            Case("topk", f"ties{tail}", _with(_ties(3, 40), 7, 1, down), _topk, ALL, exact=True, order=0),
            Case("topk", f"nan{tail}", values(NANS, 4, 1, down), _topk, exact=True, order=0),
            Case("topk", f"all{tail}", _with(_distinct(2, 3), 3, 1, down), _topk, exact=True),
            Case("topk", f"none{tail}", lambda r, d=down: (r.normal(size=(2, 3)), 0, 1, d), lambda x, *o: (x[:, :0], np.zeros((2, 0), np.int64))),  # type: ignore[misc]  # a default binds the loop's value
        )
    ],
    *[
        case
        for k in (1, 3)
        for case in (
            Case("kthvalue", f"plain-{k}", _with(_distinct(3, 4), k, 1), _kth, ALL[:-1], exact=True),
            Case("kthvalue", f"columns-{k}", _with(_distinct(5, 2), k, 0, True), _kth, ALL[:-1], exact=True),
            Case("kthvalue", f"ties-{k}", _with(_ties(3, 6), k, 1), _kth, ALL, exact=True, order=0),
            Case("kthvalue", f"nan-{k}", values(NANS, k, 1), _kth, exact=True, order=0),
            Case("kthvalue", f"no-rows-{k}", _with(_ties(0, 3), k, 1), _kth),
        )
    ],
    Case("kthvalue", "tie-goes-to-the-lowest", values([2, 3, 2, 3], 2, 0), _kth, gradients=known([1, 0, 0, 0])),
    Case("kthvalue", "nan-gradient", values([NAN, 3, NAN], 3, 0), _kth, gradients=known([1, 0, 0])),
    *[
        case
        for right in (False, True)
        for tail in ["-right" * right]
        for case in (
            Case("searchsorted", f"vector{tail}", lambda r, t=right: (_sorted(r, 5), _ties(2, 3)(r), t), _searchsorted, ALL),  # type: ignore[misc]  # a default binds the loop's value
            Case("searchsorted", f"rows{tail}", lambda r, t=right: (_sorted(r, 2, 5), _ties(2, 3)(r), t), _searchsorted, ALL),  # type: ignore[misc]  # a default binds the loop's value
            Case("searchsorted", f"rank-0{tail}", lambda r, t=right: (_sorted(r, 4), np.array(1.0), t), _searchsorted),  # type: ignore[misc]  # a default binds the loop's value
            Case("searchsorted", f"nan{tail}", values([-INF, 0, 0, INF, NAN, NAN], [NAN, INF, 0, -INF, 1], right), _searchsorted),
            Case("searchsorted", f"nan-rows{tail}", values([[0, 1, NAN], [NAN, NAN, NAN]], [[NAN, 1], [5, NAN]], right), _searchsorted),
            Case("searchsorted", f"nothing{tail}", lambda r, t=right: (np.zeros(0), np.ones(2), t), _searchsorted),  # type: ignore[misc]  # a default binds the loop's value
            Case("searchsorted", f"no-values{tail}", lambda r, t=right: (np.zeros((2, 3)), np.ones((2, 0)), t), _searchsorted),  # type: ignore[misc]  # a default binds the loop's value
            Case("searchsorted", f"no-rows{tail}", lambda r, t=right: (np.zeros((0, 3)), np.ones((0, 2)), t), _searchsorted),  # type: ignore[misc]  # a default binds the loop's value
        )
    ],
    *[Case("topk", f"few-of-many-{largest}-{order}", _with(draw, 3, 1, largest), _topk, ALL[:-1], exact=True, order=order) for largest in (False, True) for draw, order in ((_ties(3, 100), 0), (_distinct(1, 90), 1))],
    *[Case("topk", f"few-nan-{largest}", lambda r, t=largest: (np.where(r.random((2, 100)) < 0.02, NAN, r.integers(0, 50, (2, 100))), 6, 1, t), _topk, exact=True, order=0) for largest in (False, True)],  # type: ignore[misc]  # a default binds the loop's value
    *[Case("topk", f"few-columns-{largest}", _with(_distinct(80, 1), 2, 0, largest), _topk, exact=True, order=0) for largest in (False, True)],
    Case("sort", "ties-gradient", values([2, 1, 2], 0), _sort, gradients=known([1, 1, 1])),
    Case("topk", "tie-goes-to-the-lowest", values([2, 3, 3, 3], 2, 0), _topk, gradients=known([0, 1, 1, 0])),
]  # fmt: skip

BAD_CALLS = [
    *[BadCall(op, "nothing", lambda r: (np.zeros((2, 0)), 1), ShapeError, ["(2, 0)"]) for op in ("argmax", "argmin")],
    BadCall("topk", "k-too-large", lambda r: (r.normal(size=(2, 3)), 4, 1), ShapeError, ["k=4", "3"]),
    *[BadCall("kthvalue", f"k-{k}", lambda r, k=k: (r.normal(size=(2, 3)), k, 1), ShapeError, [f"k={k}", "3"]) for k in (0, 4, -1)],  # type: ignore[misc]  # a default binds the loop's value
    BadCall("kthvalue", "dim", lambda r: (r.normal(size=3), 1, 1), DimError, ["dim=1"]),
    BadCall("searchsorted", "rows", lambda r: (np.zeros((2, 3)), np.zeros((3, 1))), ShapeError, ["(2, 3)", "(3, 1)"]),
    BadCall("searchsorted", "rank-0", lambda r: (np.zeros(()), np.zeros(3)), ShapeError, ["()"]),
    BadCall("topk", "k-negative", lambda r: (r.normal(size=(2, 3)), -1, 1), ShapeError, ["k=-1"]),
]  # fmt: skip
