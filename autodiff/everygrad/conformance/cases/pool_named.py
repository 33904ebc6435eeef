"""Cases of the pools by rank: the same answers, under the names people know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad.conformance.cases.pool import (
    avg_pool,
    avg_pool_backward,
    distinct,
    indices_for,
    max_pool,
    max_pool_backward,
)
from everygrad.conformance.cases.window import Index, count
from everygrad_ops import ShapeError, pool_options


def _avg(rank: int, name: str, x: Index, *given: Any) -> list[Case]:
    op, rest = (
        f"avg_pool{rank}d",
        dict(zip(("count_include_pad", "ceil_mode", "divisor_override"), given[3:])),
    )
    options = pool_options(*given[:3], rank=rank, **rest)
    grad = (*x[:2], *count(options.window, x[2:], options.ceil_mode))

    def forward(x: Array, *_: Any) -> Array:
        return avg_pool(x, options)

    def backward(x: Array, grad: Array, *_: Any) -> Array:
        return avg_pool_backward(grad, x.shape, options)

    return [
        Case(op, name, lambda r: (r.normal(size=x), *given), forward, terms=8, order=3),
        Case(
            f"{op}_backward",
            name,
            lambda r: (r.normal(size=x), r.normal(size=grad), *given),
            backward,
            terms=8,
            order=3,
            wrt=("grad",),
        ),
    ]


def _max(rank: int, name: str, x: Index, *given: Any) -> list[Case]:
    op, ceil_mode = f"max_pool{rank}d", bool(given[4:] and given[4])
    options = pool_options(*given[:4], rank=rank, ceil_mode=ceil_mode)
    grad = (*x[:2], *count(options.window, x[2:], options.ceil_mode))
    indices = indices_for(x, options)

    def values(x: Array, *_: Any) -> Array:
        return max_pool(x, options)[0]

    def both(x: Array, *_: Any) -> tuple[Array, Array]:
        return max_pool(x, options)

    def backward(x: Array, grad: Array, indices: Array, *_: Any) -> Array:
        return max_pool_backward(grad, indices, x.shape)

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return distinct(r, x), *given

    return [
        Case(op, name, sample, values, exact=True, order=3),
        Case(f"{op}_with_indices", name, sample, both, exact=True, order=3),
        Case(
            f"{op}_with_indices_backward",
            name,
            lambda r: (r.normal(size=x), r.normal(size=grad), indices, *given),
            backward,
            terms=8,
            order=3,
            wrt=("grad",),
        ),
    ]


CASES = [
    *_avg(1, "plain", (2, 2, 6), 2),
    *_avg(1, "options", (2, 2, 6), 3, 2, 1, False, True, 2),
    *_avg(2, "plain", (2, 2, 4, 5), 2),
    *_avg(2, "options", (1, 2, 6, 5), (3, 2), (2, 3), (1, 0), False, True),
    *_avg(2, "divisor", (1, 2, 5, 4), 2, 1, ((0, 1), (1, 0)), True, False, 3),
    *_avg(3, "plain", (1, 2, 4, 2, 3), 2),
    *_avg(3, "options", (1, 1, 4, 5, 3), (2, 3, 1), (2, 1, 2), (1, 1, 0), True, True),
    *_max(1, "plain", (2, 2, 6), 2),
    *_max(1, "options", (2, 2, 8), 3, 2, 1, 2, True),
    *_max(2, "plain", (2, 2, 4, 5), 2),
    *_max(2, "options", (1, 2, 6, 7), (3, 2), (2, 1), (1, 0), (1, 3), True),
    *_max(3, "plain", (1, 2, 4, 2, 3), 2),
    *_max(3, "options", (1, 1, 4, 5, 3), (2, 3, 1), (2, 1, 2), (1, 1, 0), 1, True),
]


def _bad(op: str, name: str, shapes: Sequence[Index], options: Sequence[Any], *words: str) -> BadCall:
    return BadCall(op, name, lambda r: (*(r.normal(size=s) for s in shapes), *options), ShapeError, words)


BAD_CALLS = [
    _bad("avg_pool1d", "rank", [(2, 3, 5, 5)], (2,), "3 dims"),
    _bad("avg_pool2d", "rank", [(3, 5, 5)], (2,), "4 dims"),
    _bad("avg_pool3d", "rank", [(2, 3, 5, 5)], (2,), "5 dims"),
    _bad("avg_pool2d", "too-small", [(1, 1, 3, 6)], (6,), "(3, 6)", "(0, 1)"),
    _bad("avg_pool2d", "padding", [(1, 1, 3, 6)], (2, 1, 2), "padding=2"),
    _bad("avg_pool1d", "window-of-padding-only", [(1, 1, 1)], (3, 3, 3), "padding=3"),
    _bad("avg_pool2d", "divisor-0", [(1, 1, 4, 4)], (2, 2, 0, True, False, 0), "divisor_override"),
    _bad("avg_pool2d", "stride", [(1, 1, 4, 4)], (2, (1, 0)), "stride=(1, 0)"),
    _bad("avg_pool2d_backward", "grad", [(1, 1, 4, 4), (1, 1, 2, 3)], (2,), "(1, 1, 2, 2)"),
    _bad("max_pool2d", "window-of-padding-only", [(1, 1, 1, 5)], (2, 1, (1, 0), (2, 1)), "no element"),
    _bad("max_pool1d", "kernel", [(1, 1, 4)], ((2, 2),), "kernel_size=(2, 2)"),
    _bad("max_pool3d_with_indices", "dilation", [(1, 1, 4, 4, 4)], (2, 1, 0, 0), "dilation=0"),
    BadCall(
        "max_pool2d_with_indices_backward",
        "index",
        lambda r: (np.ones((1, 1, 2, 2)), np.ones((1, 1, 1, 1)), np.array([[[[4]]]]), 2),
        IndexError,
        ("4",),
    ),
]
