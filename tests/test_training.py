"""Whole runs of training: equal on both libraries, repeatable to the bit, flat in memory, apart in threads."""

from __future__ import annotations

import gc
import threading
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn, optim

r = np.random.default_rng(0)
IMAGES = r.standard_normal((50, 8, 1, 8, 8)).astype(np.float32)
LABELS = r.integers(0, 10, (50, 8))


def network() -> nn.Module:
    return nn.Sequential(
        *(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.AvgPool2d(2)),
        *(nn.Conv2d(4, 8, 3), nn.BatchNorm2d(8), nn.Tanh(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(8, 10)),
    )


class Run:
    """A model, its optimizer, and the losses so far."""

    def __init__(self, library: str, seed: int = 0) -> None:
        self.library = library
        with eg.use(library), eg.seeded(seed):
            self.model = network()
            self.optimizer = optim.SGD(
                self.model.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-3
            )
        self.losses: list[float] = []

    def train(self, steps: int) -> list[float]:
        with eg.use(self.library):
            for step in range(steps):
                scores = self.model(eg.tensor(IMAGES[step % 50]))
                loss = nn.functional.cross_entropy(scores, eg.tensor(LABELS[step % 50]))
                self.optimizer.step(loss.backward())
                self.losses.append(loss.item())
        return self.losses

    def state(self) -> dict[str, Any]:
        return {name: value.numpy() for name, value in self.model.state_dict().items()}


def test_both_libraries_train_alike() -> None:
    pytest.importorskip("torch", reason="compares with the torch backend")
    ours, theirs = Run("numpy"), Run("torch")
    assert ours.train(50) == pytest.approx(theirs.train(50), rel=1e-4)
    for name, value in ours.state().items():
        np.testing.assert_allclose(value, theirs.state()[name], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_one_seed_gives_one_run_to_the_bit(library: str) -> None:
    first, second, other = Run(library), Run(library), Run(library, seed=1)
    assert first.train(10) == second.train(10) != other.train(10)
    assert all(np.array_equal(value, second.state()[name]) for name, value in first.state().items())


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_step_leaves_nothing_behind(library: str, create_graph: bool) -> None:
    run = Run(library)
    x, labels = eg.tensor(IMAGES[0], backend=library), eg.tensor(LABELS[0], backend=library)

    def steps(count: int) -> None:
        for _ in range(count):
            loss = nn.functional.cross_entropy(run.model(x), labels)
            run.optimizer.step(loss.backward(create_graph=create_graph))

    steps(5)
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        steps(30)
        assert len(gc.get_objects()) - before < 30, "objects stay alive from step to step"
        assert gc.collect() == 0, "cycles wait for the collector"
    finally:
        gc.enable()
    assert all(p.is_leaf and p.requires_grad for p in run.model.parameters())
    kept = [value for state in run.optimizer.state.values() for value in state.values()]
    assert not any(isinstance(value, eg.Tensor) and value.requires_grad for value in kept)


def test_threads_train_models_of_their_own() -> None:
    runs = [Run(library, seed) for seed, library in enumerate(["numpy", "torch", "numpy", "torch"])]
    threads = [threading.Thread(target=run.train, args=(10,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, run in enumerate(runs):
        assert run.losses == Run(run.library, seed).train(10)
