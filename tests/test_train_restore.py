"""A checkpoint that some part refuses: all parts are as they were."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

import everygrad as eg
from everygrad import nn, optim
from everygrad import train as T
from tests.test_train_learner import loader_of, model_of, weights


class Counting(T.Callback):
    """Has a state, which it takes or not."""

    def __init__(self, refuses: bool = False) -> None:
        self.count, self.refuses = 0, refuses

    @override
    def on_step(self, learner: T.Learner, output: T.StepOutput) -> None:
        self.count += 1

    @override
    def state_dict(self) -> dict[str, Any]:
        return {"count": self.count + 1}

    @override
    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        self.count = state_dict["count"] - 1
        if self.refuses:
            raise ValueError("a count of something else")


class Refusing:
    """Data in an order that it does not take over."""

    def __init__(self) -> None:
        self.batches = list(loader_of())

    def __iter__(self) -> Any:
        return iter(self.batches)

    def state_dict(self) -> dict[str, Any]:
        return {"at": 1}

    def load_state_dict(self, state: Any) -> None:
        raise ValueError("an order of something else")


def learner(folder: Path, seed: int, *callbacks: T.Callback) -> tuple[T.Learner, Any]:
    model = model_of(seed)
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    schedule = optim.lr_scheduler.StepLR(optimizer, 1)
    return T.Learner(
        model, optimizer, nn.MSELoss(), scheduler=schedule, callbacks=callbacks, folder=folder, progress=False
    ), schedule


def state(trained: T.Learner, schedule: Any) -> Any:
    parts = trained.optimizer.state_dict(), schedule.state_dict(), trained.epoch, trained.step, trained.seed
    return weights(trained.model), repr(parts), len(trained.history)


@pytest.mark.parametrize("who", ["callback", "loader", "history"])
def test_what_the_others_took_is_given_back(tmp_path: Path, who: str) -> None:
    data: Any = Refusing() if who == "loader" else loader_of()
    first, _ = learner(tmp_path, 0, Counting(), Counting())
    first.fit(data, epochs=2)
    if who == "history":
        assert first.checkpoints is not None
        saved = first.checkpoints.load(2)
        saved["learner"]["epoch"] = "second"
        eg.store.save(saved, tmp_path / "checkpoints" / "epoch-00003.safetensors")
    counting = Counting()
    second, schedule = learner(tmp_path, 5, counting, Counting(refuses=who == "callback"))
    before = state(second, schedule)
    with pytest.raises(ValueError, match="of something else" if who != "history" else "second"):
        second.resume(data)
    assert state(second, schedule) == before and counting.count == 0
