"""Cases of normalisation: plain, ill-conditioned, constant, empty; to order three."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad.conformance.cases.elementwise import fsum
from everygrad_ops import DType, ShapeError

WIDE = (DType.float64, DType.float32)
LOW = (DType.float16, DType.bfloat16)


def standardised(values: Sequence[float], eps: float) -> tuple[list[float], float, float, float]:
    """(normalised, mean, biased var, 1 / sqrt(var + eps)) by exact fractions."""
    if not all(map(math.isfinite, values)):
        return [math.nan] * len(values), math.nan, math.nan, math.nan
    exact = [Fraction(v) for v in values]
    mean = sum(exact, Fraction()) / len(exact)
    var = sum(((v - mean) ** 2 for v in exact), Fraction()) / len(exact)
    rstd = 1 / math.sqrt(var + Fraction(eps))
    return [float(v - mean) * rstd for v in exact], float(mean), float(var), rstd


def _layer_norm_with_stats(
    x: Array, shape: tuple[int, ...], weight: Array | None, bias: Array | None, eps: float
) -> tuple[Array, Array | None, Array | None]:
    lead = x.shape[: x.ndim - len(shape)]
    out = np.zeros(x.shape)
    mean, rstd = np.zeros((*lead, *(1 for _ in shape))), np.zeros((*lead, *(1 for _ in shape)))
    if not x.size:
        return out, None, None
    for at in np.ndindex(lead):
        normed, m, _, s = standardised([float(v) for v in x[at].flat], eps)
        out[at] = np.reshape(normed, shape)
        mean[at], rstd[at] = m, s
    out = out * (1 if weight is None else weight) + (0 if bias is None else bias)
    return out, mean, rstd


def _layer_norm(*args: Any) -> Array:
    return _layer_norm_with_stats(*args)[0]


def _channel(x: Array, c: int) -> Iterable[tuple[int, ...]]:
    return (at for at in np.ndindex(x.shape) if at[1] == c)


def _batch_norm_train(
    x: Array, weight: Array | None, bias: Array | None, eps: float
) -> tuple[Array, Array | None, Array | None, Array | None]:
    out = np.zeros(x.shape)
    if not x.size:
        return out, None, None, None
    stats = np.zeros((3, x.shape[1]))
    for c in range(x.shape[1]):
        normed, *stats[:, c] = standardised([float(x[at]) for at in _channel(x, c)], eps)
        for at, v in zip(_channel(x, c), normed):
            out[at] = v * (1 if weight is None else weight[c]) + (0 if bias is None else bias[c])
    return out, stats[0], stats[1], stats[2]


def _by_batch(*args: Any) -> Array:
    return _batch_norm_train(*args)[0]


def _batch_norm(
    x: Array, weight: Array | None, bias: Array | None, mean: Array, var: Array, eps: float
) -> Array:
    out = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        c = at[1]
        normed = (x[at] - mean[c]) / math.sqrt(var[c] + eps)
        out[at] = normed * (1 if weight is None else weight[c]) + (0 if bias is None else bias[c])
    return out


def only_first(oracle: Callable[..., tuple[Any, ...]]) -> Callable[..., tuple[Any, ...]]:
    """The statistics are float32 where the op is in float16 or bfloat16: compared in the wide dtypes only."""

    def first(*args: Any) -> tuple[Any, ...]:
        out, *rest = oracle(*args)
        return (out, *(None for _ in rest))

    return first


def slopes(g: Sequence[float], values: Sequence[float], eps: float) -> list[float]:
    """The gradient of the normalised values, from the upstream `g`."""
    normed, _, _, rstd = standardised(values, eps)
    n = len(values)
    mean = fsum(g) / n
    along = fsum(a * b for a, b in zip(g, normed)) / n
    return [rstd * (a - mean - b * along) for a, b in zip(g, normed)]


def _layer_norm_backward(
    grad: Array,
    x: Array,
    shape: tuple[int, ...],
    weight: Array | None,
    eps: float,
    needs: Sequence[bool],
    *_: Any,
) -> tuple[Any, ...]:
    lead = x.shape[: x.ndim - len(shape)]
    gx, gw, gb = np.zeros(x.shape), np.zeros(shape), np.zeros(shape)
    for at in np.ndindex(lead) if x.size else ():
        values = [float(v) for v in x[at].flat]
        scaled = grad[at] * (1 if weight is None else weight)
        gx[at] = np.reshape(slopes([float(v) for v in scaled.flat], values, eps), shape)
        gw += grad[at] * np.reshape(standardised(values, eps)[0], shape)
        gb += grad[at]
    return tuple(g if need else None for g, need in zip((gx, gw, gb), needs))


def _batch_norm_backward(
    grad: Array, x: Array, weight: Array | None, eps: float, needs: Sequence[bool], *_: Any
) -> tuple[Any, ...]:
    gx, gw, gb = np.zeros(x.shape), np.zeros(x.shape[1]), np.zeros(x.shape[1])
    for c in range(x.shape[1]) if x.size else ():
        at = list(_channel(x, c))
        values, up = [float(x[i]) for i in at], [float(grad[i]) for i in at]
        scale = 1.0 if weight is None else float(weight[c])
        for i, v in zip(at, slopes([u * scale for u in up], values, eps)):
            gx[i] = v
        gw[c] = fsum(u * v for u, v in zip(up, standardised(values, eps)[0]))
        gb[c] = fsum(up)
    return tuple(g if need else None for g, need in zip((gx, gw, gb), needs))


Needs = tuple[bool, bool, bool]
EVERY: Needs = (True, True, True)


def _layer_cases(name: str, size: tuple[int, ...], rank: int, affine: str = "wb") -> list[Case]:
    shape = size[len(size) - rank :]
    terms = max(int(np.prod(size)), 1)

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        weight = r.normal(size=shape) + 1 if "w" in affine else None
        bias = r.normal(size=shape) if "b" in affine else None
        return r.normal(size=size) * 2 + 0.5, shape, weight, bias, 1e-3

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        x, _, weight, _, eps = sample(r)
        return r.normal(size=size), x, shape, weight, eps, EVERY, None, None

    stats, first = _layer_norm_with_stats, only_first(_layer_norm_with_stats)
    return [
        Case("layer_norm", name, sample, _layer_norm, terms=terms, scale=3.0, order=3),
        Case("layer_norm_with_stats", name, sample, stats, WIDE, terms, 3.0, order=3 if all(size) else 0),
        Case("layer_norm_with_stats", f"{name}-low", sample, first, LOW, terms, 3.0, order=0),
        Case(
            "layer_norm_backward", name, backward, _layer_norm_backward, terms=4 * terms, scale=8.0, order=3
        ),
    ]


def _batch_cases(name: str, size: tuple[int, ...], affine: str = "wb") -> list[Case]:
    c = size[1]
    terms = max(int(np.prod(size)), 1)

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        weight = r.normal(size=c) + 1 if "w" in affine else None
        bias = r.normal(size=c) if "b" in affine else None
        return r.normal(size=size) * 2 + 0.5, weight, bias, 1e-3

    def given(r: np.random.Generator) -> tuple[Any, ...]:
        x, weight, bias, eps = sample(r)
        return x, weight, bias, r.normal(size=c), r.uniform(0.5, 2, size=c), eps

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        x, weight, _, eps = sample(r)
        return r.normal(size=size), x, weight, eps, EVERY, None, None

    first = only_first(_batch_norm_train)
    return [
        Case("batch_norm", name, given, _batch_norm, scale=4.0, order=3, terms=4),
        Case(
            "batch_norm_train", name, sample, _batch_norm_train, WIDE, terms, 4.0, order=3 if all(size) else 0
        ),
        Case("batch_norm_train", f"{name}-low", sample, first, LOW, terms, 3.0, order=0),
        Case("batch_norm_by_batch", name, sample, _by_batch, WIDE, terms, 4.0, order=3 if all(size) else 0),
        Case("batch_norm_by_batch", f"{name}-low", sample, _by_batch, LOW, terms, 3.0, order=0),
        Case(
            "batch_norm_backward", name, backward, _batch_norm_backward, terms=4 * terms, scale=8.0, order=3
        ),
    ]


def _rows(
    name: str, rows: Any, eps: float = 1e-5, scale: float = 1.0, dtypes: Sequence[DType] = WIDE
) -> list[Case]:
    """The same hard rows for layer_norm, and as channels for batch_norm."""
    x = np.array(rows, np.float64)

    def batch(x: Array, *args: Any) -> tuple[Any, ...]:
        return _batch_norm_train(x, *args)[0], None, None, None

    n = x.shape[1]
    return [
        Case(
            "layer_norm", name, lambda r: (x, (n,), None, None, eps), _layer_norm, dtypes, n, scale, order=0
        ),
        Case(
            "batch_norm_train",
            name,
            lambda r: (x.T.copy(), None, None, eps),
            batch,
            dtypes,
            n,
            scale,
            order=0,
        ),
    ]


_HARD = [
    *_rows("cancellation", [[4096, 4097, 4098, 4099], [1, 2, 3, 4]]),
    *_rows("shifted", [[1e6, 1e6 + 1, 1e6 + 3], [0, 1, 3]]),
    *_rows("huge", [[1e30, -1e30], [1, 2], [3e37, 1e30]]),
    *_rows("constant", [[1e10] * 7, [0.1] * 7, [3.0] * 7]),
    *_rows("tiny", [[1e-20, 2e-20, 4e-20], [1e-4, 2e-4, 4e-4]], eps=1e-12),
    *_rows("zeros-tiny-eps", np.zeros((2, 4)), eps=1e-12, dtypes=(*WIDE, *LOW)),
    *_rows("one-element", [[5.0], [0.0]]),
    *_rows("low-precision-range", [[200, 300, -400, 100], [250, 251, 252, 254]], dtypes=LOW, scale=2.0),
    *_rows("not-finite", [[math.nan, 1.0], [1.0, 2.0]]),
]


def _known_slope() -> list[Case]:
    """sum(norm([t, 0]) * [1, 2]) = -t / sqrt(1 + t^2) with eps 1/4: f' = -(1 + t^2)^-1.5."""
    t = 0.7
    slope = -((1 + t * t) ** -1.5)

    def layer(*_: Any) -> list[Array]:
        return [np.array([slope, -slope]), np.array([t, -t]) / math.sqrt(1 + t * t)]

    return [
        Case(
            "layer_norm",
            "known-slope",
            lambda r: (np.array([t, 0.0]), (2,), np.array([1.0, 2.0]), None, 0.25),
            _layer_norm,
            gradients=layer,
            terms=4,
        )
    ]


