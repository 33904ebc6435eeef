"""Cases of deformable convolution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad.conformance.cases.window import Index
from everygrad_ops import ShapeError
from everygrad_ops.deform_options import DeformOptions, deform_options

NAN, INF = float("nan"), float("inf")


def _weights(y: float, x: float, sizes: Index) -> list[tuple[int, int, float, float, float]]:
    """(row, column, share, its slope in y, its slope in x) of the real neighbours of a place."""
    if not (math.isfinite(y) and math.isfinite(x)):
        return []
    top, left = math.floor(y), math.floor(x)
    found: list[tuple[int, int, float, float, float]] = []
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        if 0 <= top + i < sizes[0] and 0 <= left + j < sizes[1]:
            down, right = (y - top if i else 1 - y + top), (x - left if j else 1 - x + left)
            found.append((top + i, left + j, down * right, (2 * i - 1) * right, (2 * j - 1) * down))
    return found


def _all(
    x: Array,
    offset: Array,
    weight: Array,
    mask: Array | None,
    bias: Array | None,
    g: Array | None,
    *rest: Any,
) -> tuple[Array, list[Array]]:
    """The result, and the gradients of sum(out * g) in x, offset, weight and mask: product by product."""
    options: DeformOptions = rest[0]
    (n, c, *sizes), (o, each, kh, kw) = x.shape, weight.shape
    oh, ow = offset.shape[2:]
    out = np.zeros((n, o, oh, ow))
    gx, go, gw = np.zeros(x.shape), np.zeros(offset.shape), np.zeros(weight.shape)
    gm = np.zeros(() if mask is None else mask.shape)
    for b, k, i, j, ch, p, q in np.ndindex(n, o, oh, ow, each, kh, kw):
        channel = k // (o // options.groups) * each + ch
        tap = channel // (c // options.offset_groups) * kh * kw + p * kw + q
        dy, dx = float(offset[b, 2 * tap, i, j]), float(offset[b, 2 * tap + 1, i, j])
        y = i * options.stride[0] - options.padding[0][0] + p * options.dilation[0] + dy
        z = j * options.stride[1] - options.padding[1][0] + q * options.dilation[1] + dx
        scale = 1.0 if mask is None else float(mask[b, tap, i, j])
        w, up = float(weight[k, ch, p, q]), 1.0 if g is None else float(g[b, k, i, j])
        read = NAN if math.isnan(y) or math.isnan(z) else 0.0
        for r, s, share, by_y, by_x in _weights(y, z, (sizes[0], sizes[1])):
            v = float(x[b, channel, r, s])
            read += v * share
            gx[b, channel, r, s] += up * w * scale * share
            go[b, 2 * tap, i, j] += up * w * scale * v * by_y
            go[b, 2 * tap + 1, i, j] += up * w * scale * v * by_x
        out[b, k, i, j] += w * scale * read
        gw[k, ch, p, q] += up * scale * read
        if mask is not None:
            gm[b, tap, i, j] += up * w * read
    if bias is not None:
        out += bias.reshape(-1, 1, 1)
    return out, [gx, go, gw, gm]


def _forward(
    x: Array, offset: Array, weight: Array, mask: Array | None, bias: Array | None, options: DeformOptions
) -> Array:
    return _all(x, offset, weight, mask, bias, None, options)[0]


def _backward(
    x: Array,
    offset: Array,
    weight: Array,
    mask: Array | None,
    grad: Array,
    options: DeformOptions,
    *rest: Any,
) -> tuple[Array | None, ...]:
    needs = rest[0] if rest else (True,) * 5
    found = _all(x, offset, weight, mask, None, grad, options)[1]
    both: list[Any] = [*found[:3], None if mask is None else found[3], grad.sum((0, 2, 3))]
    return tuple(v if need else None for v, need in zip(both, needs))


def _size(x: Index, weight: Index, options: DeformOptions) -> Index:
    sides = zip(x[2:], weight[2:], options.stride, options.padding, options.dilation)
    return tuple((length + sum(pad) - d * (k - 1) - 1) // s + 1 for length, k, s, pad, d in sides)


def _offsets(r: np.random.Generator, shape: Index) -> Array:
    """Far from whole numbers, where the slope jumps, and partly outside of the image."""
    return r.integers(-2, 3, size=shape) + r.uniform(0.3, 0.7, size=shape)


def _family(name: str, x: Index, weight: Index, options: DeformOptions, masked: bool = True) -> list[Case]:
    size, taps = _size(x, weight, options), options.offset_groups * weight[2] * weight[3]
    grad = (x[0], weight[0], *size)

    def given(r: np.random.Generator) -> tuple[Any, ...]:
        mask = r.uniform(0.2, 1, size=(x[0], taps, *size)) if masked else None
        offset = _offsets(r, (x[0], 2 * taps, *size))
        return r.normal(size=x), offset, r.normal(size=weight), mask

    terms = 8 * math.prod(weight) * max(math.prod(size), 1)
    return [
        Case(
            "deform_conv2d",
            name,
            lambda r: (*given(r), r.normal(size=weight[0]) if masked else None, options),
            _forward,
            terms=terms,
        ),
        Case(
            "deform_conv2d_backward",
            name,
            lambda r: (*given(r), r.normal(size=grad), options),
            _backward,
            terms=terms,
        ),
    ]


def _one(name: str, offset: tuple[float, float], y: float, *grads: Any, order: int = 1) -> Case:
    """One tap of weight 1 over [[1, 2], [3, 4]], at its upper left element."""
    x, moved = np.array([[[[1.0, 2], [3, 4]]]]), np.array(offset, np.float64).reshape(1, 2, 1, 1)
    known = [np.array(g, np.float64).reshape(s) for g, s in zip(grads, (x.shape, moved.shape, (1, 1, 1, 1)))]
    return Case(
        "deform_conv2d",
        name,
        lambda r: (x, moved, np.ones((1, 1, 1, 1)), None, None, deform_options(2)),
        lambda *_: np.array([[[[y]]]], np.float64),
        scale=4,
        order=order,
        gradients=(lambda *_: known) if grads else None,
    )


_PLAIN = deform_options()

CASES = [
    *_family("plain", (1, 2, 3, 4), (2, 2, 2, 2), _PLAIN),
    *_family("first-version", (2, 2, 4, 3), (1, 2, 2, 2), deform_options(1, 1), masked=False),
    *_family("groups", (1, 4, 3, 3), (2, 2, 2, 1), deform_options((1, 2), (1, 0), 1, 2, 2)),
    *_family("dilated", (1, 2, 4, 5), (1, 2, 2, 2), deform_options(2, ((1, 0), (0, 1)), (1, 2), 1, 2)),
    *_family("batch-0", (0, 2, 3, 3), (2, 2, 2, 2), _PLAIN),
    Case(
        "deform_conv2d_backward",
        "in-offset-alone",
        lambda r: (
            r.normal(size=(1, 1, 3, 3)),
            _offsets(r, (1, 8, 2, 2)),
            r.normal(size=(1, 1, 2, 2)),
            None,
            r.normal(size=(1, 1, 2, 2)),
            _PLAIN,
            (False, True, False, False, False),
        ),
        _backward,
        terms=40,
    ),
    _one("between", (0.5, 0.5), 2.5, [[0.25, 0.25], [0.25, 0.25]], [2, 1], [2.5]),
    _one("half-outside", (-0.5, 0), 0.5, [[0.5, 0], [0, 0]], [1, 0.5], [0.5]),
    _one("at-the-edge-of-nothing", (-1, 0), 0, [[0, 0], [0, 0]], [1, 0], [0]),
    _one("outside", (-1.5, 7), 0, [[0, 0], [0, 0]], [0, 0], [0]),
    _one("far-outside", (INF, -INF), 0, [[0, 0], [0, 0]], [0, 0], [0]),
    _one("nan", (NAN, 0), NAN, order=0),
]


def _bad(name: str, offset: Index, mask: Index | None, options: Any, *words: str) -> BadCall:
    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        given = None if mask is None else r.normal(size=mask)
        return (
            r.normal(size=(1, 2, 3, 3)),
            r.normal(size=offset),
            r.normal(size=(1, 2, 2, 2)),
            given,
            None,
            options(),
        )

    return BadCall("deform_conv2d", name, sample, ShapeError, words)


BAD_CALLS = [
    _bad("offset", (1, 4, 2, 2), None, lambda: _PLAIN, "offset", "(1, 8, 2, 2)"),
    _bad("mask", (1, 8, 2, 2), (1, 8, 2, 2), lambda: _PLAIN, "mask", "(1, 4, 2, 2)"),
    _bad("offset-groups", (1, 8, 2, 2), None, lambda: deform_options(offset_groups=3), "offset_groups=3"),
    _bad("groups", (1, 8, 2, 2), None, lambda: deform_options(groups=2), "groups=2"),
    _bad("no-groups", (1, 8, 2, 2), None, lambda: deform_options(offset_groups=0), "offset_groups=0"),
    BadCall(
        "deform_conv2d_backward",
        "grad",
        lambda r: (
            *(r.normal(size=s) for s in ((1, 2, 3, 3), (1, 8, 2, 2), (1, 2, 2, 2))),
            None,
            r.normal(size=(1, 1, 2, 3)),
            _PLAIN,
        ),
        ShapeError,
        ("grad", "(1, 1, 2, 2)"),
    ),
]
