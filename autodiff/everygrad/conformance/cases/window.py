"""Cases of sliding windows: unfold and fold."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, BadCall, Case
from everygrad_ops import ShapeError, Window, window

Index = tuple[int, ...]


def starts(size: int, axis: int, w: Window, ceil_mode: bool = False) -> list[int]:
    """Where each window begins on one axis, in positions of the unpadded input."""
    (left, right), s = w.padding[axis], w.stride[axis]
    reach = w.dilation[axis] * (w.kernel_size[axis] - 1) + 1
    found = list(range(-left, size + right - reach + 1, s))
    if ceil_mode:
        last, following = (found[-1], found[-1] + s) if found else (None, -left)
        if (last is None or last + reach < size + right) and following < size:
            found.append(following)
    return found


def reads(w: Window, sizes: Index, ceil_mode: bool = False) -> Iterator[tuple[Index, Index, Index]]:
    """(window, tap, position in the unpadded input) of every tap of every window."""
    grid = [list(enumerate(starts(size, axis, w, ceil_mode))) for axis, size in enumerate(sizes)]
    for at in itertools.product(*grid):
        for tap in itertools.product(*(range(k) for k in w.kernel_size)):
            place = tuple(start + t * d for (_, start), t, d in zip(at, tap, w.dilation))
            yield tuple(i for i, _ in at), tap, place


def inside(place: Index, sizes: Index) -> bool:
    """Whether a position lies in the input."""
    return all(0 <= p < size for p, size in zip(place, sizes))


def count(w: Window, sizes: Index, ceil_mode: bool = False) -> Index:
    """How many windows there are on each axis."""
    return tuple(len(starts(size, axis, w, ceil_mode)) for axis, size in enumerate(sizes))


def _row(indices: Index, sizes: Index) -> int:
    flat = 0
    for i, size in zip(indices, sizes):
        flat = flat * size + i
    return flat


def _unfold(x: Array, w: Window) -> Array:
    n, c, *rest = x.shape
    sizes, taps = tuple(rest), math.prod(w.kernel_size)
    windows = count(w, sizes)
    out = np.zeros((n, c * taps, math.prod(windows)))
    for at, tap, place in reads(w, sizes):
        if inside(place, sizes):
            for i, j in np.ndindex(n, c):
                out[i, j * taps + _row(tap, w.kernel_size), _row(at, windows)] = x[(i, j, *place)]
    return out


def _fold(x: Array, size: Index, w: Window) -> Array:
    taps = math.prod(w.kernel_size)
    n, c = x.shape[0], x.shape[1] // taps
    windows = count(w, size)
    out = np.zeros((n, c, *size))
    for at, tap, place in reads(w, size):
        if inside(place, size):
            for i, j in np.ndindex(n, c):
                out[(i, j, *place)] += x[i, j * taps + _row(tap, w.kernel_size), _row(at, windows)]
    return out


def _pair(name: str, lead: Index, sizes: Index, w: Window) -> list[Case]:
    columns = (lead[0], lead[1] * math.prod(w.kernel_size), math.prod(count(w, sizes)))
    dtypes = (*FLOATS, *INTEGERS)
    return [
        Case("unfold", name, lambda r: (_whole(r, (*lead, *sizes)), w), _unfold, dtypes=dtypes, exact=True),
        Case(
            "fold",
            name,
            lambda r: (_whole(r, columns), sizes, w),
            _fold,
            dtypes=dtypes,
            terms=math.prod(w.kernel_size),
            scale=9,
        ),
    ]


def _whole(r: np.random.Generator, shape: Index) -> Array:
    return r.integers(0, 10, size=shape).astype(np.float64)


_W2 = window(2, 1, rank=2)

CASES = [
    *_pair("1d", (2, 3), (7,), window(3, 2, 1, rank=1)),
    *_pair("2d", (2, 2), (5, 4), window((3, 2), (1, 2), 1, rank=2)),
    *_pair("3d", (1, 2), (4, 3, 5), window(2, (2, 1, 2), 0, (1, 2, 1), rank=3)),
    *_pair("asymmetric-dilated", (2, 1), (5, 6), window(2, (2, 3), ((0, 2), (3, 1)), (3, 2), rank=2)),
    *_pair("stride-beyond-kernel", (1, 2), (8, 7), window(1, (3, 2), rank=2)),
    *_pair("window-of-padding-only", (1, 1), (2,), window(1, 1, 2, rank=1)),
    *_pair("batch-0", (0, 2), (4, 4), _W2),
    *_pair("channels-0", (2, 0), (4, 4), _W2),
]

BAD_CALLS = [
    BadCall("unfold", "rank", lambda r: (r.normal(size=(2, 3, 5)), _W2), ShapeError, ("4 dims",)),
    BadCall("unfold", "too-small", lambda r: (r.normal(size=(2, 3, 1, 4)), _W2), ShapeError, ("(0, 3)",)),
    BadCall("unfold", "stride-0", lambda r: (r.normal(size=(1, 1, 4, 4)), window(2, 0, rank=2)), ShapeError),
    BadCall("unfold", "kernel-0", lambda r: (r.normal(size=(1, 1, 4, 4)), window(0, rank=2)), ShapeError),
    BadCall(
        "unfold", "dilation-0", lambda r: (r.normal(size=(1, 1, 4)), window(2, 1, 0, 0, rank=1)), ShapeError
    ),
    BadCall("unfold", "padding", lambda r: (r.normal(size=(1, 1, 4)), window(2, 1, -1, rank=1)), ShapeError),
    BadCall("fold", "count", lambda r: (r.normal(size=(2, 12, 15)), (5, 5), _W2), ShapeError, ("16",)),
    BadCall("fold", "taps", lambda r: (r.normal(size=(2, 11, 16)), (5, 5), _W2), ShapeError, ("11",)),
    BadCall("fold", "rank", lambda r: (r.normal(size=(12, 16)), (5, 5), _W2), ShapeError, ("(12, 16)",)),
]