CASES = [
    *_layer_cases("matrix", (3, 4), 1),
    *_layer_cases("vector", (5,), 1),
    *_layer_cases("two-dims", (2, 3, 4), 2),
    *_layer_cases("rank-4", (2, 1, 3, 2), 1, "w"),
    *_layer_cases("no-weight", (2, 3), 1, ""),
    *_layer_cases("bias-only", (2, 3), 1, "b"),
    *_layer_cases("no-rows", (0, 3), 1),
    *_layer_cases("no-columns", (3, 0), 1),
    *_batch_cases("matrix", (5, 3)),
    *_batch_cases("1d", (3, 2, 4)),
    *_batch_cases("2d", (2, 3, 2, 4)),
    *_batch_cases("3d", (2, 2, 2, 1, 3), "w"),
    *_batch_cases("no-weight", (4, 2), ""),
    *_batch_cases("bias-only", (4, 2), "b"),
    *_batch_cases("no-batch", (0, 3)),
    *_batch_cases("no-channels", (3, 0)),
    *_HARD,
    *_known_slope(),
    Case(
        "layer_norm",
        "huge-gradient",
        lambda r: (np.array([[1e18, -1e18, 0.0]]), (3,), None, None, 1e-5),
        _layer_norm,
        WIDE,
        terms=3,
        gradients=lambda *_: [np.zeros((1, 3))],
    ),
]


