"""Metrics of classes: all are read off counts, which add up over batches."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from typing_extensions import override

from everygrad.optim.options import need_count
from everygrad.train.metrics.base import Array, Metric, Quotient, floats, host, need_alike, ratio
from everygrad_ops import ShapeError

__all__ = [
    "Accuracy", "ConfusionMatrix", "FBetaScore", "HammingScore", "Precision", "Recall", "TopKAccuracy",
]  # fmt: skip

Average = Literal["micro", "macro", "weighted", "none"]


def classes_of(name: str, prediction: Any, target: Any) -> tuple[Array, Array]:
    """(predicted class, true class) of every item, flat.

    Scores (N, C, d...) give the class of the highest; where prediction has the shape of target it holds classes.
    """
    said, right = host(prediction), host(target)
    if said.ndim == right.ndim + 1 and said.shape[:1] + said.shape[2:] == right.shape:
        said = said.argmax(1)
    need_alike(name, said, right)
    if said.dtype.kind == "f" or right.dtype.kind == "f":
        raise TypeError(
            f"{name}: needs scores (N, C, ...) or classes as integers, and target classes as integers. "
            f"Received: prediction of {said.dtype}, target of {right.dtype}; write (scores > 0.5).long() for two classes"
        )
    return said.reshape(-1).astype(np.int64), right.reshape(-1).astype(np.int64)


def highest(name: str, prediction: Any, target: Any, k: int) -> tuple[Array, Array]:
    """(whether a class (N, C) is among the k highest scores, whether it is the true one); of equal scores the lower first."""
    scores, right = floats(prediction), host(target)
    if scores.ndim != 2 or scores.shape[:1] != right.shape:
        raise ShapeError(
            f"{name}: needs scores (N, C) and classes (N,). Received: {scores.shape} and {right.shape}"
        )
    said: Array = np.zeros(scores.shape, np.bool_)
    np.put_along_axis(said, np.argsort(-scores, axis=1, kind="stable")[:, :k], True, 1)
    true: Array = np.zeros(scores.shape, np.bool_)
    for c in range(scores.shape[1]):
        true[:, c] = right == c
    return said, true


class Accuracy(Quotient):
    """The share of items whose highest score (N, C, ...) is that of their class (N, ...).

    Items of the class `ignore_index` do not count.

    >>> import everygrad as eg
    >>> accuracy = eg.train.Accuracy()
    >>> accuracy.update(eg.tensor([[0.1, 0.9], [0.8, 0.2]]), eg.tensor([1, 1]))
    >>> accuracy.compute()
    0.5
    """

    def __init__(self, ignore_index: int | None = None) -> None:
        self.ignore_index = ignore_index
        super().__init__()

    @override
    def update(self, prediction: Any, target: Any) -> None:
        said, right = classes_of("Accuracy", prediction, target)
        counts = (
            right != self.ignore_index if self.ignore_index is not None else np.ones(right.shape, np.bool_)
        )
        self.total += int(((said == right) & counts).sum())
        self.count += int(counts.sum())


class TopKAccuracy(Quotient):
    """The share of items whose class is among the `k` highest scores (N, C); of equal scores the lower class first.

    >>> import everygrad as eg
    >>> metric = eg.train.TopKAccuracy(2)
    >>> metric.update([[0.1, 0.2, 0.7], [0.1, 0.2, 0.7]], [1, 0])
    >>> metric.compute()
    0.5
    """

    def __init__(self, k: int = 5) -> None:
        if k < 1:
            raise ValueError(f"TopKAccuracy: k must be at least 1. Received: {k}")
        self.k = k
        super().__init__()

    @override
    def update(self, prediction: Any, target: Any) -> None:
        said, right = highest("TopKAccuracy", prediction, target, self.k)
        self.total += int((said & right).sum())
        self.count += len(right)


class ConfusionMatrix(Metric):
    """How often an item of class i was taken for class j: row i, column j.

    `normalize="true"` gives shares of each row, "pred" of each column, "all" of everything. Without `num_classes` the matrix
    grows with the classes that are seen.

    >>> import everygrad as eg
    >>> matrix = eg.train.ConfusionMatrix(2)
    >>> matrix.update([0, 1, 1], [0, 0, 1])
    >>> matrix.compute().tolist()
    [[1, 1], [0, 1]]
    """

    higher_is_better: bool | None = None

    def __init__(
        self, num_classes: int | None = None, normalize: Literal["true", "pred", "all"] | None = None
    ) -> None:
        self.num_classes = num_classes
        self.normalize = normalize
        super().__init__()

    @override
    def reset(self) -> None:
        size = self.num_classes or 0
        self.counts: Array = np.zeros((size, size), np.int64)

    @override
    def update(self, prediction: Any, target: Any) -> None:
        said, right = classes_of(type(self).__name__, prediction, target)
        scores = host(prediction)
        seen = int(max(said.max(initial=-1), right.max(initial=-1))) + 1
        if scores.ndim == host(target).ndim + 1:
            seen = max(seen, scores.shape[1])
        if min(said.min(initial=0), right.min(initial=0)) < 0 or seen > (self.num_classes or seen):
            raise IndexError(
                f"{type(self).__name__}: classes must be from 0 to {(self.num_classes or seen) - 1}. Received: classes from "
                f"{min(said.min(initial=0), right.min(initial=0))} to {seen - 1}"
            )
        if seen > len(self.counts):
            grown = np.zeros((seen, seen), np.int64)
            grown[: len(self.counts), : len(self.counts)] = self.counts
            self.counts = grown
        size = len(self.counts)
        self.counts += np.bincount(right * size + said, minlength=size * size).reshape(size, size)

    @override
    def compute(self) -> Any:
        if self.normalize is None:
            return self.counts.copy()
        axis = {"true": 1, "pred": 0, "all": None}[self.normalize]
        return ratio(self.counts, self.counts.sum(axis, keepdims=True), 0.0)


class _FromCounts(ConfusionMatrix):
    """A metric of true and false positives: of one class each, or of labels that are there or not."""

    higher_is_better: bool | None = True

    def __init__(
        self,
        average: Average = "macro",
        num_classes: int | None = None,
        threshold: float | None = None,
        top_k: int | None = None,
    ) -> None:
        if top_k is not None:
            need_count("top_k", top_k)
        if top_k is not None and threshold is not None:
            raise ValueError(
                f"{type(self).__name__}: top_k and threshold exclude each other. Received: top_k={top_k}, threshold={threshold}; "
                "leave one of them out"
            )
        if average not in ("micro", "macro", "weighted", "none"):
            raise ValueError(
                f"average: must be 'micro', 'macro', 'weighted' or 'none'. Received: {average!r}"
            )
        self.average = average
        self.threshold, self.top_k = threshold, top_k
        super().__init__(num_classes)

    @override
    def reset(self) -> None:
        super().reset()
        self.labels: Array | None = None
        """Of labels: true positives, false positives, false negatives, by label."""

    @override
    def update(self, prediction: Any, target: Any) -> None:
        if self.threshold is None and self.top_k is None:
            super().update(prediction, target)
            return
        if self.top_k is None:
            said, right = floats(prediction) >= self.threshold, host(target).astype(np.bool_)
        else:
            said, right = highest(type(self).__name__, prediction, target, self.top_k)
        need_alike(type(self).__name__, said, right)
        if said.ndim < 2:
            said, right = said.reshape(-1, 1), right.reshape(-1, 1)
        found = np.array([(said & right).sum(0), (said & ~right).sum(0), (~said & right).sum(0)])
        self.labels = found if self.labels is None else self.labels + found

    def of(self, hits: Any, false_hits: Any, misses: Any) -> Any:
        """The metric of true positives, false positives and false negatives; 0 where it is 0 / 0."""
        raise NotImplementedError

    @override
    def compute(self) -> Any:
        if self.threshold is None and self.top_k is None:
            hits = np.diagonal(self.counts)
            found = np.array([hits, self.counts.sum(0) - hits, self.counts.sum(1) - hits])
        else:
            found = np.zeros((3, 0)) if self.labels is None else self.labels
        if not found.sum():
            return float("nan")
        if self.average == "micro":
            return float(self.of(*found.sum(1)))
        each = self.of(*found)
        if self.average == "none":
            return each
        seen = found.sum(0) > 0  # a class that is neither predicted nor there says nothing
        support = found[0] + found[2] if self.average == "weighted" else seen
        return float((each * support).sum() / support.sum()) if support.sum() else 0.0


class Precision(_FromCounts):
    """Of the items taken for a class, the share that are of it.

    `average` over classes: "macro" the plain mean over those that occur, "weighted" by how many items each has, "micro" of
    all counts together, "none" gives an array. With a `threshold`, prediction and target (N, L) are scores and truth
    of labels that may be there together, or of one (N,). With `top_k` an item is taken for each of the classes of its
    highest scores (N, C).

    >>> import everygrad as eg
    >>> precision = eg.train.Precision("none")
    >>> precision.update([0, 1, 1], [0, 0, 1])
    >>> precision.compute().tolist()
    [1.0, 0.5]
    """

    @override
    def of(self, hits: Any, false_hits: Any, misses: Any) -> Any:
        return ratio(hits, hits + false_hits, 0.0)


class Recall(_FromCounts):
    """Of the items of a class, the share that are taken for it; arguments as of `Precision`.

    >>> import everygrad as eg
    >>> recall = eg.train.Recall("none")
    >>> recall.update([0, 1, 1], [0, 0, 1])
    >>> recall.compute().tolist()
    [0.5, 1.0]
    """

    @override
    def of(self, hits: Any, false_hits: Any, misses: Any) -> Any:
        return ratio(hits, hits + misses, 0.0)


class FBetaScore(_FromCounts):
    """(1 + beta^2) P R / (beta^2 P + R), of precision P and recall R; beta = 1 is their harmonic mean.

    >>> import everygrad as eg
    >>> f1 = eg.train.FBetaScore(1.0, "micro")
    >>> f1.update([0, 1, 1], [0, 0, 1])
    >>> round(f1.compute(), 6)
    0.666667
    """

    def __init__(
        self,
        beta: float = 1.0,
        average: Average = "macro",
        num_classes: int | None = None,
        threshold: float | None = None,
        top_k: int | None = None,
    ) -> None:
        self.beta = beta
        super().__init__(average, num_classes, threshold, top_k)

    @override
    def of(self, hits: Any, false_hits: Any, misses: Any) -> Any:
        square = self.beta**2
        return ratio((1 + square) * hits, (1 + square) * hits + square * misses + false_hits, 0.0)


class HammingScore(Quotient):
    """The share of labels (N, L) that are right: there, by a score of at least `threshold`, exactly where they should be.

    >>> import everygrad as eg
    >>> score = eg.train.HammingScore()
    >>> score.update([[0.9, 0.1, 0.6]], [[1, 0, 0]])
    >>> round(score.compute(), 6)
    0.666667
    """

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = threshold
        super().__init__()

    @override
    def update(self, prediction: Any, target: Any) -> None:
        said, right = floats(prediction) >= self.threshold, host(target).astype(np.bool_)
        need_alike("HammingScore", said, right)
        self.total += int((said == right).sum())
        self.count += right.size
