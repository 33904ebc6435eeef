"""Initial values: bounds and spread of each draw, torch's choice per layer, equal on every backend."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import nn
from everygrad.nn import init

Fill = Callable[[nn.Parameter], Any]


def drawn(fill: Fill, *shape: int) -> np.ndarray[Any, Any]:
    p = nn.Parameter(eg.zeros(*(shape or (300, 200))))
    with eg.seeded(0):
        assert fill(p) is p
    assert p.is_leaf and p.requires_grad
    values: np.ndarray[Any, Any] = p.detach().numpy()
    return values


UNIFORM: list[tuple[Fill, float]] = [
    (lambda p: init.uniform_(p, -2.0, 2.0), 2.0),
    (lambda p: init.xavier_uniform_(p), math.sqrt(6 / 500)),
    (lambda p: init.xavier_uniform_(p, gain=2.0), 2 * math.sqrt(6 / 500)),
    (lambda p: init.kaiming_uniform_(p, a=math.sqrt(5)), 1 / math.sqrt(200)),
    (lambda p: init.kaiming_uniform_(p, nonlinearity="relu"), math.sqrt(6 / 200)),
    (lambda p: init.kaiming_uniform_(p, mode="fan_out", nonlinearity="linear"), math.sqrt(3 / 300)),
]


@pytest.mark.parametrize(("fill", "bound"), UNIFORM)
def test_uniform_draws(fill: Fill, bound: float) -> None:
    values = drawn(fill)
    assert np.abs(values).max() <= bound * (1 + 1e-6)
    assert np.abs(values).max() > 0.99 * bound
    assert values.mean() == pytest.approx(0, abs=0.02 * bound)
    assert values.std() == pytest.approx(bound / math.sqrt(3), rel=0.02)


NORMAL: list[tuple[Fill, float, float]] = [
    (lambda p: init.normal_(p), 0.0, 1.0),
    (lambda p: init.normal_(p, 3.0, 0.5), 3.0, 0.5),
    (lambda p: init.xavier_normal_(p), 0.0, math.sqrt(2 / 500)),
    (lambda p: init.kaiming_normal_(p), 0.0, math.sqrt(2 / 200)),
    (lambda p: init.kaiming_normal_(p, a=1.0, mode="fan_out"), 0.0, math.sqrt(1 / 300)),
]


@pytest.mark.parametrize(("fill", "mean", "std"), NORMAL)
def test_normal_draws(fill: Fill, mean: float, std: float) -> None:
    values = drawn(fill)
    assert values.mean() == pytest.approx(mean, abs=0.02 * std)
    assert values.std() == pytest.approx(std, rel=0.02)


def test_constants() -> None:
    assert drawn(init.zeros_, 2).tolist() == [0, 0]
    assert drawn(init.ones_, 2).tolist() == [1, 1]
    assert drawn(lambda p: init.constant_(p, 0.5), 2).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("name", ["linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"])
def test_gains_are_torchs(name: str) -> None:
    assert init.calculate_gain(name) == pytest.approx(torch.nn.init.calculate_gain(name))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # a literal there
    assert init.calculate_gain("leaky_relu", 0.3) == torch.nn.init.calculate_gain("leaky_relu", 0.3)


def layers() -> dict[str, nn.Module]:
    return {
        "linear": nn.Linear(50, 60),
        "conv1d": nn.Conv1d(4, 5, 3),
        "conv2d": nn.Conv2d(4, 6, (3, 2), groups=2),
        "conv3d": nn.Conv3d(2, 3, 2),
        "embedding": nn.Embedding(40, 30, padding_idx=2),
        "batch_norm": nn.BatchNorm2d(3),
        "layer_norm": nn.LayerNorm(3),
    }


def test_one_seed_gives_equal_weights_on_every_backend() -> None:
    states: list[dict[str, Any]] = []
    for library in ("numpy", "torch"):
        eg.manual_seed(7)
        with eg.use(library):
            states.append(
                {f"{k}.{n}": v.tolist() for k, m in layers().items() for n, v in m.state_dict().items()}
            )
    assert states[0] == states[1]
    eg.manual_seed(8)
    assert layers()["linear"].state_dict()["weight"].tolist() != states[0]["linear.weight"]


def test_weights_of_another_dtype_are_the_same_draw() -> None:
    with eg.seeded(0):
        wide = nn.Linear(5, 4, dtype=eg.float64)
    with eg.seeded(0):
        narrow = nn.Linear(5, 4)
    assert wide.weight.detach().to(eg.float32).tolist() == narrow.weight.tolist()
    with eg.seeded(0), eg.use("torch"):
        assert nn.Linear(5, 4, dtype=eg.bfloat16, backend="numpy").weight.dtype is eg.bfloat16


def test_no_global_generator_is_touched() -> None:
    np.random.seed(0)
    state: Any = torch.get_rng_state
    before = (str(np.random.get_state()), state().tolist())
    nn.Dropout()(nn.Linear(3, 3)(eg.ones(1, 3)))
    after = (str(np.random.get_state()), state().tolist())
    assert before == after


@pytest.mark.parametrize(
    ("make", "theirs"),
    [
        (lambda: nn.Linear(400, 300), lambda: torch.nn.Linear(400, 300)),
        (lambda: nn.Conv2d(20, 300, 5, groups=2), lambda: torch.nn.Conv2d(20, 300, 5, groups=2)),
        (lambda: nn.Conv1d(100, 300, 5), lambda: torch.nn.Conv1d(100, 300, 5)),
        (lambda: nn.Embedding(300, 100), lambda: torch.nn.Embedding(300, 100)),
    ],
)
def test_layers_start_as_in_torch(make: Callable[[], nn.Module], theirs: Callable[[], Any]) -> None:
    torch.manual_seed(0)  # pyright: ignore[reportUnknownMemberType]  # untyped there
    with eg.seeded(0):
        ours = make()
    for p, q in zip(ours.parameters(), theirs().parameters()):
        a, b = p.detach().numpy(), q.detach().numpy()
        assert a.shape == b.shape
        assert a.std() == pytest.approx(b.std(), rel=0.1)
        if a.max() < 1:  # evenly drawn: the bound is sharp
            assert a.max() == pytest.approx(b.max(), rel=0.05)
            assert a.min() == pytest.approx(b.min(), rel=0.05)


def test_wrong_calls() -> None:
    with pytest.raises(eg.ShapeError, match="2 dims"):
        init.kaiming_uniform_(nn.Parameter(eg.zeros(3)))
    with pytest.raises(ValueError, match="swish"):
        init.calculate_gain("swish")
    with pytest.raises(ValueError, match="fan_sum"):
        init.kaiming_normal_(nn.Parameter(eg.zeros(3, 3)), mode="fan_sum")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose


def test_a_layer_without_inputs_or_outputs() -> None:
    assert nn.Linear(0, 2).weight.shape == (2, 0)
    assert nn.Linear(2, 0)(eg.ones(3, 2)).shape == (3, 0)
