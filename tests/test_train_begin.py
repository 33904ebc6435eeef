"""How a training begins: its checkpoint before the first epoch, the modes, and what is refused before any work."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn, optim
from everygrad import train as T
from tests.test_train_learner import X, Y, learner_of, loader_of, model_of, weights


class Press(T.Callback):
    """Ctrl-C at a step."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_step(self, learner: T.Learner, output: T.StepOutput) -> None:
        if learner.step == self.step:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.skipif(os.name != "posix", reason="needs SIGINT")
@pytest.mark.parametrize("step", [1, 4])
def test_an_interrupt_in_the_first_epoch_loses_nothing_but_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], step: int, library: str
) -> None:
    first = learner_of(model_of(), folder=tmp_path, callbacks=[Press(step)], progress=T.Lines(), seed=None)
    loader = loader_of()
    first.fit(loader, epochs=2)
    assert first.interrupted and first.epoch == 0
    assert "the beginning is kept: go on with fit(..., resume=True)" in capsys.readouterr().out
    again = learner_of(model_of(7), folder=tmp_path, callbacks=[T.Callback()], seed=None)
    again.fit(loader_of(), epochs=2, resume=True)
    whole = learner_of(model_of(), seed=first.seed)
    whole.fit(loader_of(), epochs=2)
    assert weights(again.model) == weights(whole.model) and again.step == whole.step == 10
    assert again.checkpoints is not None and again.checkpoints.epochs() == [1, 2]


def test_a_new_run_does_not_mix_with_an_old_one(tmp_path: Path) -> None:
    learner_of(model_of(), folder=tmp_path).fit(loader_of(), epochs=0)
    newer = learner_of(model_of(1), folder=tmp_path)
    newer.fit(loader_of(), epochs=0)  # nothing was trained: the state of another model takes its place
    other = learner_of(model_of(2), folder=tmp_path)
    assert other.resume() and weights(other.model) == weights(newer.model)
    newer.fit(loader_of(), epochs=3)
    with pytest.raises(
        FileExistsError, match=r"epochs \[2, 3\] of another run.*; write fit\(\.\.\., resume=True\)"
    ):
        learner_of(model_of(), folder=tmp_path).fit(loader_of(), epochs=1)
    newer.fit(loader_of(), epochs=4)  # the same run goes on
    assert newer.checkpoints is not None and newer.checkpoints.epochs()[-1] == 4


def test_a_folder_that_cannot_be_written_is_said_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    model = model_of()
    learner = learner_of(model, folder=tmp_path / "taken")
    with pytest.raises(T.CheckpointError, match=r"epoch-00000.safetensors cannot be written: .*; |make room"):
        learner.fit(loader_of(), epochs=1)
    assert weights(model) == weights(model_of()) and learner.step == 0


@pytest.mark.skipif(os.name != "posix", reason="needs a limit of file sizes")
def test_a_full_disk_leaves_the_checkpoints_before(tmp_path: Path) -> None:
    import resource

    class Fill(T.Callback):
        def on_epoch_end(self, learner: T.Learner, row: Any) -> None:
            if learner.epoch == 2:
                resource.setrlimit(resource.RLIMIT_FSIZE, (512, before[1]))

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    learner = learner_of(model_of(), folder=tmp_path)
    learner.callbacks.append(Fill())
    try:
        with pytest.raises(T.CheckpointError, match=r"epoch-00002.*File too large"):
            learner.fit(loader_of(), epochs=3)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    folder = tmp_path / "checkpoints"
    assert sorted(path.name for path in folder.iterdir()) == [
        "epoch-00000.safetensors",
        "epoch-00001.safetensors",
    ]
    again = learner_of(model_of(3), folder=tmp_path)
    again.fit(loader_of(), epochs=3, resume=True)
    whole = learner_of(model_of())
    whole.fit(loader_of(), epochs=3)
    assert weights(again.model) == weights(whole.model)


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    part = tmp_path / "checkpoints" / ".epoch-00007.safetensors.abc.part"
    part.parent.mkdir()
    part.write_bytes(b"half")
    learner_of(model_of(), folder=tmp_path).fit(loader_of(), epochs=1)
    assert not part.exists()


def noisy() -> nn.Sequential:
    with eg.seeded(0):
        return nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1))


