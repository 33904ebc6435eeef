"""Cases of products of matrices."""

from __future__ import annotations

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad_ops import ShapeError


def _matmul(x: Array, y: Array) -> Array:
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x = np.broadcast_to(x, (*batch, *x.shape[-2:]))
    y = np.broadcast_to(y, (*batch, *y.shape[-2:]))
    out = np.zeros((*batch, x.shape[-2], y.shape[-1]))
    for at in np.ndindex(out.shape):
        *lead, i, j = at
        out[at] = sum(x[(*lead, i, k)] * y[(*lead, k, j)] for k in range(x.shape[-1]))
    return out


def _case(name: str, x: tuple[int, ...], y: tuple[int, ...]) -> Case:
    def sample(r: np.random.Generator) -> tuple[Array, Array]:
        return r.normal(size=x), r.normal(size=y)

    return Case("matmul", name, sample, _matmul, terms=x[-1])


CASES = [
    _case("plain", (3, 4), (4, 2)),
    _case("batched", (2, 3, 4), (2, 4, 5)),
    _case("batch-stretches", (5, 1, 2, 3), (4, 3, 2)),
    _case("inner-size-0", (2, 0), (0, 3)),
    _case("outer-size-0", (0, 3), (3, 2)),
]

BAD_CALLS = [
    BadCall("matmul", "inner-sizes", lambda r: (r.normal(size=(2, 3)), r.normal(size=(4, 2))), ShapeError),
    BadCall("matmul", "batch", lambda r: (r.normal(size=(2, 2, 3)), r.normal(size=(3, 3, 2))), ShapeError),
]
