"""Cases of convolution at any rank."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad.conformance.cases.elementwise import fsum
from everygrad.conformance.cases.window import Index, count, inside, reads
from everygrad_ops import ConvOptions, ShapeError, conv_options

NAN, INF = float("nan"), float("inf")


def terms(
    x_shape: Index, weight_shape: Index, options: ConvOptions
) -> Iterator[tuple[Index | None, Index, Index]]:
    """(index into x, None in the padding; index into weight; index into the result) of every product."""
    sizes, (o, per_group) = x_shape[2:], weight_shape[:2]
    for at, tap, place in reads(options.window(weight_shape), sizes):
        real = inside(place, sizes)
        for n, out, c in np.ndindex(x_shape[0], o, per_group):
            first = out // (o // options.groups) * per_group
            yield (n, first + c, *place) if real else None, (out, c, *tap), (n, out, *at)


def result_shape(x_shape: Index, weight_shape: Index, options: ConvOptions) -> Index:
    """The shape of the convolution's result."""
    return (x_shape[0], weight_shape[0], *count(options.window(weight_shape), x_shape[2:]))


def conv(x: Array, weight: Array, bias: Array | None, options: ConvOptions) -> Array:
    """The convolution, product by product."""
    out = np.zeros(result_shape(x.shape, weight.shape, options))
    for i, j, k in terms(x.shape, weight.shape, options):
        out[k] += (0.0 if i is None else x[i]) * weight[j]
    return out if bias is None else out + bias.reshape(-1, *(1,) * (x.ndim - 2))


def x_backward(grad: Array, weight: Array, x_shape: Index, options: ConvOptions) -> Array:
    """Its gradient in x."""
    out = np.zeros(x_shape)
    for i, j, k in terms(x_shape, weight.shape, options):
        if i is not None:
            out[i] += grad[k] * weight[j]
    return out


def weight_backward(x: Array, grad: Array, weight_shape: Index, options: ConvOptions) -> Array:
    """Its gradient in the weight."""
    out = np.zeros(weight_shape)
    for i, j, k in terms(x.shape, weight_shape, options):
        out[j] += grad[k] * (0.0 if i is None else x[i])
    return out


def bias_backward(grad: Array) -> Array:
    """Its gradient in the bias."""
    return np.array([fsum(grad[:, o].ravel()) for o in range(grad.shape[1])])


def all_backward(
    grad: Array,
    x: Array | None,
    weight: Array | None,
    x_shape: Index,
    weight_shape: Index,
    options: ConvOptions,
    needs: Sequence[bool],
) -> tuple[Array | None, Array | None, Array | None]:
    """Its gradients in x, weight and bias, None where not needed."""
    return (
        x_backward(grad, weight, x_shape, options) if needs[0] and weight is not None else None,
        weight_backward(x, grad, weight_shape, options) if needs[1] and x is not None else None,
        bias_backward(grad) if needs[2] else None,
    )