def test_it_trains_in_training_mode_whatever_the_model_is_in_and_gives_the_modes_back(library: str) -> None:
    plain, asleep = noisy(), noisy().eval()
    asleep[0].train()
    seen: list[tuple[bool, ...]] = []

    class Watch(T.Callback):
        def on_step(self, learner: T.Learner, output: T.StepOutput) -> None:
            seen.append(tuple(module.training for module in learner.model.modules()))

        def on_epoch_end(self, learner: T.Learner, row: Any) -> None:
            learner.evaluate(loader_of())

    batches = [(eg.tensor(X), eg.tensor(Y))]
    learner_of(plain).fit(batches, batches, epochs=2)
    learner_of(asleep, callbacks=[Watch()]).fit(batches, batches, epochs=2)
    assert (
        weights(asleep) == weights(plain)
        and asleep[1].running_mean.tolist() == plain[1].running_mean.tolist()
    )
    assert seen == [(True,) * 5] * 2
    assert [module.training for module in asleep.modules()] == [False, True, False, False, False]
    with pytest.raises(T.TrainingError):
        learner_of(asleep).fit([(eg.tensor(X), eg.tensor(Y * np.nan))])
    assert [module.training for module in asleep.modules()] == [False, True, False, False, False]


def test_a_part_stays_in_eval_mode_where_a_callback_puts_it() -> None:
    class Frozen(T.Callback):
        def on_epoch_begin(self, learner: T.Learner) -> None:
            learner.model[1].eval()  # type: ignore[index]  # pyright: ignore[reportIndexIssue]  # a Sequential

    model = noisy()
    batches = [(eg.tensor(X), eg.tensor(Y))]
    learner_of(model, callbacks=[Frozen()]).fit(batches, batches, epochs=3)
    assert model[1].running_mean.tolist() == [0.0] * 8 and model[1].training


def test_the_rate_of_a_step_is_the_one_it_was_made_with() -> None:
    rates: list[float] = []

    class Watch(T.Callback):
        def on_step(self, learner: T.Learner, output: T.StepOutput) -> None:
            rates.append(output.lr)

    model = model_of()
    optimizer = optim.SGD(model.parameters(), lr=1.0)
    schedule = optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    T.Learner(
        model,
        optimizer,
        nn.MSELoss(),
        scheduler=schedule,
        schedule="step",
        callbacks=[Watch()],
        progress=False,
    ).fit(loader_of())
    assert rates == [1.0, 0.5, 0.25, 0.125, 0.0625]


def test_a_schedule_of_another_optimizer_is_refused() -> None:
    model = model_of()
    one, other = (optim.SGD(model.parameters(), lr=0.1) for _ in range(2))
    with pytest.raises(ValueError, match=r"of the learner's optimizer. Received: one of another"):
        T.Learner(model, one, nn.MSELoss(), scheduler=optim.lr_scheduler.StepLR(other, 1))
    with pytest.raises(
        ValueError, match=r"ReduceLROnPlateau is told a number of each epoch. Received: schedule='step'"
    ):
        T.Learner(
            model, one, nn.MSELoss(), scheduler=optim.lr_scheduler.ReduceLROnPlateau(one), schedule="step"
        )


def test_the_best_weights_that_stopping_wants_are_kept(tmp_path: Path) -> None:
    stopping = T.EarlyStopping("valid/mean_absolute_error", restore_best=True)
    for options in (
        {},
        {"folder": tmp_path},
        {"folder": tmp_path, "monitor": "valid/mean_absolute_error", "keep_best": 0},
    ):
        learner = learner_of(model_of(), metrics=[T.MeanAbsoluteError()], callbacks=[stopping], **options)
        with pytest.raises(
            ValueError, match=r"restore_best needs a learner that keeps the epoch best in 'valid/mean_abs"
        ):
            learner.fit(loader_of(), loader_of())
        assert learner.step == 0
    learner = learner_of(
        model_of(),
        metrics=[T.MeanAbsoluteError()],
        callbacks=[stopping],
        folder=tmp_path,
        monitor=stopping.monitor,
    )
    history = learner.fit(loader_of(), loader_of(), epochs=4)
    assert learner.checkpoints is not None
    best = learner.checkpoints.load(history.best(stopping.monitor)["epoch"])["model"]
    assert {k: v.tolist() for k, v in learner.model.state_dict().items()} == {
        k: v.tolist() for k, v in best.items()
    }


OTHERS = ("x", [1], (1,), {"a": 1}, 1j, object(), b"x", float("nan"), eg.tensor([1.0, 2.0]))
FINE: dict[str, Callable[[Any], bool]] = {
    "folder": lambda v: isinstance(v, str),
    "monitor": lambda v: isinstance(v, str),
    "metrics": lambda v: False,
}