def _ln(
    x: Any, shape: Any, weight: Any = None, bias: Any = None
) -> Callable[[np.random.Generator], tuple[Any, ...]]:
    return lambda r: (np.ones(x), shape, weight, bias, 1e-5)


BAD_CALLS = [
    BadCall("layer_norm", "shape", _ln((2, 3), (4,)), ShapeError, ["(2, 3)", "(4,)"]),
    BadCall("layer_norm", "no-shape", _ln((2, 3), ()), ShapeError),
    BadCall("layer_norm", "rank", _ln((3,), (2, 3)), ShapeError),
    BadCall("layer_norm", "weight", _ln((2, 3), (3,), np.ones(2)), ShapeError, ["weight"]),
    BadCall("layer_norm", "bias", _ln((2, 3), (3,), None, np.ones(1)), ShapeError, ["bias"]),
    BadCall("batch_norm_by_batch", "rank", lambda r: (np.ones(3), None, None, 1e-5), ShapeError, ["(3,)"]),
    BadCall("batch_norm_train", "rank", lambda r: (np.ones(3), None, None, 1e-5), ShapeError, ["(3,)"]),
    BadCall(
        "batch_norm_train",
        "weight",
        lambda r: (np.ones((2, 3)), np.ones(2), None, 1e-5),
        ShapeError,
        ["weight"],
    ),
    BadCall(
        "batch_norm",
        "mean",
        lambda r: (np.ones((2, 3)), None, None, np.ones(2), np.ones(3), 1e-5),
        ShapeError,
        ["mean"],
    ),
]
