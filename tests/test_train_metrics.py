"""Metrics against scikit-learn, SciPy, scikit-image's formulas or closed forms; batches must not matter."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import everygrad as eg
from everygrad import train as T

sklearn_metrics: Any = pytest.importorskip("sklearn.metrics", reason="scikit-learn is the reference")

DRAW = np.random.default_rng(0)
N, C = 57, 4
SCORES: NDArray[Any] = DRAW.normal(size=(N, C)).round(1)  # rounded: with ties
CLASSES: NDArray[Any] = DRAW.choice(C, N, p=[0.5, 0.3, 0.2, 0.0])  # one never occurs
PREDICTED = SCORES.argmax(1)
LABEL_SCORES: NDArray[Any] = DRAW.random((N, 3)).round(2)
LABELS: NDArray[Any] = DRAW.integers(0, 2, (N, 3))
CUTS: tuple[list[int], ...] = ([], [1, 20, 21], [10, 30])
"""Where the items are cut into batches."""


def over_batches(metric: T.Metric, prediction: Any, target: Any, cuts: list[int]) -> Any:
    metric.reset()
    for x, y in zip(np.split(np.asarray(prediction), cuts), np.split(np.asarray(target), cuts)):
        metric.update(eg.tensor(x), eg.tensor(y))
    return metric.compute()


def skl(name: str, **options: Any) -> Callable[[Any, Any], Any]:
    return lambda prediction, target: getattr(sklearn_metrics, name)(target, prediction, **options)


def seen(average: str) -> dict[str, Any]:
    """scikit-learn's options: classes that occur nowhere do not count."""
    labels = sorted(set(CLASSES) | set(PREDICTED))
    return {"average": None if average == "none" else average, "labels": labels if average != "none" else range(C),
            "zero_division": 0}  # fmt: skip


