"""Cases of the transducer's loss: every path counted one by one; no labels, no frames, lengths below the sizes."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad_ops import ShapeError

INF = math.inf


def _one(x: Array, labels: list[int], frames: int, blank: int) -> float:
    """Minus the logarithm of the summed probability of all orders of `frames` blanks and the labels."""
    if not frames:
        return INF if labels else 0.0
    total = 0.0
    steps = frames - 1 + len(labels)  # the last blank comes last
    for at in itertools.combinations(range(steps), len(labels)):
        t = u = 0
        logs: list[float] = []
        for step in range(steps):
            if step in at:
                logs.append(float(x[t, u, labels[u]]))
                u += 1
            else:
                logs.append(float(x[t, u, blank]))
                t += 1
        total += math.exp(math.fsum([*logs, float(x[t, u, blank])]))
    return -math.log(total)


def _loss(x: Array, target: Array, frames: Array, labels: Array, blank: int) -> Array:
    return np.array([
        _one(x[n], [int(v) for v in target[n, : labels[n]]], int(frames[n]), blank) for n in range(len(x))
    ])  # fmt: skip


def _whole(values: Any) -> Array:
    return np.asarray(values, np.int64)


def _case(
    name: str, shape: tuple[int, ...], target: Any, frames: Any, labels: Any, blank: int, order: int = 2
) -> Case:
    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        x = np.log(r.dirichlet(np.ones(shape[3]), size=shape[:3]) + 0.02)
        return x, _whole(target).reshape(shape[0], shape[2] - 1), _whole(frames), _whole(labels), blank

    return Case("rnnt_loss", name, sample, _loss, terms=16, scale=4.0, order=order)  # fmt: skip


_X = np.full((1, 2, 2, 2), -math.log(2))
_HALF = (_X, _whole([[1]]), _whole([2]), _whole([1]), 0)

CASES = [
    _case("batch", (3, 3, 3, 3), [[1, 2], [2, -5], [1, 1]], [3, 2, 3], [2, 1, 0], 0, 3),
    _case("last-is-blank", (2, 2, 2, 3), [[0], [1]], [2, 1], [1, 1], 2),
    _case("no-labels", (2, 3, 1, 2), [], [3, 1], [0, 0], 0),
    _case("no-batch", (0, 2, 2, 2), [], [], [], 0),
    Case(
        "rnnt_loss", "halves", lambda r: _HALF, lambda *_: np.array([2 * math.log(2)]), terms=4,
        gradients=lambda *_: [np.array([[[[-0.5, -0.5], [-0.5, 0]], [[0, -0.5], [-1, 0]]]])],
    ),
    Case(
        "rnnt_loss", "no-frames", lambda r: (_X, _whole([[1]]), _whole([0]), _whole([1]), 0),
        lambda *_: np.array([INF]), gradients=lambda *_: [np.zeros((1, 2, 2, 2))],
    ),
    Case(
        "rnnt_loss", "nothing", lambda r: (_X, _whole([[1]]), _whole([0]), _whole([0]), 0),
        lambda *_: np.array([0.0]), gradients=lambda *_: [np.zeros((1, 2, 2, 2))],
    ),
]  # fmt: skip

BAD_CALLS = [
    BadCall("rnnt_loss", "sizes", lambda r: (_X, _whole([[1, 1]]), *_HALF[2:]), ShapeError, ["(1, 2)"]),
    BadCall("rnnt_loss", "length", lambda r: (*_HALF[:2], _whole([3]), *_HALF[3:]), ShapeError, ["3"]),
    BadCall("rnnt_loss", "class", lambda r: (_X, _whole([[7]]), *_HALF[2:]), IndexError, ["7"]),
    BadCall("rnnt_loss", "blank", lambda r: (*_HALF[:4], 2), IndexError, ["blank=2"]),
]
