"""Cases of views, padding and joining. Values are only moved, so results are exact in every dtype."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, Case, bad_call
from everygrad_ops import DType, DTypeError
from everygrad_ops.errors import DimError

EVERY = (*FLOATS, *INTEGERS, DType.bool_)


def _draw(r: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Whole numbers, so that integers and booleans see more than one value too."""
    return np.asarray(r.integers(-3, 4, size=shape), dtype=np.float64)


def _moved(op: str, name: str, shape: tuple[int, ...], *options: Any, oracle: Callable[..., Any]) -> Case:
    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return (_draw(r, shape), *options)

    return Case(op, name, sample, oracle, dtypes=EVERY, exact=True)


def _flat(x: Array) -> list[float]:
    """The elements in row-major order, by counting."""
    return [x[at] for at in itertools.product(*(range(s) for s in x.shape))]


def _fill(shape: Sequence[int], at: Callable[[tuple[int, ...]], Any]) -> Array:
    """An array of which each element is asked for by its position."""
    out = np.zeros(tuple(shape))
    for position in itertools.product(*(range(s) for s in shape)):
        out[position] = at(position)
    return out


def _reshape(x: Array, shape: tuple[int, ...]) -> Array:
    flat = iter(_flat(x))
    return _fill(shape, lambda _: next(flat))


def _permute(x: Array, dims: tuple[int, ...]) -> Array:
    def at(p: tuple[int, ...]) -> float:
        source = [0] * len(dims)
        for i, d in enumerate(dims):
            source[d] = p[i]
        return float(x[tuple(source)])

    return _fill([x.shape[d] for d in dims], at)


def _broadcast_to(x: Array, shape: tuple[int, ...]) -> Array:
    extra = len(shape) - x.ndim
    return _fill(shape, lambda p: x[tuple(0 if s == 1 else i for i, s in zip(p[extra:], x.shape))])


def _slice(x: Array, slices: Sequence[tuple[int, int, int]]) -> Array:
    sizes = [size for _, size, _ in slices]
    return _fill(sizes, lambda p: x[tuple(a + i * step for i, (a, _, step) in zip(p, slices))])


def _slice_scatter(x: Array, src: Array, slices: Sequence[tuple[int, int, int]]) -> Array:
    out = np.array(x)
    for p in itertools.product(*(range(size) for _, size, _ in slices)):
        out[tuple(a + i * step for i, (a, _, step) in zip(p, slices))] = src[p]
    return out


def _pad(x: Array, padding: Sequence[tuple[int, int]], value: float = 0) -> Array:
    def at(p: tuple[int, ...]) -> float:
        source = tuple(i - left for i, (left, _) in zip(p, padding))
        inside = all(0 <= i < s for i, s in zip(source, x.shape))
        return float(x[source]) if inside else value

    return _fill([s + left + right for s, (left, right) in zip(x.shape, padding)], at)


def _cat(xs: Sequence[Array], dim: int) -> Array:
    where = [(x, i) for x in xs for i in range(x.shape[dim])]
    shape = list(xs[0].shape)
    shape[dim] = len(where)

    def at(p: tuple[int, ...]) -> float:
        x, i = where[p[dim]]
        return float(x[(*p[:dim], i, *p[dim + 1 :])])

    return _fill(shape, at)


def _sum_to(x: Array, shape: tuple[int, ...]) -> Array:
    out = np.zeros(shape)
    extra = x.ndim - len(shape)
    for p in itertools.product(*(range(s) for s in x.shape)):
        out[tuple(0 if s == 1 else i for i, s in zip(p[extra:], shape))] += x[p]
    return out


def _flip(x: Array, dims: tuple[int, ...]) -> Array:
    return _fill(x.shape, lambda p: x[tuple(x.shape[d] - 1 - i if d in dims else i for d, i in enumerate(p))])


def _stack(xs: Sequence[Array], dim: int) -> Array:
    shape = (*xs[0].shape[:dim], len(xs), *xs[0].shape[dim:])
    return _fill(shape, lambda p: xs[p[dim]][(*p[:dim], *p[dim + 1 :])])


