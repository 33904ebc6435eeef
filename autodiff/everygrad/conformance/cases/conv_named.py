"""Cases of the convolutions by rank: the same answers, under the names people know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case, Sampler
from everygrad.conformance.cases.conv import (
    all_backward,
    bias_backward,
    conv,
    result_shape,
    weight_backward,
    x_backward,
)
from everygrad.conformance.cases.window import Index
from everygrad_ops import ConvOptions, ShapeError, conv_options


def _family(rank: int, name: str, x: Index, weight: Index, *options: Any) -> list[Case]:
    op, parsed = f"conv{rank}d", conv_options(*options, rank=rank)
    grad = result_shape(x, weight, parsed)

    def sample(*shapes: Index) -> Sampler:
        return lambda r: (*(r.normal(size=s) for s in shapes), *options)

    def forward(x: Array, weight: Array, bias: Array, *_: Any) -> Array:
        return conv(x, weight, bias, parsed)

    def in_x(x: Array, weight: Array, grad: Array, *_: Any) -> Array:
        return x_backward(grad, weight, x.shape, parsed)

    def in_weight(x: Array, weight: Array, grad: Array, *_: Any) -> Array:
        return weight_backward(x, grad, weight.shape, parsed)

    def in_bias(x: Array, bias: Array, grad: Array) -> Array:
        return bias_backward(grad)

    def in_all(grad: Array, x: Array, weight: Array, *_: Any) -> tuple[Any, ...]:
        return all_backward(grad, x, weight, x.shape, weight.shape, parsed, (True, True, True))

    bias = (weight[0],)
    return [
        Case(op, name, sample(x, weight, bias), forward, terms=30, order=3),
        Case(
            f"{op}_x_backward", name, sample(x, weight, grad), in_x, terms=30, order=3, wrt=("weight", "grad")
        ),
        Case(
            f"{op}_weight_backward",
            name,
            sample(x, weight, grad),
            in_weight,
            terms=60,
            order=3,
            wrt=("x", "grad"),
        ),
        Case(
            f"{op}_bias_backward",
            name,
            lambda r: _three(r, x, bias, grad),
            in_bias,
            terms=60,
            order=3,
            wrt=("grad",),
        ),
        Case(
            f"{op}_backward",
            name,
            lambda r: (*_three(r, grad, x, weight), x, weight, *options),
            in_all,
            terms=60,
            order=3,
        ),
        *(_partial(op, name, x, weight, parsed, needs) for needs in _SOME),
    ]


_SOME = ((True, False, False), (False, True, True), (False, False, True))


def _partial(
    op: str, name: str, x: Index, weight: Index, options: ConvOptions, needs: tuple[bool, bool, bool]
) -> Case:
    """Some of the gradients: the operand that none of them is computed from is left out."""
    grad = result_shape(x, weight, options)

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        given = r.normal(size=x) if needs[1] else None, r.normal(size=weight) if needs[0] else None
        plain = options.stride, options.padding, options.dilation, options.groups
        return r.normal(size=grad), *given, x, weight, *plain, needs

    def oracle(grad: Array, left: Array | None, right: Array | None, *_: Any) -> tuple[Any, ...]:
        return all_backward(grad, left, right, x, weight, options, needs)

    wanted = "-".join(n for n, need in zip(("x", "weight", "bias"), needs) if need)
    return Case(f"{op}_backward", f"{name}-in-{wanted}", sample, oracle, terms=60)


def _three(r: np.random.Generator, *shapes: Index) -> tuple[Array, ...]:
    return tuple(r.normal(size=s) for s in shapes)


def _bad(
    op: str,
    name: str,
    shapes: Sequence[Index],
    options: Sequence[Any],
    *words: str,
    error: type[Exception] = ShapeError,
) -> BadCall:
    return BadCall(op, name, lambda r: (*(r.normal(size=s) for s in shapes), *options), error, words)


_CUBES = (1, 1, 3, 3, 3), (1, 1, 3, 3, 3)


CASES = [
    *_family(1, "plain", (2, 2, 6), (3, 2, 3)),
    *_family(1, "options", (2, 4, 9), (2, 2, 2), 2, ((1, 0),), 3, 2),
    *_family(2, "plain", (1, 2, 4, 5), (2, 2, 2, 3)),
    *_family(2, "options", (2, 4, 5, 6), (2, 2, 2, 3), (2, 1), (1, 0), (1, 2), 2),
    *_family(3, "plain", (1, 1, 3, 4, 3), (2, 1, 2, 2, 2)),
    *_family(3, "options", (1, 2, 4, 3, 4), (2, 1, 2, 2, 1), (2, 1, 1), (0, 1, 0), (1, 2, 1), 2),
]

BAD_CALLS = [
    _bad("conv1d", "rank", [(2, 3, 5, 5), (2, 3, 3, 3)], (), "3 dims"),
    _bad("conv2d", "rank", [(3, 5, 5), (2, 3, 3, 3)], (), "4 dims"),
    _bad("conv3d", "rank", [(2, 3, 5, 5), (2, 3, 3, 3)], (), "5 dims"),
    _bad("conv2d", "stride", [(2, 3, 5, 5), (2, 3, 3, 3)], (None, (1, 2, 3)), "stride=(1, 2, 3)"),
    _bad("conv2d", "padding", [(2, 3, 5, 5), (2, 3, 3, 3)], (None, 1, -1), "padding=-1"),
    _bad("conv2d_x_backward", "grad", [(2, 3, 5, 5), (2, 3, 3, 3), (2, 2, 3, 4)], (), "(2, 2, 3, 3)"),
    _bad("conv2d_weight_backward", "grad", [(2, 3, 5, 5), (2, 3, 3, 3), (2, 1, 3, 3)], (), "(2, 2, 3, 3)"),
    _bad(
        "conv2d_backward",
        "grad",
        [(2, 2, 3, 4), (2, 3, 5, 5), (2, 3, 3, 3)],
        ((2, 3, 5, 5), (2, 3, 3, 3)),
        "(2, 2, 3, 3)",
    ),
    _bad(
        "conv1d_backward", "stride", [(2, 2, 3), (2, 3, 5), (2, 3, 3)], ((2, 3, 5), (2, 3, 3), 0), "stride=0"
    ),
    _bad(
        "conv3d_backward",
        "x-missing",
        [(1, 1, 1, 1, 1)],
        (None, None, *_CUBES),
        "weight=None",
        error=TypeError,
    ),
    _bad("conv1d_x_backward", "stride", [(2, 3, 5), (2, 3, 3), (2, 2, 3)], (0,), "stride=0"),
    _bad(
        "conv3d_weight_backward",
        "groups",
        [(1, 1, 3, 3, 3), (1, 1, 3, 3, 3), (1, 1, 1, 1, 1)],
        (1, 0, 1, 0),
        "groups=0",
    ),
]
