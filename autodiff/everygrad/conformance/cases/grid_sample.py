"""Cases of grid sampling: each mode, padding and alignment; borders, NaN and far places; plain loops judge."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case, Sampler
from everygrad.conformance.cases.norm import LOW, WIDE
from everygrad_ops import DType, DTypeError, ShapeError

FAR = 2.0**20
Taps = list[tuple[int, float, float]]
"""(index, weight, slope)"""


def _reflect(p: float, length: int, align: bool) -> tuple[float, float]:
    low, span = (0.0, length - 1.0) if align else (-0.5, float(length))
    if not span:
        return 0.0, 0.0
    turn = math.copysign(1.0, p - low)
    laps, rest = divmod(abs(p - low), span)
    return (span - rest + low, -turn) if laps % 2 else (rest + low, turn)


def _place(g: float, length: int, align: bool) -> tuple[float, float]:
    scale = (length - 1) / 2 if align else length / 2
    p = (g + 1) * scale - (0 if align else 0.5)
    return min(max(p, -FAR), FAR), scale if abs(p) < FAR else 0.0


def _clip(p: float, length: int) -> float:
    return min(max(p, 0.0), length - 1.0)


def _key(d: float) -> tuple[float, float]:
    """Keys's kernel, a = -3/4, and its slope in d."""
    a, s, d = -0.75, math.copysign(1.0, d), abs(d)
    if d < 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1, s * (3 * (a + 2) * d**2 - 2 * (a + 3) * d)
    if d < 2:
        return a * (d**3 - 5 * d**2 + 8 * d - 4), s * a * (3 * d**2 - 10 * d + 8)
    return 0.0, 0.0


def _axis(g: float, length: int, mode: str, padding: str, align: bool) -> Taps:
    p, factor = _place(g, length, align)
    taps: Taps = []
    if mode == "bicubic":
        low = math.floor(p)
        for j in range(low - 1, low + 3):
            at = float(j)
            if padding == "reflection":
                at = _reflect(at, length, align)[0]
            if padding != "zeros":
                at = _clip(round(at), length)
            w, s = _key(p - j)
            taps.append((int(at), w, s * factor))
    else:
        if padding == "reflection":
            p, turn = _reflect(p, length, align)
            factor *= turn
        if padding != "zeros":
            factor *= 0 < p < length - 1
            p = _clip(p, length)
        if mode == "nearest":
            taps = [(round(p), 1.0, 0.0)]
        else:
            low, t = math.floor(p), p - math.floor(p)
            taps = [(low, 1 - t, -factor), (low + 1, t, factor)]
    return [tap for tap in taps if 0 <= tap[0] < length]


def _walk(x: Array, grid: Array, *how: Any) -> Iterator[tuple[Any, list[Taps] | None]]:
    """(sample, place, the taps of each axis of x), None for taps where the place is NaN."""
    for at in np.ndindex(grid.shape[:-1]):
        g = [float(v) for v in grid[at]][::-1]
        known = not any(map(math.isnan, g))
        yield at, [_axis(v, n, *how) for v, n in zip(g, x.shape[2:])] if known else None


def _sample(x: Array, grid: Array, *how: Any) -> Array:
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    for (n, *to), axes in _walk(x, grid, *how):
        if axes is None:
            out[(n, slice(None), *to)] = math.nan
            continue
        for corner in itertools.product(*axes):
            weight = math.prod(w for _, w, _ in corner)
            if weight:  # else it is not read
                out[(n, slice(None), *to)] += weight * x[(n, slice(None), *(j for j, _, _ in corner))]
    return out


def _backward(grad: Array, x: Array, grid: Array, mode: str, padding: str, align: bool, needs: Any) -> Any:
    gx, gg = np.zeros(x.shape), np.zeros(grid.shape)
    none: list[Taps] = [[]]
    for (n, *to), axes in _walk(x, grid, mode, padding, align):
        up = grad[(n, slice(None), *to)]
        for corner in itertools.product(*(axes or none)):
            place: Any = (n, slice(None), *(j for j, _, _ in corner))
            weight = math.prod(w for _, w, _ in corner)
            if weight:
                gx[place] += up * weight
            for a in range(len(corner)):
                slope = math.prod(tap[2] if b == a else tap[1] for b, tap in enumerate(corner))
                if slope:
                    gg[(n, *to, len(corner) - 1 - a)] += slope * float(np.sum(up * x[place]))
    return tuple(g if need else None for g, need in zip((gx, gg), needs))


def _grid(r: np.random.Generator, x_shape: tuple[int, ...], out: tuple[int, ...], align: bool) -> Array:
    """Places inside and outside, none near a kink: a fifth to four fifths on from an element, or an edge."""
    rank = len(x_shape) - 2
    sizes = np.array(x_shape[:1:-1], np.float64)
    elements = r.integers(-2, int(sizes.max()) + 2, size=(x_shape[0], *out, rank))
    place = elements + np.where(r.random(elements.shape) < 0.5, 0.25, 0.7)
    if align:
        return np.asarray(2 * place / (sizes - 1) - 1)
    return np.asarray((2 * place + 1) / sizes - 1)


def _cases(
    mode: str, padding: str, align: bool, shape: tuple[int, ...], out: tuple[int, ...], order: int = 2
) -> list[Case]:
    name = f"{mode}-{padding}{'-aligned' * align}-{len(shape) - 2}d{'-' * (0 in out or 0 in shape)}"
    wide: tuple[DType, ...] = WIDE

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=shape), _grid(r, shape, out, align), mode, padding, align

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=(*shape[:2], *out)), *sample(r), (True, True)

    return [
        Case("grid_sample", name, sample, _sample, wide, terms=256, scale=4.0, order=order),
        Case(
            "grid_sample_backward", f"{name}-low", backward, _backward, LOW, terms=1024, scale=16.0, order=0
        ),
        Case("grid_sample_backward", name, backward, _backward, wide, terms=1024, scale=16.0),
    ]


