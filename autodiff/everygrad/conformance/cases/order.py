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
            Case("argsort", f"nan{tail}", values(NANS, 1, down), lambda *a: _sort(*a)[1]),
            Case("topk", f"plain{tail}", _with(_distinct(3, 4), 2, 1, down), _topk, ALL, exact=True),
            Case("topk", f"columns{tail}", _with(_distinct(5, 2), 3, 0, down), _topk, ALL, exact=True),
            Case("topk", f"ties{tail}", _with(_ties(3, 40), 7, 1, down), _topk, ALL, exact=True, order=0),
            Case("topk", f"nan{tail}", values(NANS, 4, 1, down), _topk, exact=True, order=0),
            Case("topk", f"all{tail}", _with(_distinct(2, 3), 3, 1, down), _topk, exact=True),
            Case("topk", f"none{tail}", lambda r, d=down: (r.normal(size=(2, 3)), 0, 1, d), lambda x, *o: (x[:, :0], np.zeros((2, 0), np.int64))),  # type: ignore[misc]  # a default binds the loop's value
        )
    ],
    Case("sort", "ties-gradient", values([2, 1, 2], 0), _sort, gradients=known([1, 1, 1])),
    Case("topk", "tie-goes-to-the-lowest", values([2, 3, 3, 3], 2, 0), _topk, gradients=known([0, 1, 1, 0])),
]  # fmt: skip

BAD_CALLS = [
    *[BadCall(op, "nothing", lambda r: (np.zeros((2, 0)), 1), ShapeError, ["(2, 0)"]) for op in ("argmax", "argmin")],
    BadCall("topk", "k-too-large", lambda r: (r.normal(size=(2, 3)), 4, 1), ShapeError, ["k=4", "3"]),
    BadCall("topk", "k-negative", lambda r: (r.normal(size=(2, 3)), -1, 1), ShapeError, ["k=-1"]),
]  # fmt: skip