@pytest.mark.parametrize(
    "name",
    ["model", "optimizer", "loss", "metrics", "scheduler", "schedule", "accumulate", "clip", "autocast", "callbacks",
     "folder", "keep_last", "keep_best", "monitor", "mode", "seed", "progress"],
)  # fmt: skip
def test_every_wrong_option_is_refused_where_it_is_given(name: str, tmp_path: Path) -> None:
    for value in OTHERS:
        if FINE.get(name, lambda v: False)(value):
            continue
        model = model_of()
        given: dict[str, Any] = {
            "model": model, "optimizer": optim.SGD(model.parameters(), lr=0.1), "loss": nn.MSELoss(),
            "progress": False, "folder": tmp_path, name: value,
        }  # fmt: skip
        with pytest.raises((TypeError, ValueError), match=r"Received: |unknown dtype") as caught:
            T.Learner(**given)
        assert name in str(caught.value) or "dtype" in str(caught.value), caught.value
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("accumulate", 1.5, "accumulate: must be a whole number. Received: 1.5"),
        ("clip", True, "clip: must be a number or a function. Received: True; write clip=1.0"),
        ("clip", -1.0, "clip: must be at least 0"),
        ("autocast", eg.float64, "autocast: must be bfloat16 or float16. Received: everygrad.float64"),
        ("seed", 1.5, "seed: must be a whole number. Received: 1.5; write seed=0"),
        ("callbacks", T.Callback(), r"must be a list of Callbacks. Received: Callback; write callbacks=\["),
        (
            "metrics",
            T.Accuracy(),
            r"must be a list of them.*Received: Accuracy; write \[eg.train.Accuracy\(\)\]",
        ),
        ("metrics", [T.Mean(), T.Mean()], "two of a list must not be of one class. Received: two of Mean"),
        ("monitor", None, "monitor: must be a name. Received: None"),
    ],
)
def test_wrong_options_say_what_to_write(name: str, value: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        learner_of(model_of(), **{name: value})


@pytest.mark.parametrize(
    ("data", "epochs", "words"),
    [
        (3, 1, "the training data must give batches. Received: int; write eg.data.DataLoader"),
        (None, 1, "the training data must give batches. Received: None"),
        (
            [(eg.tensor(X), eg.tensor(Y))],
            -1,
            "epochs must be at least 0, and is how many there are in all. Received: -1",
        ),
        (
            [eg.tensor(X[:2])],
            1,
            r"a batch must be a pair \(inputs, target\). Received: a Tensor; write a dataset",
        ),
        ([(eg.tensor(X), eg.tensor(Y), 1)], 1, "Received: a tuple of 3; write a dataset of pairs"),
    ],
)
def test_wrong_data_is_said_before_a_step(data: Any, epochs: int, words: str) -> None:
    learner = learner_of(model_of())
    with pytest.raises((TypeError, ValueError), match=words):
        learner.fit(data, epochs=epochs)
    assert learner.step == 0


def test_a_monitor_that_nothing_is_called_is_said_at_once(tmp_path: Path) -> None:
    learner = learner_of(model_of(), folder=tmp_path, monitor="valid/accuracy")
    with pytest.raises(
        KeyError, match="Received: 'valid/accuracy'; there are: train/loss, valid/loss, seconds"
    ):
        learner.fit(loader_of(), loader_of())
    stopping = T.EarlyStopping("valid/acc")
    with pytest.raises(KeyError, match=r"no numbers called 'valid/acc'. There are: train/loss, seconds"):
        learner_of(model_of(), callbacks=[stopping]).fit(loader_of())
    with pytest.raises(TypeError, match="patience: must be a whole number"):
        T.EarlyStopping(patience="3")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose


def test_a_checkpoint_that_does_not_fit_changes_nothing(tmp_path: Path) -> None:
    learner_of(model_of(), folder=tmp_path).fit(loader_of(), epochs=1)
    model = model_of(3)
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    wrong = T.Learner(model, optimizer, nn.MSELoss(), folder=tmp_path, progress=False)
    before = weights(model), repr(optimizer.state_dict())
    with pytest.raises(nn.StateDictError, match="does not fit this SGD"):
        wrong.fit(loader_of(), epochs=2, resume=True)
    assert (weights(model), repr(optimizer.state_dict())) == before and wrong.epoch == 0
    schedule = optim.lr_scheduler.StepLR(optimizer, 1)
    with pytest.raises(
        ValueError, match=r"a checkpoint with none of schedules and a learner with one; write the sch"
    ):
        T.Learner(
            model, optimizer, nn.MSELoss(), folder=tmp_path, scheduler=schedule, progress=False
        ).resume()
    eg.store.save({"weight": eg.ones(2)}, tmp_path / "checkpoints" / "epoch-00005.safetensors")
    with pytest.raises(
        ValueError, match=r"must be a checkpoint of a learner. Received: one without model, optimizer"
    ):
        wrong.resume()
    assert weights(model) == before[0]