def _family(
    name: str, x: Index, weight: Index, options: ConvOptions, bias: bool = True, order: int = 2
) -> list[Case]:
    grad = result_shape(x, weight, options)
    reach, windows = math.prod(weight[1:]), grad[0] * math.prod(grad[2:])
    return [
        Case(
            "conv",
            name,
            lambda r: (
                r.normal(size=x),
                r.normal(size=weight),
                r.normal(size=weight[0]) if bias else None,
                options,
            ),
            conv,
            terms=reach + 1,
            order=order,
        ),
        Case(
            "conv_x_backward",
            name,
            lambda r: (r.normal(size=grad), r.normal(size=weight), x, options),
            x_backward,
            terms=max(math.prod(weight) // max(weight[1], 1), 1),
            order=order,
        ),
        Case(
            "conv_weight_backward",
            name,
            lambda r: (r.normal(size=x), r.normal(size=grad), weight, options),
            weight_backward,
            terms=max(windows, 1),
            order=order,
        ),
        Case(
            "conv_bias_backward",
            name,
            lambda r: (r.normal(size=grad),),
            bias_backward,
            terms=max(windows, 1),
            order=3,
        ),
        Case(
            "conv_backward",
            name,
            lambda r: (
                *(r.normal(size=s) for s in (grad, x, weight)),
                x,
                weight,
                options,
                (True, True, bias),
            ),
            all_backward,
            terms=max(windows, math.prod(weight) // max(weight[1], 1), 1),
            order=order,
        ),
    ]


def _partial(name: str, needs: tuple[bool, bool, bool], options: ConvOptions) -> Case:
    """Some of the gradients: the operand that none of them is computed from is left out."""
    x, weight = (2, 2, 4, 5), (4, 1, 2, 3)
    grad = result_shape(x, weight, options)

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        given = r.normal(size=x) if needs[1] else None, r.normal(size=weight) if needs[0] else None
        return r.normal(size=grad), *given, x, weight, options, needs

    return Case("conv_backward", name, sample, all_backward, terms=60, order=3)


def _counting(*shape: int) -> Array:
    return np.arange(1.0, math.prod(shape) + 1).reshape(shape)


_ASYMMETRIC = conv_options((1, 2), ((1, 1), (1, 0)), (2, 1), 2, rank=2)
_SIDES = conv_options((2, 1), ((1, 0), (0, 2)), groups=2, rank=2)
_STEP = conv_options(2, 1, rank=1)
_DEEP = conv_options(1, ((3, 3), (1, 3)), (3, 2), rank=2)


def _infinite() -> Array:
    """Two rows of ones, with an inf in the first and a NaN in the second."""
    x = np.ones((1, 2, 1, 5))
    x[0, 0, 0, 1], x[0, 1, 0, 3] = INF, NAN
    return x


def _known(x: Array, weight: Array, bias: Array | None, options: ConvOptions) -> Array:
    return np.array([[[[16.0, 39], [2, 8]], [[80, 173], [42, 94]]]])


def _known_gradients(x: Array, weight: Array, bias: Array | None, options: ConvOptions) -> list[Array]:
    dx = np.array([[[[2.0, 1, 2], [4, 3, 4]], [[6, 5, 6], [8, 7, 8]]]])
    return [dx, np.array([[[[2.0, 4], [5, 10]]], [[[8, 16], [11, 22]]]])]


CASES = [
    *_family("1d", (2, 3, 7), (4, 3, 3), conv_options(2, 1, rank=1), order=3),
    *_family("2d", (2, 2, 5, 4), (3, 2, 3, 2), conv_options((1, 2), (1, 0), rank=2), order=3),
    *_family("3d", (1, 2, 3, 4, 3), (2, 2, 2, 3, 2), conv_options(1, (0, 1, 1), rank=3), order=3),
    *_family("pointwise", (2, 3, 4, 3), (5, 3, 1, 1), conv_options(rank=2)),
    *_family("pointwise-strided", (2, 3, 4, 5), (2, 3, 1, 1), conv_options(2, 1, rank=2), bias=False),
    *_family("groups", (2, 6, 5, 4), (4, 3, 2, 3), conv_options(1, 1, groups=2, rank=2)),
    *_family("depthwise", (2, 3, 5, 6), (3, 1, 3, 3), conv_options(1, 1, groups=3, rank=2)),
    *_family("depthwise-two-each", (1, 3, 5, 6), (6, 1, 3, 2), conv_options((2, 1), 1, groups=3, rank=2)),
    *_family("depthwise-1d-dilated", (2, 4, 9), (4, 1, 3), conv_options(1, 2, 2, 4, rank=1)),
    *_family("asymmetric", (2, 2, 4, 5), (3, 2, 3, 2), conv_options(1, ((0, 2), (1, 0)), (1, 2), rank=2)),
    *_family(
        "asymmetric-groups-3d",
        (1, 4, 3, 4, 3),
        (2, 2, 2, 2, 2),
        conv_options(2, ((1, 0), (0, 1), (1, 1)), 1, 2, rank=3),
    ),
    *_family("stride-drops-the-end", (1, 2, 8, 6), (2, 2, 2, 3), conv_options((4, 2), rank=2), bias=False),
    *_family("padding-beyond-kernel", (1, 2, 3, 2), (2, 2, 2, 1), conv_options(1, (3, 2), rank=2)),
    *_family("length-0-padded", (2, 2, 0), (3, 2, 2), conv_options(1, 1, rank=1)),
    *_family("batch-0", (0, 2, 4, 4), (3, 2, 3, 3), conv_options(rank=2)),
    *_family("channels-0", (2, 0, 4, 4), (3, 0, 3, 3), conv_options(rank=2)),
    *_family("no-results", (2, 2, 4, 4), (0, 2, 3, 3), conv_options(rank=2)),
    *_family("many-terms", (1, 40, 4, 5), (2, 40, 3, 2), _DEEP, bias=False),
    _partial("x-alone", (True, False, False), _SIDES),
    _partial("weight-alone", (False, True, False), _SIDES),
    _partial("bias-alone", (False, False, True), _SIDES),
    _partial("x-and-bias", (True, False, True), conv_options(1, 1, groups=2, rank=2)),
    _partial("weight-and-bias", (False, True, True), conv_options(1, 1, groups=2, rank=2)),
    Case(
        "conv",
        "pads-by-axis-and-side",
        lambda r: (_counting(1, 2, 2, 3), _counting(2, 1, 2, 2), None, _ASYMMETRIC),
        _known,
        gradients=_known_gradients,
    ),
    Case(
        "conv",
        "depthwise-inf-and-nan-stay-in-their-windows",
        lambda r: (_infinite(), np.ones((2, 1, 1, 2)), None, conv_options(groups=2, rank=2)),
        lambda *_: np.array([[[[INF, INF, 2, 2]], [[2, 2, NAN, NAN]]]]),
        order=0,
    ),
    Case(
        "conv",
        "known-1d",
        lambda r: (_counting(1, 1, 6), np.array([[[1.0, 2, -1]]]), None, _STEP),
        lambda *_: np.array([[[0.0, 4, 8]]]),
        scale=20,
        order=3,
    ),
]


def _bad(
    name: str, x: Index, weight: Index, bias: Index | None, options: ConvOptions, *words: str
) -> BadCall:
    return BadCall(
        "conv",
        name,
        lambda r: (
            r.normal(size=x),
            r.normal(size=weight),
            None if bias is None else r.normal(size=bias),
            options,
        ),
        ShapeError,
        words,
    )


def _bad_backward(
    name: str,
    grad: Index,
    error: type[Exception],
    *words: str,
    x: bool = True,
    weight: bool = True,
    x_shape: Index = (2, 3, 5, 5),
    weight_shape: Index = (2, 3, 3, 3),
) -> BadCall:
    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        given = (
            r.normal(size=(2, 3, 5, 5)) if x else None,
            r.normal(size=(2, 3, 3, 3)) if weight else None,
        )
        return r.normal(size=grad), *given, x_shape, weight_shape, _PLAIN, (True, True, True)

    return BadCall("conv_backward", name, sample, error, words)


_PLAIN = conv_options(rank=2)
_TWO = conv_options(groups=2, rank=2)

BAD_CALLS = [
    _bad("x-rank", (3, 5, 5), (2, 3, 3, 3), None, _PLAIN, "4 dims"),
    _bad("weight-rank", (2, 3, 5, 5), (2, 3, 3), None, _PLAIN, "weight"),
    _bad("options-rank", (2, 3, 5, 5), (2, 3, 3, 3), None, conv_options(rank=1), "3 dims"),
    _bad("channels", (2, 4, 5, 5), (2, 3, 3, 3), None, _PLAIN, "channels"),
    _bad("groups", (2, 4, 5, 5), (3, 2, 3, 3), None, _TWO, "groups=2"),
    _bad("too-small", (2, 3, 2, 5), (2, 3, 3, 3), None, _PLAIN, "(2, 5)", "(0, 3)"),
    _bad("kernel-0", (2, 3, 5, 5), (2, 3, 0, 3), None, _PLAIN, "at least 1"),
    _bad("bias", (2, 3, 5, 5), (2, 3, 3, 3), (3,), _PLAIN, "bias", "(2,)"),
    _bad("bias-rank", (2, 3, 5, 5), (2, 3, 3, 3), (1, 2), _PLAIN, "bias"),
    BadCall("conv", "stride-0", lambda r: (conv_options(0, rank=2),), ShapeError, ("stride",)),
    BadCall("conv", "dilation-0", lambda r: (conv_options(1, 0, 0, rank=2),), ShapeError, ("dilation",)),
    BadCall("conv", "padding", lambda r: (conv_options(1, (1, 2, 3), rank=2),), ShapeError, ("padding",)),
    BadCall("conv", "groups-0", lambda r: (conv_options(groups=0, rank=2),), ShapeError, ("groups",)),
    BadCall(
        "conv_x_backward",
        "grad",
        lambda r: (r.normal(size=(2, 2, 4, 3)), r.normal(size=(2, 3, 3, 3)), (2, 3, 5, 5), _PLAIN),
        ShapeError,
        ("(2, 2, 3, 3)",),
    ),
    BadCall(
        "conv_weight_backward",
        "grad",
        lambda r: (r.normal(size=(2, 3, 5, 5)), r.normal(size=(2, 2, 4, 3)), (2, 3, 3, 3), _PLAIN),
        ShapeError,
        ("(2, 2, 3, 3)",),
    ),
    _bad_backward("grad", (2, 2, 4, 3), ShapeError, "(2, 2, 3, 3)"),
    _bad_backward("x-shape", (2, 2, 3, 3), ShapeError, "x_shape", x_shape=(2, 3, 6, 5)),
    _bad_backward("weight-shape", (2, 2, 3, 3), ShapeError, "weight_shape", weight_shape=(2, 3, 3, 2)),
    _bad_backward("x-missing", (2, 2, 3, 3), TypeError, "x=None", x=False),
    _bad_backward("weight-missing", (2, 2, 3, 3), TypeError, "weight=None", weight=False),
]