def _split(x: Array, sizes: tuple[int, ...], dim: int) -> tuple[Array, ...]:
    whole = [(0, s, 1) for s in x.shape]
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    return tuple(_slice(x, [*whole[:dim], (a, n, 1), *whole[dim + 1 :]]) for a, n in zip(starts, sizes))


def _repeat(x: Array, repeats: tuple[int, ...]) -> Array:
    full = (*(1,) * (len(repeats) - x.ndim), *x.shape)
    extra = len(repeats) - x.ndim
    return _fill(
        [r * s for r, s in zip(repeats, full)],
        lambda p: x[tuple(i % s for i, s in zip(p[extra:], x.shape))],
    )


def _roll(x: Array, shifts: tuple[int, ...], dims: tuple[int, ...]) -> Array:
    def at(p: tuple[int, ...]) -> float:
        source = list(p)
        for shift, dim in zip(shifts, dims):
            source[dim] = (source[dim] - shift) % x.shape[dim]
        return float(x[tuple(source)])

    return _fill(x.shape, at)


def _triangle(lower: bool) -> Callable[..., Array]:
    def oracle(x: Array, diagonal: int = 0) -> Array:
        def at(p: tuple[int, ...]) -> float:
            offset = p[-1] - p[-2]
            return float(x[p]) if (offset <= diagonal if lower else offset >= diagonal) else 0.0

        return _fill(x.shape, at)

    return oracle


def _pad_mode(x: Array, padding: Sequence[tuple[int, int]], mode: str) -> Array:
    def inside(i: int, s: int) -> int:
        if mode == "circular":
            return i % s
        if mode == "replicate":
            return min(max(i, 0), s - 1)
        return -i if i < 0 else 2 * (s - 1) - i if i >= s else i

    return _fill(
        [s + left + right for s, (left, right) in zip(x.shape, padding)],
        lambda p: x[tuple(inside(i - left, s) for i, (left, _), s in zip(p, padding, x.shape))],
    )


def _several(
    op: str, name: str, shapes: Sequence[tuple[int, ...]], dim: int, oracle: Callable[..., Any]
) -> Case:
    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return [_draw(r, shape) for shape in shapes], dim

    return Case(op, name, sample, oracle, dtypes=EVERY, exact=True)


def _scatter(name: str, shape: tuple[int, ...], slices: tuple[tuple[int, int, int], ...]) -> Case:
    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return _draw(r, shape), _draw(r, tuple(size for _, size, _ in slices)), slices

    return Case("slice_scatter", name, sample, _slice_scatter, dtypes=EVERY, exact=True)


def _padded_b025(x: Array, padding: Any) -> Array:
    planes = [
        [[0, 0, 0, 0], [0, 1, 2, 3], [0, 4, 5, 6], [0, 0, 0, 0]],
        [[0, 0, 0, 0], [0, 7, 8, 9], [0, 10, 11, 12], [0, 0, 0, 0]],
    ]
    return np.array([planes], dtype=np.float64)


