"""Metrics of nothing, pictures of little, and runs whose numbers are NaN or equal."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import train as T
from tests.test_train_learner import X, Y, learner_of, loader_of, model_of

DRAW = np.random.default_rng(1)
CLASSES = (DRAW.normal(size=(6, 3)), DRAW.integers(0, 3, 6))
LABELS = (DRAW.random((6, 3)), DRAW.integers(0, 2, (6, 3)))
IMAGES = (DRAW.random((2, 1, 192, 192)), DRAW.random((2, 1, 192, 192)))
NUMBERS = (DRAW.normal(size=(6, 2)), DRAW.normal(size=(6, 2)))
TEXTS = (["a b c", "d"], ["a c", "e"])

METRICS: list[tuple[T.Metric, tuple[Any, Any]]] = [
    *((m, CLASSES) for m in (T.Accuracy(), T.TopKAccuracy(2), T.ConfusionMatrix(3), T.Precision(), T.Recall(), T.FBetaScore())),
    *((m, CLASSES) for m in (T.AUROC(), T.AveragePrecision(), T.Perplexity())),
    *((m, LABELS) for m in (T.HammingScore(), T.Precision(threshold=0.5), T.AUROC("micro"))),
    *((m, IMAGES) for m in (T.PeakSignalNoiseRatio(), T.SSIM(), T.MultiScaleSSIM())),
    *((m, NUMBERS) for m in (T.MeanSquaredError(), T.MeanSquaredError(False), T.MeanAbsoluteError(), T.R2Score())),
    *((m, TEXTS) for m in (T.CharErrorRate(), T.WordErrorRate(), T.RougeL(), T.BLEU())),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "batch"), METRICS, ids=lambda x: type(x).__name__)
def test_a_batch_of_nothing_changes_nothing(metric: T.Metric, batch: tuple[Any, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.reset()
        metric.update(*batch)
        expected = np.array(metric.compute())
        metric.reset()
        for part in ((batch[0][:0], batch[1][:0]), batch, (batch[0][:0], batch[1][:0])):
            metric.update(*part)
        np.testing.assert_array_equal(metric.compute(), expected)
        metric.reset()
        metric.update(batch[0][:0], batch[1][:0])
        assert not np.any(np.nan_to_num(metric.compute())), "of nothing it is NaN, or counts of 0"


def test_the_nan_of_an_empty_batch_does_not_count_in_a_mean_loss() -> None:
    mean = T.Loss()
    for loss, size in ((1.0, 3), (math.nan, 0), (5.0, 1)):
        mean.observe(T.StepOutput(loss, size=size))
    assert mean.compute() == 2.0
    mean.observe(T.StepOutput(math.nan, size=1))
    assert math.isnan(mean.compute()), "that of items does"
    batches = [(eg.tensor(X), eg.tensor(Y)), (eg.tensor(X[:0]), eg.tensor(Y[:0]))]
    found = learner_of(model_of()).evaluate(batches)
    assert found["loss"] == learner_of(model_of()).evaluate(batches[:1])["loss"]


class Given(T.Metric):
    """A number for each epoch, whatever is predicted."""

    numbers: tuple[float, ...] = ()
    epoch = 0

    def reset(self) -> None: ...
    def update(self, prediction: Any, target: Any) -> None: ...
    def compute(self) -> float:
        return type(self).numbers[type(self).epoch]


class Advance(T.Callback):
    def on_epoch_begin(self, learner: T.Learner) -> None:
        Given.epoch = learner.epoch


@pytest.mark.parametrize(
    ("numbers", "mode", "kept"),
    [
        ((3.0, 3.0, 3.0, 3.0, 3.0), "min", [1, 4, 5]),  # of equal ones the earliest
        ((3.0, 3.0, 3.0, 3.0, 3.0), "max", [1, 4, 5]),
        ((math.nan, 3.0, math.nan, 4.0, math.nan), "min", [2, 4, 5]),
        ((math.nan,) * 5, "min", [4, 5]),
        ((1.0, math.inf, math.inf, 0.0, 0.0), "max", [2, 4, 5]),
    ],
)
def test_checkpoints_of_equal_and_of_no_numbers(
    tmp_path: Path, numbers: tuple[float, ...], mode: str, kept: list[int]
) -> None:
    Given.numbers = numbers
    learner = learner_of(
        model_of(),
        metrics={"given": Given()},
        callbacks=[Advance()],
        folder=tmp_path,
        monitor="train/given",
        mode=mode,
    )
    learner.fit(loader_of(), epochs=5)
    assert learner.checkpoints is not None and learner.checkpoints.epochs() == kept
    if all(map(math.isnan, numbers)):
        with pytest.raises(ValueError, match="'train/given' is NaN in every epoch"):
            learner.load_best()
    else:
        assert learner.load_best() == kept[0]


def test_stopping_counts_nan_as_no_improvement() -> None:
    Given.numbers = (2.0, math.nan, 1.0, math.nan, math.nan, math.nan)
    stopping = T.EarlyStopping("train/given", patience=2)
    learner = learner_of(model_of(), metrics={"given": Given()}, callbacks=[Advance(), stopping])
    assert len(learner.fit(loader_of(), epochs=6)) == 5 and stopping.best == 1.0


@pytest.mark.parametrize(
    "rows",
    [[], [{"epoch": 1, "train/loss": 1.0}], [{"epoch": 1, "train/loss": math.nan}],
     [{"epoch": 1, "train/loss": 1.0}, {"epoch": 2, "train/loss": math.inf, "valid/loss": 2.0}]],
)  # fmt: skip
def test_pictures_and_files_of_little(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("rich")
    history = T.History(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = T.plot_history(history, tmp_path / "curves.png")
    lines = [line for axes in figure.axes for line in axes.get_lines()]
    assert [len(line.get_xdata()) for line in lines] == [len(rows)] * len(history.names)
    for axes in figure.axes if history.names else ():
        assert all(float(tick).is_integer() for tick in axes.get_xticks())
    if len(rows) == 1:
        assert lines[0].get_marker() == "o", "a line of one point would not be seen"
    T.summary_table(history)
    T.write_history(history, tmp_path / "log.jsonl")
    assert len(T.read_history(tmp_path / "log.jsonl")) == len(rows)


def test_what_is_no_picture() -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(TypeError, match=r"must be a History. Received: list; write learner.history"):
        T.plot_history([])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
    with pytest.raises(ValueError, match=r"of a class at least. Received: shape \(0, 0\)"):
        T.plot_confusion(np.zeros((0, 0)))
    assert T.plot_confusion([[3]]).axes