CASES: dict[str, tuple[T.Metric, Any, Any, Any]] = {
    "accuracy": (T.Accuracy(), SCORES, CLASSES, sklearn_metrics.accuracy_score(CLASSES, PREDICTED)),
    "accuracy of classes": (T.Accuracy(), PREDICTED, CLASSES, sklearn_metrics.accuracy_score(CLASSES, PREDICTED)),
    "top 2": (T.TopKAccuracy(2), SCORES + np.arange(C) * -1e-6, CLASSES,
              sklearn_metrics.top_k_accuracy_score(CLASSES, SCORES + np.arange(C) * -1e-6, k=2, labels=range(C))),
    "confusion": (T.ConfusionMatrix(C), SCORES, CLASSES, sklearn_metrics.confusion_matrix(CLASSES, PREDICTED, labels=range(C))),
    "confusion grown": (T.ConfusionMatrix(), PREDICTED, CLASSES, sklearn_metrics.confusion_matrix(CLASSES, PREDICTED, labels=range(C))),
    "confusion of rows": (T.ConfusionMatrix(C, "true"), SCORES, CLASSES,
                          sklearn_metrics.confusion_matrix(CLASSES, PREDICTED, labels=range(C), normalize="true")),
    "hamming": (T.HammingScore(), LABEL_SCORES, LABELS, 1 - sklearn_metrics.hamming_loss(LABELS, LABEL_SCORES >= 0.5)),
    "auroc": (T.AUROC(), LABEL_SCORES[:, 0], LABELS[:, 0], sklearn_metrics.roc_auc_score(LABELS[:, 0], LABEL_SCORES[:, 0])),
    "auroc of labels": (T.AUROC(), LABEL_SCORES, LABELS, sklearn_metrics.roc_auc_score(LABELS, LABEL_SCORES)),
    "auroc micro": (T.AUROC("micro"), LABEL_SCORES, LABELS, sklearn_metrics.roc_auc_score(LABELS, LABEL_SCORES, average="micro")),
    "auroc of classes": (T.AUROC(), SCORES[:, :3], CLASSES,
                         np.mean([sklearn_metrics.roc_auc_score(c == CLASSES, SCORES[:, c]) for c in range(3)])),
    "average precision": (T.AveragePrecision("none"), LABEL_SCORES, LABELS,
                          sklearn_metrics.average_precision_score(LABELS, LABEL_SCORES, average=None)),
    "mse": (T.MeanSquaredError(), SCORES, SCORES[::-1], sklearn_metrics.mean_squared_error(SCORES[::-1], SCORES)),
    "rmse": (T.MeanSquaredError(squared=False), SCORES, SCORES[::-1], sklearn_metrics.mean_squared_error(SCORES[::-1], SCORES) ** 0.5),
    "mae": (T.MeanAbsoluteError(), SCORES, SCORES[::-1], sklearn_metrics.mean_absolute_error(SCORES[::-1], SCORES)),
    "r2": (T.R2Score(), SCORES[:, 0] + 1e6, SCORES[:, 1] + 1e6, sklearn_metrics.r2_score(SCORES[:, 1], SCORES[:, 0])),
    "perplexity": (T.Perplexity(), SCORES, CLASSES,
                   math.exp(sklearn_metrics.log_loss(CLASSES, np.exp(SCORES) / np.exp(SCORES).sum(1, keepdims=True), labels=range(C)))),
    "dice": (T.Dice(), LABEL_SCORES, LABELS, sklearn_metrics.f1_score(LABELS.ravel(), LABEL_SCORES.ravel() >= 0.5)),
}  # fmt: skip
for _average in ("micro", "macro", "weighted", "none"):
    for _name, _metric, _function, _options in (
        ("precision", T.Precision, "precision_score", {}),
        ("recall", T.Recall, "recall_score", {}),
        ("f2", partial(T.FBetaScore, 2.0), "fbeta_score", {"beta": 2.0}),
    ):
        CASES[f"{_name} {_average}"] = (
            _metric(_average, num_classes=C), SCORES, CLASSES,
            skl(_function, **seen(_average), **_options)(PREDICTED, CLASSES),
        )  # fmt: skip
        CASES[f"{_name} {_average} of labels"] = (
            _metric(_average, threshold=0.5), LABEL_SCORES, LABELS,
            skl(_function, average=None if _average == "none" else _average, **_options)(LABEL_SCORES >= 0.5, LABELS),
        )  # fmt: skip


@pytest.mark.parametrize("cuts", CUTS, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_against_scikit_learn(name: str, cuts: list[int], library: str) -> None:
    metric, prediction, target, expected = CASES[name]
    np.testing.assert_allclose(
        over_batches(metric, prediction, target, cuts), expected, rtol=1e-9, atol=1e-12
    )


def test_nothing_gives_nan_and_one_kind_gives_nan() -> None:
    for metric in (T.Accuracy(), T.TopKAccuracy(), T.AUROC(), T.Dice(), T.BLEU(), T.Precision(), T.R2Score(),
                   T.Perplexity(), T.WordErrorRate(), T.SSIM(), T.Mean(), T.FrechetDistance()):  # fmt: skip
        assert math.isnan(metric.compute()), metric
    auroc = T.AUROC()
    auroc.update([0.1, 0.2], [1, 1])
    assert math.isnan(auroc.compute())


def test_wrong_sizes_raise_instead_of_stretching() -> None:
    for metric in (T.MeanSquaredError(), T.MeanAbsoluteError(), T.R2Score(), T.Dice(), T.HammingScore()):
        with pytest.raises(eg.ShapeError, match="must have one shape"):
            metric.update(eg.ones(4, 1), eg.ones(4))
    with pytest.raises(TypeError, match=r"write \(scores > 0\.5\)"):
        T.Accuracy().update(eg.ones(4), eg.ones(4))
    with pytest.raises(IndexError, match="classes must be from 0 to 1"):
        T.ConfusionMatrix(2).update([2], [0])


def test_ignored_classes() -> None:
    accuracy, perplexity = T.Accuracy(ignore_index=-1), T.Perplexity(ignore_index=-1)
    accuracy.update([0, 1, 1], [0, -1, 0])
    assert accuracy.compute() == 0.5
    perplexity.update(np.zeros((2, 4, 3)), np.array([[0, -1, 1], [-1, -1, 2]]))
    assert perplexity.compute() == pytest.approx(4)


def by_table(x: str, y: str) -> int:
    """Edits by the plain recursion over prefixes."""
    table = [[i + j if not i * j else 0 for j in range(len(y) + 1)] for i in range(len(x) + 1)]
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            same = table[i - 1][j - 1] + (x[i - 1] != y[j - 1])
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, same)
    return table[-1][-1]


