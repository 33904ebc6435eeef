"""A run that is broken off, by kill -9 or Ctrl-C, goes on as if nothing had happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

import everygrad as eg
from everygrad import train as T
from tests.test_train_learner import X, Y, learner_of, loader_of, model_of, weights

SCRIPT = """
import sys, time
import numpy as np
import everygrad as eg
from everygrad import nn, optim, train as T

class Noisy(eg.data.Dataset):
    def __len__(self):
        return 24
    def __getitem__(self, index):
        x = np.random.default_rng(index).normal(size=(1, 6, 6)).astype(np.float32)
        return x + np.random.normal(size=x.shape).astype(np.float32) * 0.1, index % 3

class Slow(T.Callback):
    def on_step(self, learner, output):
        print(learner.epoch, learner.step, flush=True)
        time.sleep(float(sys.argv[3]))

if __name__ == "__main__":
    with eg.use(sys.argv[1]):
        model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Dropout(0.3), nn.Linear(64, 3))
        optimizer = optim.AdamW(model.parameters(), lr=0.01)
        learner = T.Learner(model, optimizer, nn.CrossEntropyLoss(), metrics=[T.Accuracy()], folder=sys.argv[2],
                            scheduler=optim.lr_scheduler.ExponentialLR(optimizer, 0.9),
                            callbacks=[T.EarlyStopping("train/loss", patience=50), Slow()], progress=False)
        train = eg.data.DataLoader(Noisy(), 5, shuffle=True, num_workers=1)
        learner.fit(train, eg.data.DataLoader(Noisy(), 24), epochs=4, resume=True)
        eg.store.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                       "history": [{k: v for k, v in row.items() if k != "seconds"} for row in learner.history]},
                      sys.argv[2] + "/end.npz")
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.parametrize(("kept", "at"), [(0, 0), (1, 2)], ids=["first-epoch", "later"])
def test_a_run_resumed_after_a_kill_equals_the_unbroken_one_bit_for_bit(
    tmp_path: Path, library: str, kept: int, at: int
) -> None:
    script = tmp_path / "run.py"
    script.write_text(textwrap.dedent(SCRIPT))
    # both start from one checkpoint, which holds the seeds; the script itself sets none
    first = start(script, library, tmp_path / "a", 0.0)
    wait_for(first, kept)
    first.kill()
    first.communicate()
    state = tmp_path / "a" / "checkpoints" / f"epoch-{kept:05d}.safetensors"
    (tmp_path / "b" / "checkpoints").mkdir(parents=True)
    (tmp_path / "b" / "checkpoints" / state.name).write_bytes(state.read_bytes())
    for other in (tmp_path / "a" / "checkpoints").glob("epoch-*"):
        if other != state:
            other.unlink()
    unbroken = start(script, library, tmp_path / "a", 0.0)
    _, errors = unbroken.communicate(timeout=120)
    assert unbroken.returncode == 0, errors
    broken = start(script, library, tmp_path / "b", 0.05)
    wait_for(broken, at, steps=2)
    os.kill(broken.pid, signal.SIGKILL)
    broken.communicate()
    assert broken.returncode == -signal.SIGKILL
    resumed = start(script, library, tmp_path / "b", 0.0)
    _, errors = resumed.communicate(timeout=120)
    assert resumed.returncode == 0, errors
    one, other_end = (eg.store.load(tmp_path / name / "end.npz") for name in "ab")
    assert one["history"] == other_end["history"] and len(one["history"]) == 4
    assert list(one["model"]) == list(other_end["model"])
    for name in one["model"]:
        assert one["model"][name].numpy().tobytes() == other_end["model"][name].numpy().tobytes(), name
    assert repr(one["optimizer"]) == repr(other_end["optimizer"])
    epochs = [json.loads(line)["epoch"] for line in (tmp_path / "b" / "log.jsonl").read_text().splitlines()]
    assert epochs == [1, 2, 3, 4], "nothing is lost, and nothing twice"


def start(script: Path, library: str, folder: Path, pause: float) -> subprocess.Popen[str]:
    command = [sys.executable, str(script), library, str(folder), str(pause)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(process: subprocess.Popen[str], epoch: int, steps: int = 1) -> None:
    """Until the process is in an epoch, some steps into it."""
    assert process.stdout is not None
    for line in process.stdout:
        if int(line.split()[0]) == epoch:
            steps -= 1
        if steps == 0:
            return
    assert process.stderr is not None
    raise AssertionError(process.stderr.read())


@pytest.mark.skipif(os.name != "posix", reason="needs SIGINT")
def test_ctrl_c_stops_after_the_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Press(T.Callback):
        def on_step(self, learner: T.Learner, output: T.StepOutput) -> None:
            if learner.epoch == 1 and learner.step == 7:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.01)

    model = model_of()
    before = signal.getsignal(signal.SIGINT)
    learner = learner_of(model, folder=tmp_path, callbacks=[Press()], progress=T.Lines())
    history = learner.fit(loader_of(), epochs=5)
    assert learner.interrupted and len(history) == 1 and learner.step == 7
    assert (
        "interrupted in epoch 2, after step 7; epoch 1 is kept: go on with fit(..., resume=True)"
        in capsys.readouterr().out
    )
    assert signal.getsignal(signal.SIGINT) is before
    again = learner_of(model_of(9), folder=tmp_path)  # without the callback, which had no state
    assert len(again.fit(loader_of(), epochs=3, resume=True)) == 3
    whole = model_of()
    learner_of(whole).fit(loader_of(), epochs=3)
    assert weights(again.model) == weights(whole)


def test_callbacks_that_only_watch_come_and_go(tmp_path: Path) -> None:
    def stopping() -> T.EarlyStopping:
        return T.EarlyStopping("train/loss", patience=50)

    first = stopping()
    learner_of(model_of(), folder=tmp_path, callbacks=[T.Callback(), first]).fit(loader_of(), epochs=2)
    with pytest.raises(
        ValueError, match=r"1 callbacks that have a state. Received: one with 0; write the same"
    ):
        learner_of(model_of(), folder=tmp_path).fit(loader_of(), epochs=3, resume=True)
    second = stopping()
    again = learner_of(model_of(9), folder=tmp_path, callbacks=[second])
    again.fit(loader_of(), epochs=2, resume=True)
    assert second.state_dict() == first.state_dict() != stopping().state_dict()


def test_twice_ctrl_c_stops_at_once() -> None:
    def endless() -> Any:
        yield eg.tensor(X), eg.tensor(Y)
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)

    with pytest.raises(KeyboardInterrupt):
        learner_of(model_of()).fit(endless(), epochs=1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
