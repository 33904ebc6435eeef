"""Cases of attention: masks of both kinds, queries that may look nowhere, causal, grouped heads, softcap; to order three."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad.conformance.cases.elementwise import fsum
from everygrad_ops import AttentionOptions, DType, DTypeError, ShapeError

NAN, INF = math.nan, math.inf
WIDE = (DType.float64, DType.float32)
LOW = (DType.float16, DType.bfloat16)
Sample = Callable[[np.random.Generator], tuple[Any, ...]]
PLAIN = AttentionOptions()
CAUSAL = AttentionOptions(is_causal=True)


def _row(
    at: tuple[int, ...], q: Array, k: Array, mask: Array | None, options: AttentionOptions
) -> tuple[list[int], list[float], list[float]]:
    """(the keys that query `at` looks at, their scores, the slopes of its softcap)."""
    scale = 1 / math.sqrt(q.shape[-1]) if options.scale is None else options.scale
    keys: list[int] = []
    scores: list[float] = []
    slopes: list[float] = []
    for j in range(k.shape[-2]):
        if options.is_causal and j > at[-1]:
            continue
        rule = None if mask is None else np.broadcast_to(mask, (*q.shape[:-1], k.shape[-2]))[(*at, j)]
        if rule is not None and (
            rule is np.False_ or (mask is not None and mask.dtype != bool and rule == -INF)
        ):
            continue
        key = k[(*_kv(at, q, k), j)]
        score = scale * fsum(float(a) * float(b) for a, b in zip(q[at], key))
        slope = 1.0
        if options.softcap is not None:
            bent = math.tanh(score / options.softcap)
            score, slope = options.softcap * bent, 1 - bent * bent
        if mask is not None and mask.dtype != bool and rule is not None:
            score += float(rule)
        keys.append(j)
        scores.append(score)
        slopes.append(slope)
    return keys, scores, slopes


def _kv(at: tuple[int, ...], q: Array, k: Array) -> tuple[int, ...]:
    """The leading index into k for query `at`."""
    if q.ndim < 3:
        return ()
    *lead, head, _ = at
    return (*lead, head // (q.shape[-3] // k.shape[-3]))


def _softmax(scores: Sequence[float]) -> tuple[list[float], float]:
    """(weights, logsumexp)."""
    if not scores:
        return [], -INF
    if any(map(math.isnan, scores)):
        return [NAN] * len(scores), NAN
    top = max(scores)
    raised = [math.exp(s - top) for s in scores]
    total = fsum(raised)
    return [r / total for r in raised], top + math.log(total)


def _with_lse(
    q: Array, k: Array, v: Array, mask: Array | None, options: AttentionOptions
) -> tuple[Array, Array]:
    out, lse = np.zeros((*q.shape[:-1], v.shape[-1])), np.zeros(q.shape[:-1])
    for at in np.ndindex(q.shape[:-1]):
        keys, scores, _ = _row(at, q, k, mask, options)
        weights, lse[at] = _softmax(scores)
        for j, w in zip(keys, weights):
            out[at] += w * v[(*_kv(at, q, k), j)]
    return out, lse


def _attention(*args: Any) -> Array:
    return _with_lse(*args)[0]


def _weights(q: Array, k: Array, mask: Array | None, options: AttentionOptions) -> Array:
    out = np.zeros((*q.shape[:-1], k.shape[-2]))
    for at in np.ndindex(q.shape[:-1]):
        keys, scores, _ = _row(at, q, k, mask, options)
        for j, w in zip(keys, _softmax(scores)[0]):
            out[(*at, j)] = w
    return out


def _backward(
    grad: Array,
    q: Array,
    k: Array,
    v: Array,
    mask: Array | None,
    options: AttentionOptions,
    needs: Sequence[bool],
    *_: Any,
) -> tuple[Any, ...]:
    scale = 1 / math.sqrt(q.shape[-1]) if options.scale is None else options.scale
    gq, gk, gv = np.zeros(q.shape), np.zeros(k.shape), np.zeros(v.shape)
    gm = None if mask is None or mask.dtype == bool else np.zeros(mask.shape)
    for at in np.ndindex(q.shape[:-1]):
        keys, scores, slopes = _row(at, q, k, mask, options)
        weights, _lse = _softmax(scores)
        lead = _kv(at, q, k)
        rises = [float(grad[at] @ v[(*lead, j)]) for j in keys]
        mean = fsum(w * r for w, r in zip(weights, rises))
        for j, w, r, slope in zip(keys, weights, rises, slopes):
            change = w * (r - mean)
            gv[(*lead, j)] += w * grad[at]
            gq[at] += change * slope * scale * k[(*lead, j)]
            gk[(*lead, j)] += change * slope * scale * q[at]
            if gm is not None:
                place: list[tuple[int, int]] = list(zip((*at, j)[q.ndim - gm.ndim :], gm.shape))
                gm[tuple([0 if size == 1 else i for i, size in place])] += change
    return tuple(g if need else None for g, need in zip((gq, gk, gv, gm), needs))


def _sample(
    lead: tuple[int, ...],
    sizes: tuple[int, int, int, int],
    mask: Callable[[np.random.Generator], Array] | None = None,
    options: AttentionOptions = PLAIN,
    heads: int | None = None,
) -> Sample:
    """q (lead, L, E), k (lead, S, E), v (lead, S, D), of fewer `heads` in k and v."""
    rows, columns, width, deep = sizes
    kv = lead if heads is None else (*lead[:-1], heads)

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        q, k = r.normal(size=(*lead, rows, width)), r.normal(size=(*kv, columns, width))
        v = r.normal(size=(*kv, columns, deep))
        return q, k, v, None if mask is None else mask(r), options

    return sample


def _cases(name: str, sample: Sample, whole: bool = False) -> list[Case]:
    """Of each op if `whole`, to order three; else of the op and its backward alone."""
    order = 3 if whole else 2

    def first(*args: Any) -> tuple[Any, Any]:
        return _attention(*args), None

    def weights(r: np.random.Generator) -> tuple[Any, ...]:
        q, k, _, mask, options = sample(r)
        return q, k, mask, options

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        q, k, v, mask, options = sample(r)
        grad = r.normal(size=(*q.shape[:-1], v.shape[-1]))
        floating = mask is not None and mask.dtype != bool
        return grad, q, k, v, mask, options, (True, True, True, floating), None, None

    found = [
        Case("attention", name, sample, _attention, terms=16, scale=2.0, order=order),
        Case("attention_backward", name, backward, _backward, terms=64, scale=4.0, order=order),
    ]
    if whole:
        lse_order = 0 if name == "rows-of-nothing" else 3
        found += [
            Case("attention_with_lse", name, sample, _with_lse, WIDE, 16, 2.0, order=lse_order),
            Case("attention_with_lse", f"{name}-low", sample, first, LOW, 16, 2.0, order=0),
            Case("attention_weights", name, weights, _weights, terms=16, order=3),
        ]
    return found


def _booleans(*shape: int) -> Callable[[np.random.Generator], Array]:
    """True at the first key at least."""

    def mask(r: np.random.Generator) -> Array:
        chosen = r.random(shape) < 0.5
        chosen[..., 0] = True
        return chosen

    return mask


def _given(q: Any, k: Any, v: Any, mask: Any, options: AttentionOptions = PLAIN) -> Sample:
    return lambda r: (*(np.array(x, float) for x in (q, k, v)), mask, options)


_Q, _K, _V = [[1.0, 0], [0, 1]], [[1.0, 0], [0, 1]], [[1.0, 2], [3, 4]]
_FIRST = np.array([[True, False], [True, False]])


def _nothing(q: Array, k: Array, v: Array, *_: Any) -> list[Array]:
    """Only the first value is looked at, by every query: nothing else has a gradient."""
    gv = np.zeros(v.shape)
    gv[0] = q.shape[0]
    return [np.zeros(q.shape), np.zeros(k.shape), gv]


def _second_alone(*_: Any) -> list[Array]:
    """The first query looks at the second value alone, the other nowhere."""
    nothing = np.zeros((2, 2))
    return [nothing, nothing, np.array([[0.0, 0], [1, 1]]), nothing]


CASES = [
    *_cases("plain", _sample((2,), (3, 4, 2, 2)), True),
    *_cases("matrices", _sample((), (2, 3, 3, 1))),
    *_cases("rank-5", _sample((2, 1, 2), (2, 3, 2, 2))),
    *_cases("boolean", _sample((2, 2), (3, 4, 2, 2), _booleans(3, 4)), True),
    *_cases("boolean-batch", _sample((2, 2), (2, 3, 2, 2), _booleans(2, 1, 1, 3))),
    *_cases("boolean-vector", _sample((2,), (2, 3, 2, 2), _booleans(3))),
    *_cases("float", _sample((2, 2), (3, 2, 2, 2), lambda r: r.normal(size=(2, 1, 3, 2))), True),
    *_cases("float-row", _sample((2,), (3, 2, 2, 2), lambda r: r.normal(size=(2,)))),
    *_cases(
        "rows-of-nothing",
        _sample((2,), (3, 2, 2, 2), lambda r: np.array([[1, 0], [0, 0], [1, 1]], bool)),
        True,
    ),
    *_cases("causal", _sample((2,), (3, 3, 2, 2), None, CAUSAL)),
    *_cases("causal-more-keys", _sample((2,), (2, 4, 2, 2), None, CAUSAL)),
    *_cases("causal-more-queries", _sample((1,), (4, 2, 2, 2), None, CAUSAL)),
    *_cases("causal-and-mask", _sample((2,), (3, 3, 2, 2), _booleans(2, 3, 3), CAUSAL)),
    *_cases("scale", _sample((2,), (3, 2, 2, 2), None, AttentionOptions(scale=0.3))),
    *_cases("softcap", _sample((2,), (3, 2, 2, 2), _booleans(3, 2), AttentionOptions(softcap=0.7)), True),
    *_cases("grouped", _sample((2, 4), (2, 3, 2, 2), None, AttentionOptions(enable_gqa=True), 2), True),
    *_cases(
        "grouped-mask", _sample((4,), (2, 3, 2, 2), _booleans(4, 2, 3), AttentionOptions(enable_gqa=True), 1)
    ),
    *_cases("no-queries", _sample((2,), (0, 3, 2, 2))),
    *_cases("no-batch", _sample((0,), (2, 3, 2, 2))),
    Case("attention", "no-keys", _sample((2,), (2, 0, 2, 2)), _attention, order=2),
    Case("attention", "large", _given([[1e3, 0]], _K, _V, None), _attention, scale=4.0, order=0),
    Case(
        "attention",
        "minus-infinity",
        _given(_Q, _K, _V, np.array([[-INF, 0], [-INF, -INF]])),
        _attention,
        gradients=_second_alone,
    ),
    Case(
        "attention",
        "nan-key-unseen",
        _given(_Q, [[1, 0], [NAN, NAN]], _V, _FIRST),
        lambda *_: np.array([[1.0, 2], [1, 2]]),
        gradients=_nothing,
    ),
    Case(
        "attention",
        "nan-value-unseen",
        _given(_Q, _K, [[1, 2], [NAN, INF]], _FIRST),
        lambda *_: np.array([[1.0, 2], [1, 2]]),
        gradients=_nothing,
    ),
    Case(
        "attention",
        "nan-beyond-the-past",
        _given([[1.0, 0]], [[1, 0], [NAN, 1]], [[1, 2], [NAN, INF]], None, CAUSAL),
        lambda *_: np.array([[1.0, 2]]),
        gradients=_nothing,
    ),
    Case(
        "attention",
        "nan-key-seen-by-one",
        _given(_Q, [[1, 0], [NAN, NAN]], _V, np.array([[True, False], [True, True]])),
        lambda *_: np.array([[1.0, 2], [NAN, NAN]]),
        order=0,
    ),
]


def _bad(
    q: tuple[int, ...],
    k: tuple[int, ...],
    v: tuple[int, ...],
    mask: Array | None = None,
    options: AttentionOptions = PLAIN,
) -> Sample:
    return lambda r: (np.ones(q), np.ones(k), np.ones(v), mask, options)


BAD_CALLS = [
    BadCall("attention", "width", _bad((2, 3), (4, 2), (4, 2)), ShapeError, ["(2, 3)", "(4, 2)"]),
    BadCall("attention", "keys", _bad((2, 3), (4, 3), (5, 3)), ShapeError, ["(5, 3)"]),
    BadCall("attention", "vector", _bad((3,), (3,), (3,)), ShapeError, ["(3,)"]),
    BadCall("attention", "batch", _bad((2, 2, 3), (1, 2, 3), (1, 2, 3)), ShapeError, ["enable_gqa"]),
    BadCall(
        "attention",
        "heads",
        _bad((3, 2, 3), (2, 2, 3), (2, 2, 3), None, AttentionOptions(enable_gqa=True)),
        ShapeError,
        ["multiple"],
    ),
    BadCall("attention", "mask", _bad((2, 3), (4, 3), (4, 3), np.ones((2, 3), bool)), ShapeError, ["(2, 3)"]),
    BadCall(
        "attention",
        "integer-mask",
        _bad((2, 3), (2, 3), (2, 3), np.ones((2, 2), int)),
        DTypeError,
        ["int64", "bool"],
    ),
]
