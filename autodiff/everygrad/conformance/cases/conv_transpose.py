"""Cases of transposed convolution: at any rank, and under the names people know."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad.conformance.cases.conv import bias_backward
from everygrad.conformance.cases.window import Index, inside
from everygrad_ops import ConvTransposeOptions, ShapeError, conv_transpose_options


def result_shape(x_shape: Index, weight_shape: Index, options: ConvTransposeOptions) -> Index:
    """The shape of the result: what the last tap of the last element reaches, cropped, and the extra cells."""
    sizes: list[int] = []
    for axis, (length, k) in enumerate(zip(x_shape[2:], weight_shape[2:])):
        last = (length - 1) * options.stride[axis] + (k - 1) * options.dilation[axis]
        sizes.append(last + 1 - sum(options.padding[axis]) + options.output_padding[axis])
    return (x_shape[0], weight_shape[1] * options.groups, *sizes)


def terms(
    x: Index, weight: Index, options: ConvTransposeOptions
) -> Iterator[tuple[Index, Index, Index | None]]:
    """(index into x, index into weight, index into the result, None where it is cropped) of every product."""
    sizes = result_shape(x, weight, options)[2:]
    left = [pair[0] for pair in options.padding]
    each = weight[1]
    for at in np.ndindex(*x[2:]):
        for tap in np.ndindex(*weight[2:]):
            steps = zip(at, options.stride, left, tap, options.dilation)
            place = tuple(i * s - p + t * d for i, s, p, t, d in steps)
            real = inside(place, sizes)
            for n, c, o in np.ndindex(x[0], x[1], each):
                group = c // (x[1] // options.groups)
                yield (n, c, *at), (c, o, *tap), (n, group * each + o, *place) if real else None


def forward(x: Array, weight: Array, bias: Array | None, options: ConvTransposeOptions) -> Array:
    """The transposed convolution, product by product."""
    out = np.zeros(result_shape(x.shape, weight.shape, options))
    for i, j, k in terms(x.shape, weight.shape, options):
        if k is not None:
            out[k] += x[i] * weight[j]
    return out if bias is None else out + bias.reshape(-1, *(1,) * (x.ndim - 2))


def x_backward(grad: Array, weight: Array, x_shape: Index, options: ConvTransposeOptions) -> Array:
    """Its gradient in x."""
    out = np.zeros(x_shape)
    for i, j, k in terms(x_shape, weight.shape, options):
        out[i] += (0.0 if k is None else grad[k]) * weight[j]
    return out


def weight_backward(x: Array, grad: Array, weight_shape: Index, options: ConvTransposeOptions) -> Array:
    """Its gradient in the weight."""
    out = np.zeros(weight_shape)
    for i, j, k in terms(x.shape, weight_shape, options):
        out[j] += (0.0 if k is None else grad[k]) * x[i]
    return out


def _all(
    grad: Array, x: Array | None, weight: Array | None, x_shape: Index, weight_shape: Index, *rest: Any
) -> tuple[Array | None, Array | None, Array | None]:
    options, needs = rest
    return (
        x_backward(grad, weight, x_shape, options) if needs[0] and weight is not None else None,
        weight_backward(x, grad, weight_shape, options) if needs[1] and x is not None else None,
        bias_backward(grad) if needs[2] else None,
    )


def _joint(
    name: str, x: Index, weight: Index, options: ConvTransposeOptions, needs: Sequence[bool], order: int
) -> Case:
    grad = result_shape(x, weight, options)

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        given = r.normal(size=x) if needs[1] else None, r.normal(size=weight) if needs[0] else None
        return r.normal(size=grad), *given, x, weight, options, tuple(needs)

    count = max(math.prod(x) // max(x[1], 1), math.prod(grad[2:]) * grad[0], 8)
    return Case("conv_transpose_backward", name, sample, _all, terms=count, order=order)


def _family(
    name: str, x: Index, weight: Index, options: ConvTransposeOptions, bias: bool = True, order: int = 2
) -> list[Case]:
    grad = result_shape(x, weight, options)
    spread, count = math.prod(weight) // max(weight[1], 1), max(math.prod(x) // max(x[1], 1), 1)

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=x), r.normal(size=weight), r.normal(size=grad[1]) if bias else None, options

    return [
        Case("conv_transpose", name, sample, forward, terms=spread + 1, order=order),
        Case(
            "conv_transpose_x_backward",
            name,
            lambda r: (r.normal(size=grad), r.normal(size=weight), x, options),
            x_backward,
            terms=max(math.prod(weight[1:]), 1),
            order=order,
        ),
        Case(
            "conv_transpose_weight_backward",
            name,
            lambda r: (r.normal(size=x), r.normal(size=grad), weight, options),
            weight_backward,
            terms=count,
            order=order,
        ),
        _joint(name, x, weight, options, (True, True, bias), order),
    ]


def _named(rank: int, name: str, x: Index, weight: Index, *given: Any) -> list[Case]:
    op = f"conv_transpose{rank}d"
    plain: list[Any] = [1, 0, 0, 1, 1]
    stride, padding, more, groups, dilation = [*given, *plain[len(given) :]]
    options = conv_transpose_options(stride, padding, more, dilation, groups, rank=rank)
    grad = result_shape(x, weight, options)

    def drawn(r: np.random.Generator, *shapes: Index) -> tuple[Any, ...]:
        return tuple(r.normal(size=s) for s in shapes)

    def out(x: Array, weight: Array, bias: Array, *_: Any) -> Array:
        return forward(x, weight, bias, options)

    def in_x(x: Array, weight: Array, grad: Array, *_: Any) -> Array:
        return x_backward(grad, weight, x.shape, options)

    def in_weight(x: Array, weight: Array, grad: Array, *_: Any) -> Array:
        return weight_backward(x, grad, weight.shape, options)

    def in_bias(x: Array, bias: Array, grad: Array) -> Array:
        return bias_backward(grad)

    return [
        Case(
            op,
            name,
            lambda r: (*drawn(r, x, weight, (grad[1],)), *given),
            out,
            terms=30,
            order=3,
        ),
        Case(
            f"{op}_x_backward",
            name,
            lambda r: (*drawn(r, x, weight, grad), *given),
            in_x,
            terms=30,
            order=3,
            wrt=("weight", "grad"),
        ),
        Case(
            f"{op}_weight_backward",
            name,
            lambda r: (*drawn(r, x, weight, grad), *given),
            in_weight,
            terms=60,
            order=3,
            wrt=("x", "grad"),
        ),
        Case(
            f"{op}_bias_backward",
            name,
            lambda r: drawn(r, x, (grad[1],), grad),
            in_bias,
            terms=60,
            order=3,
            wrt=("grad",),
        ),
    ]


def _line(*values: float) -> Array:
    return np.array([[values]], np.float64)


def _known(name: str, x: Array, w: Array, options: ConvTransposeOptions, y: Array, *grads: Array) -> Case:
    return Case(
        "conv_transpose",
        name,
        lambda r: (x, w, None, options),
        lambda *_: y,
        scale=200,
        gradients=lambda *_: grads,
        order=1,
    )


_options = conv_transpose_options
_SOME = ((True, False, False), (False, True, False), (True, False, True), (False, True, True))
_STEP = _options((2, 1), ((1, 0), (0, 1)), (1, 0), groups=2, rank=2)

CASES = [
    *_family("1d", (2, 3, 4), (3, 2, 3), _options(2, 1, 1, rank=1), order=3),
    *_family("2d", (2, 2, 3, 4), (2, 3, 3, 2), _options((1, 2), (1, 0), (0, 1), rank=2), order=3),
    *_family(
        "3d", (1, 2, 2, 3, 2), (2, 2, 2, 3, 2), _options((1, 2, 2), (0, 1, 1), (0, 1, 0), rank=3), order=3
    ),
    *_family("groups", (2, 4, 3, 2), (4, 3, 2, 3), _options(2, 1, groups=2, rank=2)),
    *_family("depthwise", (2, 3, 4, 3), (3, 1, 3, 3), _options(2, 1, 1, groups=3, rank=2)),
    *_family("dilated", (1, 2, 3, 4), (2, 3, 2, 3), _options((1, 2), (1, 2), 0, (3, 2), rank=2)),
    *_family("extra-cells-within-dilation", (1, 2, 3), (2, 2, 3), _options(1, 1, 2, 3, rank=1)),
    *_family("extra-cells-from-the-padding", (1, 2, 3, 2), (2, 2, 2, 2), _options(1, 2, 1, 3, rank=2)),
    *_family("asymmetric", (2, 2, 3, 3), (2, 3, 3, 2), _options(2, ((0, 2), (1, 0)), (1, 0), rank=2)),
    *_family("asymmetric-extra", (1, 2, 4), (2, 2, 3), _options(1, ((2, 1),), 2, 3, rank=1), bias=False),
    *_family("padding-beyond-kernel", (1, 2, 6), (2, 2, 2), _options(1, 2, rank=1)),
    *_family("pointwise", (2, 3, 3, 2), (3, 2, 1, 1), _options(2, rank=2)),
    *_family("batch-0", (0, 2, 3, 3), (2, 2, 2, 2), _options(2, rank=2)),
    *_family("channels-0", (2, 0, 3, 3), (0, 2, 2, 2), _options(2, rank=2)),
    *_family("no-results", (2, 2, 3, 3), (2, 0, 2, 2), _options(2, rank=2)),
    *(
        _joint("in-" + "".join("xwb"[i] for i in range(3) if n[i]), (2, 4, 3, 3), (4, 1, 2, 3), _STEP, n, 3)
        for n in _SOME
    ),
    _known(
        "extra-cell-that-nothing-reaches",
        _line(1, 2),
        _line(1, 10, 100),
        _options(1, 0, 1, 2, rank=1),
        _line(1, 2, 10, 20, 100, 200, 0),
        _line(111, 111),
        _line(3, 3, 3),
    ),
    _known(
        "extra-cell-that-is-real",
        _line(1, 2),
        _line(1, 10, 100),
        _options(2, 1, 1, rank=1),
        _line(10, 102, 20, 200),
        _line(110, 111),
        _line(2, 3, 3),
    ),
    *_named(1, "plain", (2, 2, 4), (2, 3, 3)),
    *_named(1, "options", (1, 4, 4), (4, 2, 2), 2, ((1, 0),), 2, 2, 3),
    *_named(2, "plain", (1, 2, 3, 2), (2, 2, 2, 3)),
    *_named(2, "options", (2, 4, 3, 3), (4, 1, 2, 3), (2, 1), (1, 0), (1, 0), 2, (1, 2)),
    *_named(3, "plain", (1, 1, 2, 3, 2), (1, 2, 2, 2, 2)),
    *_named(3, "options", (1, 2, 3, 2, 2), (2, 1, 2, 2, 1), (2, 1, 2), (0, 1, 0), (1, 0, 1), 2, (1, 2, 1)),
]


def _bad(name: str, x: Index, weight: Index, options: Any, *words: str, bias: int | None = None) -> BadCall:
    return BadCall(
        "conv_transpose",
        name,
        lambda r: (
            r.normal(size=x),
            r.normal(size=weight),
            None if bias is None else r.normal(size=bias),
            options(),
        ),
        ShapeError,
        words,
    )


def _plain() -> ConvTransposeOptions:
    return _options(rank=1)


BAD_CALLS = [
    _bad("x-rank", (2, 3, 4, 4), (3, 2, 3), _plain, "3 dims"),
    _bad("weight-rank", (2, 3, 4), (3, 2, 3, 3), _plain, "weight"),
    _bad("channels", (2, 4, 4), (3, 2, 3), _plain, "channels"),
    _bad("groups", (2, 3, 4), (3, 2, 3), lambda: _options(groups=2, rank=1), "groups=2"),
    _bad("too-small", (2, 3, 1), (3, 2, 3), lambda: _options(1, 2, rank=1), "(-1,)"),
    _bad("length-0", (2, 3, 0), (3, 2, 3), _plain, "(0,)"),
    _bad("kernel-0", (2, 3, 4), (3, 2, 0), _plain, "at least 1"),
    _bad("bias", (2, 3, 4), (3, 2, 3), _plain, "bias", "(2,)", bias=3),
    _bad("output-padding", (2, 3, 4), (3, 2, 3), lambda: _options(2, 0, 2, rank=1), "output_padding"),
    _bad("stride-0", (2, 3, 4), (3, 2, 3), lambda: _options(0, rank=1), "stride"),
    _bad("groups-0", (2, 3, 4), (3, 2, 3), lambda: _options(groups=0, rank=1), "groups"),
    BadCall(
        "conv_transpose_x_backward",
        "grad",
        lambda r: (r.normal(size=(2, 2, 5)), r.normal(size=(3, 2, 3)), (2, 3, 4), _plain()),
        ShapeError,
        ("(2, 2, 6)",),
    ),
    BadCall(
        "conv_transpose_weight_backward",
        "grad",
        lambda r: (r.normal(size=(2, 3, 4)), r.normal(size=(2, 2, 5)), (3, 2, 3), _plain()),
        ShapeError,
        ("(2, 2, 6)",),
    ),
    BadCall(
        "conv_transpose_backward",
        "x-missing",
        lambda r: (
            r.normal(size=(2, 2, 6)),
            None,
            None,
            (2, 3, 4),
            (3, 2, 3),
            _plain(),
            (False, True, False),
        ),
        TypeError,
        ("x=None",),
    ),
    BadCall(
        "conv_transpose2d",
        "output-padding",
        lambda r: (r.normal(size=(1, 1, 3, 3)), r.normal(size=(1, 1, 2, 2)), None, 1, 0, 1),
        ShapeError,
        ("conv_transpose2d", "output_padding"),
    ),
    BadCall(
        "conv_transpose1d_x_backward",
        "stride",
        lambda r: (*(r.normal(size=(1, 1, 3)) for _ in range(3)), 0),
        ShapeError,
        ("stride=0",),
    ),
    BadCall(
        "conv_transpose3d_weight_backward",
        "groups",
        lambda r: (*(r.normal(size=(1, 1, 3, 3, 3)) for _ in range(3)), 1, 0, 0, 0),
        ShapeError,
        ("groups=0",),
    ),
]