def test_error_rates() -> None:
    words = ["".join(DRAW.choice(list("abc"), n)) for n in (0, 1, 3, 7, 12, 5)]
    for x in words:
        for y in words:
            assert T.edit_distance(x, y) == by_table(x, y), (x, y)
    rate: T.Metric = T.CharErrorRate()
    rate.update(["abc", ""], ["abd", "xy"])
    rate.update("a", "a")
    assert rate.compute() == 3 / 6
    rate = T.WordErrorRate()
    rate.update(["hello there world"], ["hello world"])
    assert rate.compute() == 1 / 2


def test_bleu_by_hand() -> None:
    bleu = T.BLEU(max_n=2)
    bleu.update(["the the the cat"], [["the cat is here", "a cat"]])
    # 1-grams: the (clipped to 1) and cat, of 4; 2-grams: "the cat" of 3; the nearest length is 4, so no penalty
    assert bleu.compute() == pytest.approx(math.sqrt(2 / 4 * 1 / 3))
    short = T.BLEU(max_n=1)
    short.update([["a", "b"]], [["a", "b", "c", "d"]])
    assert short.compute() == pytest.approx(math.exp(1 - 4 / 2))
    whole, parts = T.BLEU(), T.BLEU()
    texts, references = ["a b c d e", "x y z w v"], ["a b c d f", "x y z w u"]
    whole.update(texts, references)
    for text, reference in zip(texts, references):
        parts.update([text], [reference])
    assert whole.compute() == parts.compute() == pytest.approx((8 / 10 * 6 / 8 * 4 / 6 * 2 / 4) ** 0.25)
    for smoothing, expected in (
        ("none", 0.0),
        ("epsilon", math.sqrt(1 / 2 * 0.1 / 1)),
        ("exp", math.sqrt(1 / 2 * 0.5 / 1)),
    ):
        smooth = T.BLEU(2, smoothing)  # type: ignore[arg-type]  # of the three
        smooth.update(["a x"], ["a b"])
        assert smooth.compute() == pytest.approx(expected)


def test_rouge_by_hand() -> None:
    rouge = T.RougeL()
    rouge.update(["the gunman kill police"], ["police killed the gunman"])
    assert rouge.compute() == pytest.approx(2 / 4)
    rouge.update(["a b c"], ["a c"])
    assert rouge.compute() == pytest.approx((1 / 2 + 2 * (2 / 3) * 1 / (2 / 3 + 1)) / 2)


def test_psnr(library: str) -> None:
    x = DRAW.random((3, 2, 4, 5))
    y = x + DRAW.normal(size=x.shape) * 0.1
    expected = np.mean([10 * math.log10(1 / ((a - b) ** 2).mean()) for a, b in zip(x, y)])
    metric = T.PeakSignalNoiseRatio()
    np.testing.assert_allclose(over_batches(metric, x, y, [1]), expected, rtol=1e-12)
    metric.update(x, x)
    assert metric.compute() == math.inf


def plain_ssim(x: NDArray[Any], y: NDArray[Any]) -> float:
    """SSIM of one channel, window by window."""
    side = np.exp(-((np.arange(11) - 5) ** 2) / (2 * 1.5**2))
    weights = np.outer(side, side) / side.sum() ** 2
    found: list[float] = []
    for i in range(x.shape[0] - 10):
        for j in range(x.shape[1] - 10):
            a, b = x[i : i + 11, j : j + 11], y[i : i + 11, j : j + 11]
            ma, mb = (weights * a).sum(), (weights * b).sum()
            va, vb = (weights * (a - ma) ** 2).sum(), (weights * (b - mb) ** 2).sum()
            vab = (weights * (a - ma) * (b - mb)).sum()
            c1, c2 = 0.01**2, 0.03**2
            found.append((2 * ma * mb + c1) * (2 * vab + c2) / ((ma**2 + mb**2 + c1) * (va + vb + c2)))
    return float(np.mean(found))