_IMAGE = np.array([[[[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]]])


def _at(name: str, points: Any, due: Callable[..., Any], *how: Any, image: Array = _IMAGE) -> Case:
    """Known gradients of the sum, at places given one by one."""
    grid = np.array(points, np.float64)[None, None]

    def known(x: Array, g: Array, *rest: Any) -> list[Any]:
        ones = np.ones((1, 1, *g.shape[1:-1]))
        mode, padding, align = rest
        return list(_backward(ones, x, g, mode, padding, align, (True, True)))

    return Case(
        "grid_sample", name, lambda r: (image, grid, *how), due, WIDE, gradients=known, terms=64, scale=8.0
    )


INF, NAN = math.inf, math.nan
_WILD = [[NAN, 0.0], [0.0, NAN], [INF, 0.0], [-INF, 0.5], [2.5e38, 0.0], [0.25, -3e20], [0.0, 0.0]]
_EDGES = [[-1.0, 0.0], [1.0, 0.25], [0.25, -1.0], [0.0, 1.0], [1.5, 1.5], [-1.0, -1.0]]

CASES = [
    *(
        case
        for mode, padding, align in (
            *itertools.product(("bilinear",), ("zeros", "border", "reflection"), (False, True)),
            ("nearest", "zeros", False),
            ("nearest", "border", True),
            ("nearest", "reflection", False),
            ("bicubic", "zeros", False),
            ("bicubic", "border", True),
            ("bicubic", "reflection", False),
            ("bicubic", "reflection", True),
        )
        for case in _cases(mode, padding, align, (1, 2, 3, 4), (2, 2))
    ),
    *_cases("bilinear", "zeros", False, (2, 1, 2, 3, 4), (1, 2, 1)),
    *_cases("bilinear", "reflection", True, (1, 2, 2, 3, 2), (1, 1, 3)),
    *_cases("nearest", "border", False, (1, 1, 2, 3, 2), (2, 1, 2)),
    *_cases("bicubic", "border", False, (1, 1, 2, 3, 2), (1, 1, 2)),
    *_cases("bilinear", "border", False, (2, 2, 5), (3,)),
    *_cases("bilinear", "zeros", False, (0, 2, 3, 4), (2, 2)),
    *_cases("bilinear", "border", True, (1, 2, 3, 4), (0, 2)),
    *(
        _at(f"{name}-{mode}-{padding}{'-aligned' * align}", points, _sample, mode, padding, align)
        for name, points in (("wild", _WILD), ("edges", _EDGES))
        for mode, padding, align in (
            ("bilinear", "zeros", False),
            ("bilinear", "border", True),
            ("bilinear", "border", False),
            ("bilinear", "reflection", True),
            ("nearest", "reflection", False),
            ("bicubic", "border", False),
            ("bicubic", "zeros", True),
        )
    ),
    Case(
        "grid_sample",
        "low-precision",
        lambda r: (
            r.normal(size=(1, 2, 3, 4)),
            r.uniform(-1.2, 1.2, (1, 2, 2, 2)),
            "bilinear",
            "border",
            False,
        ),
        _sample,
        (DType.float16, DType.bfloat16),
        terms=16,
        scale=4.0,
        order=0,
    ),
]


def _call(shape: tuple[int, ...], grid: tuple[int, ...], *how: str) -> Sampler:
    return lambda r: (np.ones(shape), np.zeros(grid), *(how or ("bilinear", "zeros")), False)


BAD_CALLS = [
    BadCall("grid_sample", "last-dim", _call((1, 1, 2, 2), (1, 2, 2, 3)), ShapeError, ["(1, 2, 2, 3)"]),
    BadCall("grid_sample", "rank", _call((1, 1, 2, 2), (1, 2, 2)), ShapeError, ["(1, 1, 2, 2)", "(1, 2, 2)"]),
    BadCall("grid_sample", "batch", _call((1, 1, 2, 2), (2, 2, 2, 2)), ShapeError, ["(2, 2, 2, 2)"]),
    BadCall("grid_sample", "nothing", _call((1, 1, 0, 2), (1, 2, 2, 2)), ShapeError, ["(1, 1, 0, 2)"]),
    BadCall(
        "grid_sample",
        "mode",
        _call((1, 1, 2, 2), (1, 2, 2, 2), "linear", "zeros"),
        ValueError,
        ["mode='linear'"],
    ),
    BadCall(
        "grid_sample",
        "padding",
        _call((1, 1, 2, 2), (1, 2, 2, 2), "nearest", "wrap"),
        ValueError,
        ["padding_mode='wrap'"],
    ),
    BadCall(
        "grid_sample",
        "integers",
        lambda r: (
            np.ones((1, 1, 2, 2), np.int64),
            np.zeros((1, 1, 1, 2), np.int64),
            "nearest",
            "zeros",
            False,
        ),
        DTypeError,
        ["float"],
    ),
    BadCall(
        "grid_sample_backward",
        "grad",
        lambda r: (
            np.ones((1, 1, 1, 3)),
            np.ones((1, 1, 2, 2)),
            np.zeros((1, 1, 2, 2)),
            "nearest",
            "zeros",
            False,
            (True, True),
        ),
        ShapeError,
        ["(1, 1, 1, 2)", "(1, 1, 1, 3)"],
    ),
]
