"""Metrics of an order by scores: exact, so they keep the scores of an epoch."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from typing_extensions import override

from everygrad.train.metrics.base import Array, Metric, floats, host
from everygrad_ops import ShapeError

__all__ = ["AUROC", "AveragePrecision"]


class _Ranking(Metric):
    """A metric of scores and truth; for scores (N, C) the mean over classes, each against the others."""

    def __init__(self, average: Literal["macro", "micro", "none"] = "macro") -> None:
        if average not in ("macro", "micro", "none"):
            raise ValueError(f"average: must be 'macro', 'micro' or 'none'. Received: {average!r}")
        self.average = average
        super().__init__()

    @override
    def reset(self) -> None:
        self.scores: list[Array] = []
        self.truths: list[Array] = []

    @override
    def update(self, prediction: Any, target: Any) -> None:
        scores, truth = floats(prediction), host(target)
        classes: Array = np.arange(scores.shape[-1] if scores.ndim else 0)
        if scores.ndim == 2 and truth.ndim == 1 and scores.shape[1] > 1:
            truth = np.equal(truth[:, None], classes)
        if scores.shape != truth.shape or scores.ndim > 2:
            raise ShapeError(
                f"{type(self).__name__}: needs scores (N,) or (N, C) and truth of that shape, or classes (N,). "
                f"Received: {scores.shape} and {truth.shape}"
            )
        width = scores.shape[1] if scores.ndim == 2 else 1
        self.scores.append(scores.reshape(-1, width))
        self.truths.append(truth.astype(np.bool_).reshape(-1, width))

    def of(self, scores: Array, truth: Array) -> float:
        """The metric of one column."""
        raise NotImplementedError

    @override
    def compute(self) -> Any:
        if not self.scores:
            return float("nan")
        scores, truth = np.concatenate(self.scores), np.concatenate(self.truths)
        if self.average == "micro":
            return self.of(scores.reshape(-1), truth.reshape(-1))
        each = [self.of(scores[:, i], truth[:, i]) for i in range(scores.shape[1])]
        return np.array(each) if self.average == "none" else float(np.mean(each))


def steps(scores: Array, truth: Array) -> tuple[Array, Array]:
    """(true positives, false positives) at every threshold that tells scores apart, the highest first."""
    order = np.argsort(-scores, kind="stable")
    scores, truth = scores[order], truth[order]
    ends = np.flatnonzero(np.append(np.diff(scores) != 0, True))
    hits = np.cumsum(truth)[ends]
    return hits, ends + 1 - hits


class AUROC(_Ranking):
    """The chance that an item of the class has a higher score than one of another; ties count half.

    NaN where all items are of one kind.

    >>> import everygrad as eg
    >>> metric = eg.train.AUROC()
    >>> metric.update([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
    >>> metric.compute()
    0.75
    """

    @override
    def of(self, scores: Array, truth: Array) -> float:
        if not len(truth) or truth.all() or not truth.any():
            return float("nan")
        hits, false_hits = (np.append(0, counts) for counts in steps(scores, truth))
        area = (np.diff(false_hits) * (hits[1:] + hits[:-1]) / 2).sum()
        return float(area / (hits[-1] * false_hits[-1]))


class AveragePrecision(_Ranking):
    """The area under precision over recall, as the mean of the precision at each item of the class.

    NaN where no item is of the class.

    >>> import everygrad as eg
    >>> metric = eg.train.AveragePrecision()
    >>> metric.update([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
    >>> round(metric.compute(), 6)
    0.833333
    """

    @override
    def of(self, scores: Array, truth: Array) -> float:
        if not truth.any():
            return float("nan")
        hits, false_hits = steps(scores, truth)
        gained = np.diff(hits, prepend=0) / hits[-1]
        return float((gained * hits / (hits + false_hits)).sum())