def test_ssim_window_by_window() -> None:
    x = DRAW.random((2, 1, 14, 12))
    y = np.clip(x + DRAW.normal(size=x.shape) * 0.2, 0, 1)
    expected = np.mean([plain_ssim(a[0], b[0]) for a, b in zip(x, y)])
    np.testing.assert_allclose(over_batches(T.SSIM(), x, y, [1]), expected, rtol=1e-9)
    one = T.MultiScaleSSIM(weights=(1.0,))
    np.testing.assert_allclose(over_batches(one, x, y, []), expected, rtol=1e-9)
    with pytest.raises(eg.ShapeError, match="at least 11 pixels a side"):
        T.SSIM().update(np.ones((1, 1, 10, 20)), np.ones((1, 1, 10, 20)))


def test_frechet_distance_of_matrices_with_a_known_root() -> None:
    x = DRAW.normal(size=(200, 3)) * [1, 2, 3]
    metric = T.FrechetDistance()
    metric.update(x, x * 2 + 1)  # C2 = 4 C1, so the root of C1 C2 is 2 C1
    expected = ((x.mean(0) + 1) ** 2).sum() + np.trace(np.cov(x, rowvar=False))
    assert metric.compute() == pytest.approx(expected, rel=1e-9)


def test_metrics_of_the_machine() -> None:
    for metric in (T.CpuUse(), T.CpuMemory(), T.CpuTemperature()):
        metric.observe(T.StepOutput())
        value = metric.compute()
        assert isinstance(value, float) and (math.isnan(value) or value >= 0)
    rate = T.LearningRate()
    rate.observe(T.StepOutput(lr=0.1))
    assert rate.compute() == 0.1


def test_metrics_keep_no_graph(library: str) -> None:
    w = eg.ones(3, 2).requires_grad_()
    metric = T.Accuracy()
    metric.update(eg.ones(4, 3) @ w, eg.tensor([0, 1, 0, 1]))
    assert metric.compute() == 0.5
    assert not [v for v in vars(metric).values() if isinstance(v, eg.Tensor)]


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "none"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_precision_and_recall_of_the_k_highest_by_loops(average: Any, k: int) -> None:
    hits, false_hits, misses = (np.zeros(C) for _ in range(3))
    for scores, right in zip(SCORES, CLASSES):
        said = sorted(range(C), key=lambda c: (-scores[c], c))[:k]
        for c in range(C):
            hits[c] += c in said and c == right
            false_hits[c] += c in said and c != right
            misses[c] += c not in said and c == right
    for kind, whole in ((T.Precision, hits + false_hits), (T.Recall, hits + misses)):
        each = np.array([h / w if w else 0.0 for h, w in zip(hits, whole)])
        seen = hits + false_hits + misses > 0
        expected: Any = {
            "none": each,
            "micro": hits.sum() / whole.sum(),
            "macro": each[seen].mean(),
            "weighted": (each * (hits + misses)).sum() / (hits + misses).sum(),
        }[average]
        for cuts in CUTS:
            found = over_batches(kind(average, top_k=k), SCORES, CLASSES, cuts)
            np.testing.assert_allclose(found, expected, rtol=1e-12)
    if k == 1:
        np.testing.assert_allclose(
            over_batches(T.FBetaScore(2.0, average, C, top_k=1), SCORES, CLASSES, []),
            over_batches(T.FBetaScore(2.0, average, C), SCORES, CLASSES, []),
        )
    with pytest.raises(ValueError, match=r"exclude each other. Received: top_k=1, threshold=0.5; leave one"):
        T.Recall(top_k=1, threshold=0.5)
