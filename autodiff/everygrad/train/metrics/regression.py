"""Metrics of numbers, and of probabilities of what came next."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from typing_extensions import override

from everygrad.train.metrics.base import Metric, Quotient, floats, host, need_alike
from everygrad_ops import ShapeError

__all__ = ["MeanAbsoluteError", "MeanSquaredError", "Perplexity", "R2Score"]


class MeanSquaredError(Quotient):
    """The mean of (prediction - target)^2 over all elements; its root with `squared=False`.

    >>> import everygrad as eg
    >>> metric = eg.train.MeanSquaredError()
    >>> metric.update([1.0, 3.0], [1.0, 1.0])
    >>> metric.compute()
    2.0
    """

    higher_is_better = False

    def __init__(self, squared: bool = True) -> None:
        self.squared = squared
        super().__init__()

    @override
    def update(self, prediction: Any, target: Any) -> None:
        x, y = floats(prediction), floats(target)
        need_alike(type(self).__name__, x, y)
        self.total += float(((x - y) ** 2).sum())
        self.count += x.size

    @override
    def compute(self) -> float:
        mean = super().compute()
        return mean if self.squared else math.sqrt(mean)


class MeanAbsoluteError(Quotient):
    """The mean of |prediction - target| over all elements.

    >>> import everygrad as eg
    >>> metric = eg.train.MeanAbsoluteError()
    >>> metric.update([1.0, 3.0], [1.0, 1.0])
    >>> metric.compute()
    1.0
    """

    higher_is_better = False

    @override
    def update(self, prediction: Any, target: Any) -> None:
        x, y = floats(prediction), floats(target)
        need_alike(type(self).__name__, x, y)
        self.total += float(np.abs(x - y).sum())
        self.count += x.size


class R2Score(Metric):
    """1 - sum (target - prediction)^2 / sum (target - mean of target)^2, over all elements.

    Mean and spread are merged batch by batch (Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for
    computing sample variances", 1979), so a large mean costs no accuracy. NaN for fewer than two elements.

    >>> import everygrad as eg
    >>> metric = eg.train.R2Score()
    >>> metric.update([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
    >>> round(metric.compute(), 6)
    0.785714
    """

    @override
    def reset(self) -> None:
        self.count, self.mean, self.spread, self.errors = 0, 0.0, 0.0, 0.0

    @override
    def update(self, prediction: Any, target: Any) -> None:
        x, y = floats(prediction), floats(target)
        need_alike("R2Score", x, y)
        if not y.size:
            return
        mean, total = float(y.mean()), self.count + y.size
        self.spread += float(((y - mean) ** 2).sum()) + (mean - self.mean) ** 2 * self.count * y.size / total
        self.mean += (mean - self.mean) * y.size / total
        self.count = total
        self.errors += float(((x - y) ** 2).sum())

    @override
    def compute(self) -> float:
        if self.count < 2:
            return float("nan")
        if not self.spread:
            return 1.0 if not self.errors else 0.0
        return 1 - self.errors / self.spread


class Perplexity(Metric):
    """exp of the mean cross entropy of a token: of logits (N, C, d...) against classes (N, d...).

    Tokens of the class `ignore_index` do not count.

    >>> import everygrad as eg
    >>> metric = eg.train.Perplexity()
    >>> metric.update(eg.zeros(3, 4), eg.tensor([0, 1, 2]))
    >>> round(metric.compute(), 6)
    4.0
    """

    higher_is_better = False

    def __init__(self, ignore_index: int | None = -100) -> None:
        self.ignore_index = ignore_index
        super().__init__()

    @override
    def reset(self) -> None:
        self.total, self.count = 0.0, 0

    @override
    def update(self, prediction: Any, target: Any) -> None:
        logits, classes = floats(prediction), host(target)
        if logits.ndim < 2 or logits.shape[:1] + logits.shape[2:] != classes.shape:
            raise ShapeError(
                f"Perplexity: needs logits (N, C, ...) and classes (N, ...). Received: {logits.shape} and {classes.shape}"
            )
        rows = np.moveaxis(logits, 1, -1).reshape(-1, logits.shape[1])
        wanted = classes.reshape(-1)
        if self.ignore_index is not None:
            kept = wanted != self.ignore_index
            rows, wanted = rows[kept], wanted[kept]
        highest = rows.max(1, keepdims=True)
        log_sums = np.log(np.exp(rows - highest).sum(1)) + highest[:, 0]
        self.total += float((log_sums - rows[np.arange(len(wanted)), wanted]).sum())
        self.count += len(wanted)

    @override
    def compute(self) -> float:
        if not self.count:
            return float("nan")
        try:
            return math.exp(self.total / self.count)
        except OverflowError:
            return math.inf
