"""Cases of running sums and products, by plain loops."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, BadCall, Case
from everygrad.conformance.cases.elementwise import INF, NAN, known, values
from everygrad_ops import DType


def _prefixes(f: Callable[[Sequence[float]], float]) -> Callable[[Array, int], Array]:
    def oracle(x: Array, dim: int) -> Array:
        lines = np.moveaxis(x, dim, -1)
        out = np.zeros(lines.shape, np.float64 if x.dtype == np.float64 else np.int64)
        for at in np.ndindex(lines.shape):
            out[at] = f([v.item() for v in lines[(*at[:-1], slice(0, at[-1] + 1))]])
        return np.moveaxis(out, -1, dim)

    return oracle


SUM, PROD = _prefixes(sum), _prefixes(math.prod)


def _both(op: str, oracle: Callable[[Array, int], Array]) -> list[Case]:
    return [
        Case(op, "rows", lambda r: (r.normal(size=(2, 5)), 1), oracle, terms=5),
        Case(op, "columns", lambda r: (r.normal(size=(4, 3)), 0), oracle, terms=4),
        Case(op, "middle", lambda r: (r.normal(size=(2, 9, 2)), 1), oracle, terms=9, scale=4),
        Case(op, "one", lambda r: (r.normal(size=1), 0), oracle),
        Case(op, "nothing", lambda r: (r.normal(size=(2, 0)), 1), oracle),
        Case(op, "no-rows", lambda r: (r.normal(size=(0, 3)), 1), oracle),
        Case(op, "nan", values([1, NAN, 2, 0], 0), oracle, order=0),
        *[
            Case(op, d.value, lambda r, k=d.value: (r.integers(0, 4, (2, 4)).astype(k), 1), oracle)  # type: ignore[misc]  # a default binds the loop's value
            for d in (*INTEGERS, DType.bool_)
        ],
    ]


CASES = [
    *_both("cumsum", SUM),
    *_both("cumprod", PROD),
    Case("cumsum", "f16-beyond-2048", lambda r: (np.ones(3000), 0), lambda x, d: np.arange(1.0, 3001), FLOATS[2:], exact=True, order=0),
    Case("cumsum", "inf", values([1, INF, 2, -INF], 0), SUM, order=0),
    Case("cumsum", "int8-does-not-overflow", lambda r: (np.full(3, 100, np.int8), 0), lambda x, d: np.array([100, 200, 300])),
    Case("cumprod", "zeros-1", values([2, 0, 0, 3], 0), PROD, gradients=known([1, 2, 0, 0])),
    Case("cumprod", "zeros-2", values([0, 2, 3], 0), PROD, gradients=known([9, 0, 0])),
    Case("cumprod", "zeros-3", values([2, 3, 0], 0), PROD, gradients=known([4, 2, 6])),
    Case("cumprod", "zeros-order-3", values([[2, 0, 0, 3], [0, 1, 0, 2], [1, 2, 3, 0]], 1), PROD, order=3, scale=6),
    Case("cumprod", "f16-overflow-on-the-way", values([300, 300, 0.001], 0), PROD, [DType.float16], order=0),
]  # fmt: skip

BAD_CALLS: list[BadCall] = []