CASES = [
    _moved("reshape", "split-a-dim", (2, 6), (2, 3, 2), oracle=_reshape),
    _moved("reshape", "to-rank-0", (1, 1), (), oracle=_reshape),
    _moved("reshape", "from-rank-0", (), (1, 1, 1), oracle=_reshape),
    _moved("reshape", "size-0", (2, 0, 3), (0, 7), oracle=_reshape),
    _moved("reshape", "same", (2, 3), (2, 3), oracle=_reshape),
    _moved("permute", "three", (2, 3, 4), (2, 0, 1), oracle=_permute),
    _moved("permute", "four", (2, 3, 1, 4), (3, 1, 0, 2), oracle=_permute),
    _moved("permute", "rank-0", (), (), oracle=_permute),
    _moved("permute", "size-0", (2, 0), (1, 0), oracle=_permute),
    _moved("broadcast_to", "new-dims", (3,), (2, 4, 3), oracle=_broadcast_to),
    _moved("broadcast_to", "stretched", (2, 1, 3), (2, 4, 3), oracle=_broadcast_to),
    _moved("broadcast_to", "both", (2, 1), (3, 2, 4), oracle=_broadcast_to),
    _moved("broadcast_to", "rank-0", (), (2, 2), oracle=_broadcast_to),
    _moved("broadcast_to", "one-to-zero", (2, 1), (2, 0), oracle=_broadcast_to),
    _moved("broadcast_to", "same", (2, 3), (2, 3), oracle=_broadcast_to),
    Case("sum_to", "leading", lambda r: (r.normal(size=(2, 4, 3)), (3,)), _sum_to, terms=8),
    Case("sum_to", "stretched", lambda r: (r.normal(size=(2, 4, 3)), (2, 1, 3)), _sum_to, terms=4),
    Case("sum_to", "to-rank-0", lambda r: (r.normal(size=(2, 3)), ()), _sum_to, terms=6),
    Case("sum_to", "of-nothing", lambda r: (r.normal(size=(4, 0)), (4, 1)), _sum_to),
    Case("sum_to", "same", lambda r: (r.normal(size=(2, 3)), (2, 3)), _sum_to),
    _moved("slice", "steps", (5, 7), ((1, 2, 2), (0, 3, 3)), oracle=_slice),
    _moved("slice", "falling", (5, 4), ((4, 5, -1), (2, 2, -2)), oracle=_slice),
    _moved("slice", "falling-to-first", (6,), ((4, 3, -2),), oracle=_slice),
    _moved("slice", "one-falling-far", (6,), ((1, 1, -5),), oracle=_slice),
    _moved("slice", "nothing", (3, 2), ((3, 0, 1), (0, 2, 1)), oracle=_slice),
    _moved("slice", "nothing-falling", (3,), ((0, 0, -1),), oracle=_slice),
    _moved("slice", "rank-0", (), (), oracle=_slice),
    _moved("slice", "of-nothing", (0, 2), ((0, 0, 1), (1, 1, 1)), oracle=_slice),
    _moved("slice", "whole", (3, 2), ((0, 3, 1), (0, 2, 1)), oracle=_slice),
    _scatter("steps", (5, 7), ((1, 2, 2), (0, 3, 3))),
    _scatter("falling", (5, 4), ((4, 3, -2), (3, 4, -1))),
    _scatter("nothing", (3, 2), ((0, 0, 1), (0, 2, 1))),
    _scatter("rank-0", (), ()),
    _scatter("whole", (2, 3), ((0, 2, 1), (0, 3, 1))),
    _moved("pad", "zeros", (2, 3), ((1, 0), (2, 1)), oracle=_pad),
    _moved("pad", "value", (2, 1, 3), ((0, 0), (1, 1), (0, 2)), 1, oracle=_pad),
    Case(
        "pad",
        "minus-inf",
        lambda r: (r.normal(size=(3,)), ((2, 1),), float("-inf")),
        _pad,
        exact=True,
        order=0,
    ),
    _moved("pad", "none", (2, 3), ((0, 0), (0, 0)), oracle=_pad),
    _moved("pad", "size-0", (0, 2), ((1, 1), (0, 1)), oracle=_pad),
    _moved("pad", "rank-0", (), (), oracle=_pad),
    _several("cat", "two", [(2, 3), (2, 1)], 1, _cat),
    _several("cat", "three-first-dim", [(1, 2, 2), (3, 2, 2), (2, 2, 2)], 0, _cat),
    _several("cat", "middle", [(2, 1, 3), (2, 2, 3)], 1, _cat),
    _several("cat", "one", [(2, 3)], 0, _cat),
    _several("cat", "with-nothing", [(2, 0), (2, 3), (2, 0)], 1, _cat),
    _several("cat", "all-nothing", [(0,), (0,)], 0, _cat),
    _moved("flip", "both", (2, 3), (0, 1), oracle=_flip),
    _moved("flip", "middle", (2, 3, 2), (1,), oracle=_flip),
    _moved("flip", "none", (2, 3), (), oracle=_flip),
    _moved("flip", "size-0", (0, 2), (0, 1), oracle=_flip),
    _several("stack", "first", [(2, 3), (2, 3)], 0, _stack),
    _several("stack", "last", [(2, 3), (2, 3), (2, 3)], 2, _stack),
    _several("stack", "rank-0", [(), (), ()], 0, _stack),
    _several("stack", "one-of-nothing", [(0, 2)], 1, _stack),
    _moved("split", "uneven", (2, 6), (1, 3, 2), 1, oracle=_split),
    _moved("split", "size-0", (4, 0), (1, 3), 0, oracle=_split),
    _moved("repeat", "size-0", (0, 2), (2, 1), oracle=_repeat),
    _moved("broadcast_to", "size-0", (0, 2), (3, 0, 2), oracle=_broadcast_to),
    _moved("split", "with-nothing", (3, 2), (0, 3, 0), 0, oracle=_split),
    _moved("repeat", "vector", (2,), (3,), oracle=_repeat),
    _moved("repeat", "matrix", (2, 3), (2, 2), oracle=_repeat),
    _moved("repeat", "new-dims", (2, 1), (2, 1, 3), oracle=_repeat),
    _moved("repeat", "rank-0", (), (2, 2), oracle=_repeat),
    _moved("repeat", "none", (2, 3), (0, 2), oracle=_repeat),
    _moved("repeat", "once", (2, 3), (1, 1, 1), oracle=_repeat),
    _moved("roll", "one", (5,), (2,), (0,), oracle=_roll),
    _moved("roll", "two-dims", (3, 4), (-1, 5), (0, 1), oracle=_roll),
    _moved("roll", "same-dim-twice", (3, 4), (1, 2), (1, 1), oracle=_roll),
    _moved("roll", "size-0", (0, 2), (1, 1), (0, 1), oracle=_roll),
    *(
        _moved(op, name, shape, diagonal, oracle=_triangle(op == "tril"))
        for op in ("tril", "triu")
        for name, shape, diagonal in [
            ("main", (3, 4), 0),
            ("above", (4, 3), 1),
            ("below", (2, 3, 3), -1),
            ("beyond", (2, 2), 5),
            ("size-0", (0, 3), 0),
        ]
    ),
    *(
        _moved("pad_mode", f"{mode}-{name}", shape, padding, mode, oracle=_pad_mode)
        for mode in ("reflect", "replicate", "circular")
        for name, shape, padding in [
            ("vector", (4,), ((2, 3),)),
            ("size-0", (0, 4), ((0, 0), (2, 1))),
            ("last-two", (2, 3, 4), ((0, 0), (2, 0), (1, 3))),
            ("none", (2,), ((0, 0),)),
        ]
    ),
    # B025: in torch's flat order left, right, top, bottom = 1, 0, 1, 1
    Case(
        "pad",
        "last-dim-first",
        lambda r: (np.arange(1.0, 13.0).reshape(1, 2, 2, 3), ((0, 0), (0, 0), (1, 1), (1, 0))),
        _padded_b025,
        exact=True,
    ),
]


