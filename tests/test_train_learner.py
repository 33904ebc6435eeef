"""The learner: the loop one would write, checkpoints, resume after a kill, interrupts, what is kept in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn, optim
from everygrad import train as T
from everygrad.data import DataLoader, TensorDataset

DRAW = np.random.default_rng(0)
X = DRAW.normal(size=(23, 3)).astype(np.float32)
Y = (X @ np.array([[1.0], [-2.0], [0.5]], np.float32)) + 1


def model_of(seed: int = 0) -> nn.Sequential:
    with eg.seeded(seed):
        return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))


def learner_of(model: nn.Module, **options: Any) -> T.Learner:
    options = {"progress": False, "seed": 1, **options}
    return T.Learner(model, optim.Adam(model.parameters(), lr=0.05), nn.MSELoss(), **options)


def loader_of(**options: Any) -> DataLoader:
    return DataLoader(TensorDataset(X, Y), 5, True, seed=2, **options)


def weights(model: nn.Module) -> list[Any]:
    return [p.tolist() for p in model.parameters()]


def test_fit_is_the_loop_one_would_write(library: str) -> None:
    model, other = model_of(), model_of()
    history = learner_of(model, metrics=[T.MeanAbsoluteError()]).fit(loader_of(), loader_of(), epochs=3)
    optimizer, loader = optim.Adam(other.parameters(), lr=0.05), loader_of()
    for epoch in range(3):
        losses: list[tuple[float, int]] = []
        for x, y in loader:
            loss = nn.functional.mse_loss(other(x), y)
            optimizer.step(loss.backward())
            losses.append((loss.item(), len(x)))
        assert history[epoch]["train/loss"] == pytest.approx(sum(v * n for v, n in losses) / 23, rel=1e-12)
    assert weights(model) == weights(other)
    valid = float(np.abs(other(eg.tensor(X)).detach().numpy() - Y).mean())
    assert history[-1]["valid/mean_absolute_error"] == pytest.approx(valid, rel=1e-5)
    assert history.names == [
        "train/loss",
        "train/mean_absolute_error",
        "valid/loss",
        "valid/mean_absolute_error",
    ]


def test_accumulated_batches_are_one_large_batch() -> None:
    one, many = model_of(), model_of()
    batches = [(eg.tensor(X[i : i + 4]), eg.tensor(Y[i : i + 4])) for i in range(0, 23, 4)]  # the last has 3
    learner_of(one).fit([(eg.tensor(X), eg.tensor(Y))], epochs=2)
    learner = learner_of(many, accumulate=100)
    learner.fit(batches, epochs=2)
    assert learner.step == 2, "what is left at the end of an epoch makes a step"
    for p, q in zip(one.parameters(), many.parameters()):
        np.testing.assert_allclose(p.detach().numpy(), q.detach().numpy(), rtol=1e-4, atol=1e-6)


def test_b109_losses_and_metrics_keep_no_graph(library: str) -> None:
    seen: list[int] = []

    class Count(T.Callback):
        def on_step(self, learner: T.Learner, output: T.StepOutput) -> None:
            assert isinstance(output.loss, float) and not output.prediction.requires_grad
            seen.append(eg.debug.memory().nodes)

    before = eg.debug.memory().nodes
    learner_of(model_of(), metrics=[T.R2Score()], callbacks=[Count()]).fit(loader_of(), epochs=3)
    assert set(seen) == {before} and len(seen) == 15


def test_clipping_by_norm_and_by_a_function() -> None:
    norms: list[float] = []

    class Watch(T.Learner):
        def optimize(self, grads: Any) -> None:
            super().optimize(grads)

    def clip(grads: Any) -> Any:
        norms.append(sum(float((g * g).sum()) for g in grads.values() if g is not None) ** 0.5)
        return {p: None if g is None else g * 0 for p, g in grads.items()}

    model = model_of()
    before = weights(model)
    learner_of(model, clip=clip).fit(loader_of(), epochs=1)
    assert weights(model) == before and len(norms) == 5 and min(norms) > 0
    model = model_of()
    rate = 0.1
    learner = Watch(model, optim.SGD(model.parameters(), lr=rate), nn.MSELoss(), clip=1e-3, progress=False)
    learner.fit([(eg.tensor(X), eg.tensor(Y))], epochs=1)
    moved = (
        sum(float(((p - q) ** 2).sum()) for p, q in zip(model.parameters(), model_of().parameters())) ** 0.5
    )
    assert moved == pytest.approx(rate * 1e-3, rel=1e-3)


def test_schedules_each_epoch_and_each_step() -> None:
    class Schedule:
        calls: list[Any]

        def __init__(self) -> None:
            self.calls = []

        def step(self) -> None:
            self.calls.append(None)

    class Plateau(Schedule):
        def step(self, metrics: float) -> None:  # type: ignore[override]  # as torch's on a plateau
            self.calls.append(metrics)

    for kind, schedule, accumulate, calls in (
        (Schedule, "epoch", 1, 2),
        (Schedule, "step", 1, 10),
        (Schedule, "step", 2, 6),
    ):
        scheduler = kind()
        learner_of(model_of(), scheduler=scheduler, schedule=schedule, accumulate=accumulate).fit(
            loader_of(), epochs=2
        )
        assert len(scheduler.calls) == calls, "a step of the schedule is a step of the optimizer"
    plateau = Plateau()
    history = learner_of(model_of(), scheduler=plateau).fit(loader_of(), loader_of(), epochs=2)
    assert plateau.calls == history.column("valid/loss")


def test_early_stopping() -> None:
    losses = iter([5.0, 4.0, 4.5, 4.0, 3.99, 9.0])

    class Fixed(T.Metric):
        def reset(self) -> None: ...
        def update(self, prediction: Any, target: Any) -> None: ...
        def compute(self) -> float:
            return self.value

        value = 0.0

    class Set(T.Callback):
        def on_epoch_begin(self, learner: T.Learner) -> None:
            Fixed.value = next(losses)

    stopping = T.EarlyStopping("train/fixed", patience=3, min_delta=0.1)
    learner = learner_of(model_of(), metrics=[Fixed()], callbacks=[Set(), stopping])
    assert len(learner.fit(loader_of(), epochs=10)) == 5
    with pytest.raises(KeyError, match="no numbers called 'valid/loss'"):
        learner_of(model_of(), callbacks=[T.EarlyStopping()]).fit(loader_of(), epochs=1)


def test_a_loss_that_is_not_finite_stops() -> None:
    model = model_of()
    before = weights(model)
    with pytest.raises(T.TrainingError, match=r"loss must be finite. Received: nan in epoch 1 at step 1"):
        learner_of(model).fit([(eg.tensor(X), eg.tensor(Y * np.nan))], epochs=1)
    assert weights(model) == before


def test_checkpoints_stay_by_age_and_worth(tmp_path: Path) -> None:
    model = model_of()
    learner = learner_of(model, folder=tmp_path, keep_last=2, keep_best=1, monitor="train/loss")
    history = learner.fit(loader_of(), epochs=6)
    assert learner.checkpoints is not None
    best = history.best("train/loss")["epoch"]
    assert set(learner.checkpoints.epochs()) == {5, 6, best}
    learner.history.append({"epoch": 7, "train/loss": 1e9})
    assert learner.load_best() == best
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert T.read_history(tmp_path / "log.jsonl").column("train/loss") == history.column("train/loss")[:6]
    assert not list((tmp_path / "checkpoints").glob("*.part"))


def test_a_damaged_checkpoint_is_passed_over(tmp_path: Path) -> None:
    learner_of(model_of(), folder=tmp_path).fit(loader_of(), epochs=2)
    newest = tmp_path / "checkpoints" / "epoch-00002.safetensors"
    newest.write_bytes(newest.read_bytes()[:-20])
    learner = learner_of(model_of(5), folder=tmp_path)
    with pytest.warns(UserWarning, match="is passed over"):
        assert learner.resume()
    assert learner.epoch == 1 and len(learner.history) == 1
    assert not learner_of(model_of(), folder=tmp_path / "new").resume()


def test_training_leaves_the_generators_outside_alone() -> None:
    np.random.seed(3)
    expected = np.random.rand()
    np.random.seed(3)
    learner_of(model_of()).fit(loader_of(), epochs=1)
    assert np.random.rand() == expected


def test_evaluate_restores_modes_and_shows(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich")
    model = nn.Sequential(nn.Linear(3, 1), nn.Dropout(0.5).eval(), nn.Dropout(0.9))
    result = T.evaluate(model, loader_of(), {"mae": T.MeanAbsoluteError()}, nn.MSELoss(), name="held out")
    assert [m.training for m in model.modules()] == [True, True, False, True]
    x, y = eg.tensor(X), eg.tensor(Y)
    assert result["mae"] == pytest.approx((model[0](x) - y).abs().mean().item(), rel=1e-5)
    result.show()
    said = capsys.readouterr().out
    assert "held out" in said and "mae" in said and "loss" in said


def test_bars_lines_and_summary(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich")
    learner_of(model_of(), progress=True).fit(loader_of(), loader_of(), epochs=2)
    said = capsys.readouterr().out
    assert "epoch 2: train/loss" in said and "smallest" in said and "valid/loss" in said
    learner_of(model_of(), progress=None).fit(loader_of(), epochs=1)
    assert capsys.readouterr().out.startswith("epoch 1: train/loss ")


def test_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    model = model_of()
    history = learner_of(model).fit(loader_of(), loader_of(), epochs=3)
    T.plot_history(history, tmp_path / "curves.png")
    T.plot_confusion(np.array([[3, 1], [0, 4]]), ["a", "b"], tmp_path / "confusion.png")
    for name in ("curves.png", "confusion.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="must be square"):
        T.plot_confusion(np.ones((2, 3)))


@pytest.mark.parametrize(
    ("options", "words"),
    [({"schedule": "batch"}, "schedule"), ({"accumulate": 0}, "accumulate"), ({"folder": "x", "keep_last": 0}, "keep_last"),
     ({"folder": "x", "mode": "best"}, "mode"), ({"metrics": {"a": 3}}, "must be a Metric")],
)  # fmt: skip
def test_wrong_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        learner_of(model_of(), **options)
    with pytest.raises(ValueError, match="needs a folder"):
        learner_of(model_of()).fit(loader_of(), resume=True)


class BreaksOnce(T.Callback):
    """Ctrl-C, twice at once, at a step of the run."""

    def __init__(self, at: int) -> None:
        self.left = at

    def on_step(self, learner: T.Learner, output: Any) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_gradients_of_an_epoch_that_was_broken_off_are_forgotten(tmp_path: Path) -> None:
    batches = [(eg.full((2, 3), i / 3), eg.full((2, 1), i / 2)) for i in range(3)]
    runs = {
        at: learner_of(model_of(), accumulate=2, folder=tmp_path / str(at), callbacks=[BreaksOnce(at)])
        for at in (0, 4)
    }
    runs[0].fit(batches, epochs=2)
    with pytest.raises(KeyboardInterrupt):
        runs[4].fit(batches, epochs=2)
    assert runs[4].epoch == 1
    runs[4].fit(batches, epochs=2, resume=True)
    assert weights(runs[4].model) == weights(runs[0].model)


def each_element(prediction: Any, target: Any) -> Any:
    return prediction - target


def no_tensor(prediction: Any, target: Any) -> Any:
    return 1.0


def test_what_cannot_be_trained_on_is_said() -> None:
    learner = learner_of(model_of())
    with pytest.raises(ValueError, match=r"Received: list that gave none in epoch 1; write"):
        learner.fit([])
    once = ((eg.tensor(X), eg.tensor(Y)) for _ in range(1))
    with pytest.raises(ValueError, match=r"Received: generator, which is read once, for 2 epochs; write"):
        learner.fit(once, epochs=2)
    assert learner.epoch == 0 and next(once), "it was not begun"
    with pytest.raises(TypeError, match=r"Received: '3'; write epochs=10"):
        learner.fit(loader_of(), epochs="3")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
    wrong: list[tuple[Any, str]] = [(each_element, r"shape \(5, 1\)"), (no_tensor, "Received: float")]
    for loss, words in wrong:
        learner.loss = loss
        with pytest.raises(TypeError, match=words):
            learner.fit(loader_of(), epochs=3)


def test_a_schedule_that_is_told_a_number_needs_one() -> None:
    model = model_of()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    options: dict[str, Any] = {
        "scheduler": optim.lr_scheduler.ReduceLROnPlateau(optimizer),
        "progress": False,
    }
    learner = T.Learner(model, optimizer, nn.MSELoss(), **options)
    before = weights(model)
    with pytest.raises(
        ValueError, match=r"'valid/loss' .*Received: no validation data; write fit\(train, valid"
    ):
        learner.fit(loader_of())
    assert weights(model) == before
    with pytest.raises(KeyError, match=r"Received: 'train/los'; there are: train/loss, seconds"):
        T.Learner(model, optimizer, nn.MSELoss(), monitor="train/los", **options).fit(loader_of())
    T.Learner(model, optimizer, nn.MSELoss(), monitor="train/loss", **options).fit(loader_of())
