"""Cases of losses over classes: weights, ignored targets, smoothing, soft labels, every reduction and rank."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad.conformance.cases.elementwise import fsum
from everygrad_ops import DType, ShapeError

Weight = Array | None
NAN, INF = math.nan, math.inf
REDUCTIONS = ("none", "mean", "sum")


def _reduced(loss: Array, total: float, reduction: str) -> Array:
    if reduction == "none":
        return loss
    summed = fsum(float(v) for v in loss.flat)
    if reduction == "sum":
        return np.asarray(summed)
    return np.asarray(summed / total if total else NAN)


def _per_target(log_probs: Array, target: Array, weight: Weight, ignore: int) -> tuple[Array, float]:
    loss, total = np.zeros(target.shape), 0.0
    for at in np.ndindex(target.shape):
        t = int(target[at])
        if t != ignore:
            w = 1.0 if weight is None else float(weight[t])
            loss[at] = -w * log_probs[(at[0], t, *at[1:])]
            total += w
    return loss, total


def _nll(log_probs: Array, target: Array, weight: Weight, ignore: int, reduction: str) -> Array:
    return _reduced(*_per_target(log_probs, target, weight, ignore), reduction)


def _nll_with_total(*args: Any) -> tuple[Array, Array]:
    return _nll(*args), np.asarray(_per_target(*args[:4])[1])


def _nll_backward(
    grad: Array, target: Array, weight: Weight, ignore: int, reduction: str, shape: tuple[int, ...], *_: Any
) -> Array:
    out = np.zeros(shape)
    total = _per_target(np.zeros(shape), target, weight, ignore)[1]
    for at in np.ndindex(target.shape):
        t = int(target[at])
        if t != ignore:
            w = 1.0 if weight is None else float(weight[t])
            up = float(grad[at]) if reduction == "none" else float(grad)
            out[(at[0], t, *at[1:])] = -w * up / (total if reduction == "mean" else 1.0)
    return out


def _log_softmax(x: Array) -> Array:
    out = np.zeros(x.shape)
    for at in np.ndindex((x.shape[0], *x.shape[2:])):
        row = [float(x[(at[0], c, *at[1:])]) for c in range(x.shape[1])]
        total = max(row) + math.log(fsum(math.exp(v - max(row)) for v in row))
        for c, v in enumerate(row):
            out[(at[0], c, *at[1:])] = v - total
    return out


def _smoothing(log_probs: Array, target: Array, weight: Weight, ignore: int, reduction: str) -> Array:
    loss, (_, total) = np.zeros(target.shape), _per_target(log_probs, target, weight, ignore)
    for at in np.ndindex(target.shape):
        if target[at] != ignore:
            for c in range(log_probs.shape[1]):
                loss[at] -= (1.0 if weight is None else float(weight[c])) * log_probs[(at[0], c, *at[1:])]
    return _reduced(loss, total, reduction)


def _cross_entropy(
    x: Array, target: Array, weight: Weight, ignore: int, smoothing: float, reduction: str
) -> Array:
    log_probs = _log_softmax(x)
    hard = _nll(log_probs, target, weight, ignore, reduction)
    smooth = _smoothing(log_probs, target, weight, ignore, reduction)
    if not smoothing:
        return hard
    return np.asarray((1 - smoothing) * hard + smoothing / x.shape[1] * smooth)


def _soft(x: Array, probs: Array, weight: Weight, smoothing: float, reduction: str) -> Array:
    log_probs = _log_softmax(x)
    loss = np.zeros((x.shape[0], *x.shape[2:]))
    for at in np.ndindex(loss.shape):
        for c in range(x.shape[1]):
            i = (at[0], c, *at[1:])
            p = float(probs[i]) * (1 - smoothing) + smoothing / x.shape[1]
            w = 1.0 if weight is None else float(weight[c])
            loss[at] -= w * p * log_probs[i] if w * p else 0.0
    return _reduced(loss, float(loss.size), reduction)


def _targets(r: np.random.Generator, shape: tuple[int, ...], ignore: int) -> Array:
    target = r.integers(0, shape[1], size=(shape[0], *shape[2:])).astype(np.int64)
    if target.size > 1:
        target.flat[1] = ignore
    return target


def _cases(name: str, shape: tuple[int, ...], ignore: int, weighted: bool, reduction: str) -> list[Case]:
    label = f"{name}-{reduction}" + ("-weighted" if weighted else "")
    terms = max(int(np.prod(shape)), 1)

    def weight(r: np.random.Generator) -> Weight:
        return r.uniform(0.5, 2, size=shape[1]) if weighted else None

    def nll(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=shape), _targets(r, shape, ignore), weight(r), ignore, reduction

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        target = _targets(r, shape, ignore)
        grad = r.normal(size=target.shape if reduction == "none" else ())
        return grad, target, weight(r), ignore, reduction, shape, None

    def smoothed(smoothing: float) -> Callable[[np.random.Generator], tuple[Any, ...]]:
        return lambda r: (
            r.normal(size=shape),
            _targets(r, shape, ignore),
            weight(r),
            ignore,
            smoothing,
            reduction,
        )

    def soft(smoothing: float) -> Callable[[np.random.Generator], tuple[Any, ...]]:
        def sample(r: np.random.Generator) -> tuple[Any, ...]:
            raw = r.uniform(0.1, 1, size=shape)
            return r.normal(size=shape), raw / raw.sum(1, keepdims=True), weight(r), smoothing, reduction

        return sample

    low = dict[str, Any](terms=terms, scale=4.0)
    return [
        Case("nll_loss", label, nll, _nll, **low, order=3),
        Case(
            "nll_loss_with_total", label, nll, _nll_with_total, (DType.float64, DType.float32), **low, order=3
        ),
        Case(
            "nll_loss_with_total",
            f"{label}-low",
            nll,
            _without_total,
            (DType.float16, DType.bfloat16),
            **low,
            order=0,
        ),
        Case("nll_loss_backward", label, backward, _nll_backward, **low, order=3),
        Case("smoothing_loss", label, nll, _smoothing, **low, order=3),
        Case("cross_entropy", label, smoothed(0.0), _cross_entropy, **low, order=3),
        Case("cross_entropy", f"{label}-smoothed", smoothed(0.3), _cross_entropy, **low),
        Case("soft_cross_entropy", label, soft(0.0), _soft, **low, order=3),
        Case("soft_cross_entropy", f"{label}-smoothed", soft(0.2), _soft, **low),
    ]


def _without_total(*args: Any) -> tuple[Array, Array | None]:
    """The total is float32 where the op is in float16 or bfloat16; other cases see to its value."""
    return _nll(*args), None


def _index(values: Sequence[int]) -> Array:
    return np.asarray(values, np.int64)


def _known(name: str, op: str, args: tuple[Any, ...], value: Any, *gradients: Any) -> Case:
    return Case(
        op,
        name,
        lambda r: args,
        lambda *_: np.asarray(value, np.float64),
        terms=4,
        gradients=lambda *_: [None if g is None else np.asarray(g, np.float64) for g in gradients],
    )


_B076 = (
    np.array([[5.0, 5.0], [0.0, 2.0], [1.0, 0.0]]),
    _index([-100, 1, 0]),
    np.array([1.0, 3.0]),
    -100,
    0.2,
)
_ALL_IGNORED = (np.array([[1.0, 2.0], [3.0, 4.0]]), _index([-100, -100]))
_MASKED = np.array([[-INF, 0.0, 0.0]])

_KNOWN = [
    Case("cross_entropy", "weights-smoothing-ignored", lambda r: (*_B076, "mean"), _cross_entropy, terms=4),
    Case("cross_entropy", "smoothing", lambda r: (np.array([[2.0, 0.0, 0.0]]), _index([0]), None, -100, 0.3, "mean"), _cross_entropy),
    _known("ignored-mean", "nll_loss", (*_ALL_IGNORED, None, -100, "mean"), NAN, np.zeros((2, 2))),
    _known("ignored-sum", "nll_loss", (*_ALL_IGNORED, None, -100, "sum"), 0.0, np.zeros((2, 2))),
    _known(
        "ignored-weighted", "nll_loss", (*_ALL_IGNORED, np.ones(2), -100, "mean"), NAN, np.zeros((2, 2)), np.zeros(2)
    ),
    _known("ignored-mean", "cross_entropy", (*_ALL_IGNORED, None, -100, 0.0, "mean"), NAN, np.zeros((2, 2))),
    _known("ignored-smoothed", "cross_entropy", (*_ALL_IGNORED, None, -100, 0.1, "mean"), NAN, np.zeros((2, 2))),
    _known(
        "ignored-nan-row", "nll_loss", (np.array([[NAN, NAN], [-1.0, -2.0]]), _index([5, 1]), None, 5, "mean"),
        2.0, [[0, 0], [0, -1]],
    ),
    _known(
        "minus-inf", "soft_cross_entropy", (_MASKED, np.array([[0.0, 1.0, 0.0]]), None, 0.0, "sum"),
        math.log(2), [[0, -0.5, 0.5]], None,
    ),
    _known("minus-inf", "cross_entropy", (_MASKED, _index([1]), None, -100, 0.0, "sum"), math.log(2), [[0, -0.5, 0.5]]),
]  # fmt: skip

_SHAPES = (
    ("matrix", (4, 3), -100),
    ("1d", (2, 3, 4), 1),
    ("2d", (2, 3, 2, 2), -1),
    ("no-batch", (0, 3), -100),
)

CASES = [
    *(
        case
        for name, shape, ignore in _SHAPES
        for reduction in REDUCTIONS
        for weighted in (False, True)
        for case in _cases(name, shape, ignore, weighted, reduction)
        if shape[0] or reduction != "mean"
    ),
    *_KNOWN,
]


def _bad(op: str, name: str, target: Sequence[int], error: type[Exception], words: Sequence[str]) -> BadCall:
    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        x = np.zeros((2, 3))
        if op == "nll_loss_backward":
            return np.ones(()), _index(target), None, -1, "mean", (2, 3), None
        return (x, _index(target), None, -1, "mean") if op != "cross_entropy" else (x, _index(target), None, -1, 0.0, "mean")  # fmt: skip

    return BadCall(op, name, sample, error, words)


_SHAPE_CALLS = [
    BadCall(
        "nll_loss",
        "weight",
        lambda r: (np.zeros((2, 3)), _index([0, 1]), np.ones(2), -1, "mean"),
        ShapeError,
        ["weight"],
    ),
    BadCall(
        "nll_loss", "rank", lambda r: (np.zeros(3), np.asarray(1), None, -1, "mean"), ShapeError, ["(3,)"]
    ),
    BadCall(
        "nll_loss",
        "spatial",
        lambda r: (np.zeros((2, 3, 4)), np.zeros((2, 5), np.int64), None, -1, "sum"),
        ShapeError,
        ["(2, 5)"],
    ),
    BadCall(
        "soft_cross_entropy",
        "shape",
        lambda r: (np.zeros((2, 3)), np.zeros((2, 4)), None, 0.0, "mean"),
        ShapeError,
        ["(2, 4)"],
    ),
]

BAD_CALLS = [
    *_SHAPE_CALLS,
    *(
        bad
        for op in ("nll_loss", "cross_entropy", "nll_loss_backward")
        for bad in (
            _bad(op, "negative", [-4, 1], IndexError, ["-4"]),
            _bad(op, "high", [0, 3], IndexError, ["3"]),
            _bad(op, "shape", [0, 1, 2], ShapeError, ["(3,)"]),
        )
    ),
]
