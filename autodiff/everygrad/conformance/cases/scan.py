"""Cases of running sums, products and extrema, by plain loops."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, BadCall, Case
from everygrad.conformance.cases.elementwise import INF, NAN, known, values
from everygrad.conformance.cases.reduction import FOLDS
from everygrad_ops import DType
from everygrad_ops.errors import DimError


def _prefixes(f: Callable[[Sequence[float]], float]) -> Callable[[Array, int], Array]:
    def oracle(x: Array, dim: int) -> Array:
        lines = np.moveaxis(x, dim, -1)
        out = np.zeros(lines.shape, np.float64 if x.dtype == np.float64 else np.int64)
        for at in np.ndindex(lines.shape):
            out[at] = f([v.item() for v in lines[(*at[:-1], slice(0, at[-1] + 1))]])
        return np.moveaxis(out, -1, dim)

    return oracle


SUM, PROD, LOGSUMEXP = _prefixes(sum), _prefixes(math.prod), _prefixes(FOLDS["logsumexp"])


def _extreme(largest: bool) -> Callable[[Array, int], tuple[Array, Array]]:
    """(values, indices): the first element that no later one beats; NaN beats numbers."""

    def oracle(x: Array, dim: int) -> tuple[Array, Array]:
        lines = np.moveaxis(x, dim, -1)
        out, index = np.zeros(lines.shape, x.dtype), np.zeros(lines.shape, np.int64)
        for row in np.ndindex(lines.shape[:-1]):
            best = 0
            for i, v in enumerate(lines[row].tolist()):
                top = lines[row][best].item()
                if not math.isnan(top) and (math.isnan(v) or (v > top if largest else v < top)):
                    best = i
                out[(*row, i)], index[(*row, i)] = lines[row][best], best
        return np.moveaxis(out, -1, dim), np.moveaxis(index, -1, dim)

    return oracle


def _extremes(op: str) -> list[Case]:
    oracle, down = _extreme(op == "cummax"), -1 if op == "cummin" else 1
    return [
        Case(op, "rows", lambda r: (r.permutation(10).reshape(2, 5) * 1.0, 1), oracle, exact=True),
        Case(op, "columns", lambda r: (r.permutation(12).reshape(4, 3) * 1.0, 0), oracle, exact=True),
        Case(op, "middle", lambda r: (r.permutation(36).reshape(2, 9, 2) * 1.0, 1), oracle, exact=True),
        Case(op, "ties", values([[1 * down, 3 * down, 3 * down, 1, 3 * down]], 1), oracle, exact=True, gradients=known([[1, 4, 0, 0, 0]])),
        Case(op, "nan", values([[down, NAN, 9, NAN], [NAN, 1, 2, 3]], 1), oracle, exact=True, gradients=known([[1, 3, 0, 0], [4, 0, 0, 0]])),
        Case(op, "infinite", values([-INF, -INF, INF, INF, 1], 0), oracle, exact=True, order=0),
        Case(op, "one", lambda r: (r.normal(size=1), 0), oracle),
        Case(op, "nothing", lambda r: (r.normal(size=(2, 0)), 1), oracle),
        Case(op, "no-rows", lambda r: (r.normal(size=(0, 3)), 1), oracle),
        *[
            Case(op, d.value, lambda r, k=d.value: (r.integers(0, 4, (2, 6)).astype(k), 1), oracle, exact=True)  # type: ignore[misc]  # a default binds the loop's value
            for d in (*INTEGERS, DType.bool_)
        ],
    ]  # fmt: skip


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
    *_both("logcumsumexp", LOGSUMEXP)[:7],
    Case("logcumsumexp", "minus-inf", values([-INF, -INF, 0, -INF, 1], 0), LOGSUMEXP, gradients=known([0, 0, 2 + 1 / (1 + math.e), 0, math.e / (1 + math.e)]), scale=3),
    Case("logcumsumexp", "only-minus-inf", values([[-INF, -INF]], 1), LOGSUMEXP, gradients=known([[0, 0]])),
    Case("logcumsumexp", "large", values([1000, 1000, -1000, 999], 0), LOGSUMEXP, FLOATS[:2], scale=1000),
    Case("logcumsumexp", "inf", values([1, INF, 2], 0), LOGSUMEXP, order=0),
    Case("logcumsumexp", "f16-many", lambda r: (np.zeros(3000), 0), lambda x, d: np.log(np.arange(1.0, 3001)), FLOATS[2:], order=0, scale=8),
    *_extremes("cummax"),
    *_extremes("cummin"),
    Case("cumsum", "f16-beyond-2048", lambda r: (np.ones(3000), 0), lambda x, d: np.arange(1.0, 3001), FLOATS[2:], exact=True, order=0),
    Case("cumsum", "inf", values([1, INF, 2, -INF], 0), SUM, order=0),
    Case("cumsum", "int8-does-not-overflow", lambda r: (np.full(3, 100, np.int8), 0), lambda x, d: np.array([100, 200, 300])),
    Case("cumprod", "zeros-1", values([2, 0, 0, 3], 0), PROD, gradients=known([1, 2, 0, 0])),
    Case("cumprod", "zeros-2", values([0, 2, 3], 0), PROD, gradients=known([9, 0, 0])),
    Case("cumprod", "zeros-3", values([2, 3, 0], 0), PROD, gradients=known([4, 2, 6])),
    Case("cumprod", "zeros-order-3", values([[2, 0, 0, 3], [0, 1, 0, 2], [1, 2, 3, 0]], 1), PROD, order=3, scale=6),
    Case("cumprod", "f16-overflow-on-the-way", values([300, 300, 0.001], 0), PROD, [DType.float16], order=0),
]  # fmt: skip

BAD_CALLS = [BadCall(op, "dim", lambda r: (np.ones(2), 1), DimError, ["dim=1"]) for op in ("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin")]  # fmt: skip
