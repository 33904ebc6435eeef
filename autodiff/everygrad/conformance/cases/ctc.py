"""Cases of CTC: every alignment counted one by one; empty targets, no frames, repeats, no way through."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import FLOATS, Array, BadCall, Case
from everygrad_ops import DType, ShapeError

INF = math.inf
WIDE = (DType.float64, DType.float32)
LOW = (DType.float16, DType.bfloat16)


def _collapse(path: Sequence[int], blank: int) -> list[int]:
    """Repeats become one, then blanks go."""
    return [k for k, _ in itertools.groupby(path) if k != blank]


def _paths(frames: int, classes: int, labels: Sequence[int], blank: int) -> list[tuple[int, ...]]:
    every = itertools.product(range(classes), repeat=frames)
    return [p for p in every if _collapse(p, blank) == list(labels)]


def _weight(log_probs: Array, n: int, path: Sequence[int]) -> float:
    return math.exp(math.fsum(float(log_probs[t, n, k]) for t, k in enumerate(path)))


def _each(log_probs: Array, target: Array, frames: Array, labels: Array, blank: int) -> Any:
    """Per sequence: its number, its paths with their probabilities, and the sum of those."""
    for n in range(log_probs.shape[1]):
        wanted = [int(v) for v in target[n, : labels[n]]]
        paths = _paths(int(frames[n]), log_probs.shape[2], wanted, blank)
        weighed = [(p, _weight(log_probs, n, p)) for p in paths]
        yield n, weighed, math.fsum(w for _, w in weighed)


def _loss(*args: Any) -> Array:
    return np.array([-math.log(total) if total else INF for _, _, total in _each(*args)])


def _with_alphas(log_probs: Array, target: Array, frames: Array, labels: Array, blank: int) -> Any:
    return _loss(log_probs, target, frames, labels, blank), _alphas(log_probs, target, frames, labels, blank)


def _loss_alone(*args: Any) -> tuple[Array, None]:
    return _loss(*args), None


def _alphas(log_probs: Array, target: Array, frames: Array, labels: Array, blank: int) -> Array:
    """By counting the ways through the states, of which a path of classes may have several."""
    size = 2 * target.shape[1] + 1
    out = np.full((log_probs.shape[1], log_probs.shape[0], size), -INF)
    for n in range(log_probs.shape[1]):
        row = [blank, *(k for v in target[n, : labels[n]] for k in (int(v), blank))]
        reached = {0: 1.0}
        for t in range(int(frames[n])):
            ahead: dict[int, float] = {}
            for s, p in reached.items():
                for to in (s, s + 1, s + 2):
                    skips = to == s + 2
                    if to >= len(row) or (skips and (t == 0 or row[to] in (blank, row[s]))):
                        continue
                    ahead[to] = ahead.get(to, 0.0) + p * math.exp(float(log_probs[t, n, row[to]]))
            reached = ahead
            for s, p in reached.items():
                out[n, t, s] = math.log(p) if p else -INF
    return out


def _backward(grad: Array, log_probs: Array, *rest: Any) -> Array:
    out = np.zeros(log_probs.shape)
    for n, weighed, total in _each(log_probs, *rest[:4]):
        for path, weight in weighed:
            for t, k in enumerate(path):
                out[t, n, k] -= float(grad[n]) * weight / total if total else 0.0
    return out


def _whole(values: Any) -> Array:
    return np.asarray(values, np.int64)


_TARGET = _whole([[1, 2], [1, 1], [2, -9], [99, 99], [2, 2]])
_FRAMES, _LABELS = _whole([3, 3, 2, 3, 0]), _whole([2, 2, 1, 0, 0])
_BATCH = (_TARGET, _FRAMES, _LABELS, 0)


def _log_probs(r: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.asarray(np.log(r.dirichlet(np.ones(shape[2]), size=shape[:2]) + 0.02))


def _cases(name: str, shape: tuple[int, ...], rest: tuple[Any, ...], order: int = 2) -> list[Case]:
    def forward(r: np.random.Generator) -> tuple[Any, ...]:
        return _log_probs(r, shape), *rest

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=shape[1]), *forward(r), None, None

    low = dict[str, Any](terms=16, scale=4.0)
    return [
        Case("ctc_loss", name, forward, _loss, **low, order=order),
        Case("ctc_loss_with_alphas", name, forward, _with_alphas, WIDE, **low, order=0),
        Case("ctc_loss_with_alphas", f"{name}-low", forward, _loss_alone, LOW, **low, order=0),
        Case("ctc_loss_backward", name, backward, _backward, **low, order=order),
    ]


_HALF = np.full((2, 1, 2), -math.log(2))
_ONE = _whole([2])
_NO_WAY = (_HALF, _whole([[1, 1]]), _ONE, _ONE, 0)


def _known(name: str, labels: Sequence[int], frames: int, due: float, slope: Any) -> Case:
    args = (_HALF, _whole([[*labels, 0]]), _whole([frames]), _whole([len(labels)]), 0)
    return Case(
        "ctc_loss",
        name,
        lambda r: args,
        lambda *_: np.array([due]),
        FLOATS,
        terms=4,
        gradients=lambda *_: [np.array(slope, np.float64).reshape(2, 1, 2)],
    )


CASES = [
    *_cases("batch", (3, 5, 3), _BATCH, 3),
    *_cases("last-is-blank", (3, 2, 3), (_whole([[0, 1], [1, 1]]), _whole([3, 3]), _whole([2, 2]), 2)),
    *_cases("blanks-only", (3, 2, 2), (_whole([[], []]).reshape(2, 0), _whole([3, 2]), _whole([0, 0]), 1)),
    *_cases("no-frames", (0, 2, 2), (_whole([[1], [1]]), _whole([0, 0]), _whole([0, 0]), 0)),
    *_cases("no-batch", (2, 0, 2), (_whole([]).reshape(0, 1), _whole([]), _whole([]), 0)),
    Case(
        "ctc_loss_with_alphas", "all-reached", lambda r: (_log_probs(r, (3, 2, 2)), _whole([]).reshape(2, 0), _whole([3, 3]), _whole([0, 0]), 1),
        _with_alphas, WIDE, terms=4,
    ),
    _known("empty-target", [], 2, 2 * math.log(2), [-1, 0, -1, 0]),
    _known("one-label", [1], 2, -math.log(0.75), [-1 / 3, -2 / 3, -1 / 3, -2 / 3]),
    _known("no-way", [1, 1], 2, INF, [0, 0, 0, 0]),
    _known("no-frames-no-labels", [], 0, 0.0, [0, 0, 0, 0]),
    _known("no-frames-known", [1], 0, INF, [0, 0, 0, 0]),
    Case(
        "ctc_loss", "impossible-class",
        lambda r: (np.array([[[0.0, -INF]], [[math.log(0.25), math.log(0.75)]]]), _whole([[1]]), _ONE, _whole([1]), 0),
        lambda *_: np.array([-math.log(0.75)]),
        terms=4,
        gradients=lambda *_: [np.array([[[-1.0, 0]], [[0, -1]]])],
    ),
    Case(
        "ctc_loss", "nan-beyond-the-length",
        lambda r: (np.array([[[-1.0, -2.0]], [[math.nan, math.nan]]]), _whole([[1]]), _whole([1]), _whole([1]), 0),
        lambda *_: np.array([2.0]),
        gradients=lambda *_: [np.array([[[0.0, -1]], [[0, 0]]])],
    ),
]  # fmt: skip


def _bad(name: str, error: type[Exception], words: Sequence[str], **changes: Any) -> BadCall:
    right = {"x": _HALF, "target": _whole([[1]]), "frames": _ONE, "labels": _whole([1]), "blank": 0}
    args = tuple((right | changes).values())
    return BadCall("ctc_loss", name, lambda r: args, error, words)


BAD_CALLS = [
    _bad("rank", ShapeError, ["(2, 2)"], x=np.zeros((2, 2))),
    _bad("lengths", ShapeError, ["(2,)"], frames=_whole([1, 1])),
    _bad("too-long", ShapeError, ["input_lengths", "3"], frames=_whole([3])),
    _bad("negative-length", ShapeError, ["target_lengths", "-1"], labels=_whole([-1])),
    _bad("class", IndexError, ["2"], target=_whole([[2]])),
    _bad("blank", IndexError, ["blank=5"], blank=5),
]
