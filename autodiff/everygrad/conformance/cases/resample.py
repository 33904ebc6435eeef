"""Cases of resizing: every mode at every rank, given scales, single elements; the oracle is plain loops."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case, Sampler
from everygrad_ops import DType, DTypeError, ShapeError
from everygrad_ops.resize import ResizeOptions, resize_options

Row = dict[int, float]


def _cubic(t: float, a: float) -> float:
    t = abs(t)
    if t < 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * (t**3 - 5 * t**2 + 8 * t - 4) if t < 2 else 0.0


def _sinc(t: float) -> float:
    return math.sin(math.pi * t) / (math.pi * t) if t else 1.0


def _kernel(o: ResizeOptions, t: float) -> float:
    if o.mode == "linear":
        return max(1 - abs(t), 0.0)
    if o.mode == "cubic":
        return _cubic(t, -0.5 if o.antialias else -0.75)
    return _sinc(t) * _sinc(t / 3) if abs(t) < 3 else 0.0


def _row(o: ResizeOptions, axis: int, length: int, i: int) -> Row:
    """What output i of an axis reads, and with which weight."""
    size, scale = o.size[axis], o.step(axis)
    step = length / size if scale is None else 1 / scale
    if o.mode in ("nearest", "nearest-exact"):
        half = 0.5 if o.mode == "nearest-exact" else 0.0
        at = (i + half) * length / size if scale is None else (i + half) / scale
        return {min(math.floor(at), length - 1): 1.0}
    if o.mode == "area":
        start, stop = i * length // size, math.ceil((i + 1) * length / size)
        return dict.fromkeys(range(start, stop), 1 / (stop - start))
    if o.align_corners:
        step = (length - 1) / (size - 1) if size > 1 else 0.0
    src = i * step if o.align_corners else (i + 0.5) * step - 0.5
    found: Row = {}
    if o.antialias:
        wide = max(step, 1.0)
        for j in range(length):
            found[j] = _kernel(o, (j - src) / wide)
    else:
        for j in range(math.floor(src) - 3, math.floor(src) + 5):
            at = min(max(j, 0), length - 1)
            found[at] = found.get(at, 0.0) + _kernel(o, j - src)
    total = sum(found.values())
    return {j: w / total for j, w in found.items() if w}


def _reads(o: ResizeOptions, shape: Sequence[int]) -> Iterator[tuple[Any, Any, float]]:
    """(place in the result, place in x, weight) within a plane."""
    rows: list[list[Row]] = [[_row(o, a, n, i) for i in range(o.size[a])] for a, n in enumerate(shape[2:])]
    for out in np.ndindex(*o.size):
        places: list[Row] = [rows[a][i] for a, i in enumerate(out)]
        axes = [list(row.items()) for row in places]
        for taps in itertools.product(*axes):
            yield out, tuple(j for j, _ in taps), math.prod(w for _, w in taps)


def _interpolate(x: Array, o: ResizeOptions) -> Array:
    out = np.zeros((*x.shape[:2], *o.size), x.dtype)
    for to, at, w in _reads(o, x.shape):
        out[(..., *to)] += x[(..., *at)] * (w if x.dtype == np.float64 else int(w))
    return out


def _backward(grad: Array, x_shape: tuple[int, ...], o: ResizeOptions) -> Array:
    out = np.zeros(x_shape)
    for to, at, w in _reads(o, x_shape):
        out[(..., *at)] += grad[(..., *to)] * w
    return out


def _cases(name: str, shape: tuple[int, ...], size: tuple[int, ...], mode: str, *rest: Any) -> list[Case]:
    o = resize_options(size, mode, *rest)

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=shape), o

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=(*shape[:2], *size)), shape, o

    full = f"{mode}-{name}"
    return [
        Case("interpolate", full, sample, _interpolate, terms=64, scale=2.0),
        Case("interpolate_backward", full, backward, _backward, terms=64, scale=4.0),
    ]


CASES = [
    *_cases("1d-up", (2, 1, 3), (5,), "nearest"),
    *_cases("2d", (1, 2, 3, 4), (5, 2), "nearest"),
    *_cases("3d", (1, 1, 2, 3, 2), (3, 2, 4), "nearest"),
    *_cases("1d-scale", (1, 1, 2), (2,), "nearest", False, False, (1.3,)),
    *_cases("2d-scale", (1, 1, 1, 2), (1, 2), "nearest", False, False, (None, 1.3)),
    *_cases("1d", (1, 2, 5), (3,), "nearest-exact"),
    *_cases("2d", (1, 1, 3, 4), (6, 3), "nearest-exact"),
    *_cases("3d", (1, 1, 2, 3, 2), (3, 2, 4), "nearest-exact"),
    *_cases("1d", (2, 1, 2), (4,), "linear"),
    *_cases("1d-aligned", (2, 1, 3), (4,), "linear", True),
    *_cases("1d-scale", (1, 1, 4), (5,), "linear", False, False, (1.3,)),
    *_cases("1d-from-one", (1, 1, 1), (3,), "linear", True),
    *_cases("1d-to-one", (1, 1, 3), (1,), "linear", True),
    *_cases("2d", (1, 2, 3, 2), (2, 5), "linear"),
    *_cases("2d-aligned", (1, 1, 3, 2), (2, 5), "linear", True),
    *_cases("2d-smooth", (1, 1, 7, 3), (2, 4), "linear", False, True),
    *_cases("2d-smooth-aligned", (1, 1, 7, 3), (2, 4), "linear", True, True),
    *_cases("1d-smooth", (1, 1, 20), (2,), "linear", False, True),
    *_cases("3d", (1, 1, 2, 3, 2), (3, 2, 1), "linear"),
    *_cases("1d", (1, 1, 4), (7,), "cubic"),
    *_cases("2d", (1, 1, 4, 3), (3, 5), "cubic"),
    *_cases("2d-aligned", (1, 1, 4, 3), (3, 5), "cubic", True),
    *_cases("2d-smooth", (1, 1, 7, 3), (2, 4), "cubic", False, True),
    *_cases("3d", (1, 1, 2, 1, 3), (3, 2, 2), "cubic"),
    *_cases("1d", (1, 1, 5), (7,), "lanczos3"),
    *_cases("2d", (1, 1, 4, 3), (3, 5), "lanczos3", True),
    *_cases("1d-smooth", (1, 1, 9), (3,), "lanczos3", False, True),
    *_cases("1d", (1, 2, 5), (3,), "area"),
    *_cases("2d", (1, 1, 3, 4), (5, 2), "area"),
    *_cases("wide", (1, 1, 40), (2,), "area"),
    *_cases("no-batch", (0, 2, 3), (5,), "linear"),
    Case(
        "interpolate",
        "integers",
        lambda r: (r.integers(0, 9, size=(1, 2, 3, 2)), resize_options((2, 3), "nearest")),
        _interpolate,
        (DType.float32,),
        order=0,
        exact=True,
    ),
    Case(
        "interpolate",
        "inf-stays-local",
        lambda r: (np.array([[[math.inf, 1.0, 2.0, 3.0]]]), resize_options((5,), "linear")),
        lambda *_: np.array([[[math.inf, math.inf, 1.5, 2.3, 3.0]]]),
        (DType.float64, DType.float32),
        order=0,
    ),
    Case(
        "interpolate_backward",
        "nan-stays-local",
        lambda r: (np.array([[[1.0, 2.0, math.nan]]]), (1, 1, 6), resize_options((3,), "nearest")),
        lambda *_: np.array([[[1.0, 0.0, 2.0, 0.0, math.nan, 0.0]]]),
        (DType.float64, DType.float32),
        order=0,
    ),
]


def _bad(shape: tuple[int, ...], *options: Any) -> Sampler:
    return lambda r: (np.ones(shape), resize_options(*options))


BAD_CALLS = [
    BadCall("interpolate", "rank", _bad((2, 3), (4,)), ShapeError, ["(2, 3)", "size=(4,)"]),
    BadCall("interpolate", "more-dims", _bad((1, 1, 2, 3), (4,)), ShapeError, ["(1, 1, 2, 3)"]),
    BadCall("interpolate", "nothing", _bad((1, 1, 0), (4,)), ShapeError, ["(1, 1, 0)"]),
    BadCall(
        "interpolate",
        "integers",
        lambda r: (np.ones((1, 1, 2), np.int64), resize_options((4,), "linear")),
        DTypeError,
        ["linear"],
    ),
    BadCall(
        "interpolate_backward",
        "grad",
        lambda r: (np.ones((1, 1, 3)), (1, 1, 2), resize_options((4,), "linear")),
        ShapeError,
        ["(1, 1, 4)", "(1, 1, 3)"],
    ),
]