_ones = np.ones

BAD_CALLS = [
    bad_call("reshape", "size", _ones((2, 3)), (4,), words=["(2, 3)", "(4,)"]),
    bad_call("reshape", "minus-one", _ones((2, 3)), (-1,), words=["-1"]),
    bad_call("reshape", "negative", _ones((2, 3)), (-2, -3)),
    bad_call("permute", "twice", _ones((2, 3)), (0, 0)),
    bad_call("permute", "too-few", _ones((2, 3)), (0,)),
    bad_call("permute", "out-of-range", _ones((2, 3)), (0, 2), error=DimError),
    bad_call("permute", "negative", _ones((2, 3)), (-1, 0), error=DimError),
    bad_call("broadcast_to", "size", _ones((2, 3)), (2, 4), words=["(2, 4)"]),
    bad_call("broadcast_to", "fewer-dims", _ones((2, 3)), (3,)),
    bad_call("broadcast_to", "minus-one", _ones((2, 3)), (2, -1)),
    bad_call("broadcast_to", "negative", _ones((1,)), (-2,)),
    bad_call("slice", "too-few", _ones((2, 3)), ((0, 1, 1),)),
    bad_call("slice", "too-many", _ones((2,)), ((0, 1, 1), (0, 1, 1))),
    bad_call("slice", "beyond-the-end", _ones((4,)), ((2, 3, 1),)),
    bad_call("slice", "before-the-start", _ones((4,)), ((1, 3, -1),)),
    bad_call("slice", "step-0", _ones((4,)), ((1, 1, 0),)),
    bad_call("slice", "negative-size", _ones((4,)), ((1, -1, 1),)),
    bad_call("slice", "negative-start", _ones((4,)), ((-1, 1, 1),)),
    bad_call(
        "slice_scatter", "src-stretches", _ones((4,)), _ones((1,)), ((0, 2, 1),), words=["(2,)", "(1,)"]
    ),
    bad_call("slice_scatter", "src-rank", _ones((4,)), _ones(()), ((0, 1, 1),)),
    bad_call("slice_scatter", "beyond", _ones((4,)), _ones((2,)), ((3, 2, 1),)),
    bad_call("slice_scatter", "dtype", _ones((4,)), _ones((2,), np.int64), ((0, 2, 1),), error=DTypeError),
    bad_call("pad", "negative", _ones((2, 3)), ((0, 0), (-1, 0)), words=["-1"]),
    bad_call("pad", "too-few", _ones((2, 3)), ((1, 1),)),
    bad_call("pad", "too-many", _ones((2,)), ((1, 1), (1, 1))),
    bad_call("cat", "nothing", [], 0),
    bad_call("cat", "sizes", [_ones((2, 3)), _ones((3, 3))], 1, words=["(2, 3)", "(3, 3)"]),
    bad_call("cat", "ranks", [_ones((0,)), _ones((2, 3))], 0),
    bad_call("cat", "rank-0", [_ones(()), _ones(())], 0, error=DimError),
    bad_call("cat", "dim", [_ones((2,)), _ones((2,))], 1, error=DimError),
    bad_call("cat", "negative-dim", [_ones((2,)), _ones((2,))], -1, error=DimError),
    bad_call("cat", "dtypes", [_ones((2,)), _ones((2,), np.int64)], 0, error=DTypeError),
    bad_call("flip", "dim", _ones((2,)), (1,), error=DimError),
    bad_call("stack", "nothing", [], 0),
    bad_call("stack", "shapes", [_ones((2,)), _ones((3,))], 0, words=["(3,)"]),
    bad_call("stack", "dim", [_ones((2,))], 2, error=DimError),
    bad_call("split", "sizes", _ones((4,)), (1, 2), 0, words=["4"]),
    bad_call("split", "negative", _ones((4,)), (5, -1), 0),
    bad_call("split", "dim", _ones((4,)), (4,), 1, error=DimError),
    bad_call("repeat", "too-few", _ones((2, 3)), (2,)),
    bad_call("repeat", "negative", _ones((2,)), (-1,)),
    bad_call("roll", "counts", _ones((2, 3)), (1,), (0, 1)),
    bad_call("roll", "dim", _ones((2,)), (1,), (1,), error=DimError),
    bad_call("tril", "vector", _ones((3,))),
    bad_call("triu", "rank-0", _ones(())),
    bad_call("pad_mode", "too-long", _ones((3,)), ((3, 0),), "reflect", words=["2"]),
    bad_call("pad_mode", "of-nothing", _ones((0,)), ((1, 0),), "replicate"),
    bad_call("pad_mode", "unknown", _ones((3,)), ((1, 0),), "mirror", error=ValueError, words=["mirror"]),
    bad_call("pad_mode", "negative", _ones((3,)), ((-1, 0),), "circular"),
]
