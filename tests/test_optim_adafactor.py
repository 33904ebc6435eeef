"""Adafactor, whose state has other shapes than its parameters: against torch's, and across saving and moving."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import nn, optim

SHAPES = [(3, 4), (4,), (), (2, 3, 5), (1, 6)]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"lr": 1.0},
    {"lr": 0.5, "maximize": True},
    {"weight_decay": 0.1, "lr": 0.3},
    {"beta2_decay": -0.3, "lr": 0.3},
    {"d": 1.5, "lr": 1.0},
    {"eps": (1e-2, 0.5), "lr": 1.0},
    {"eps": (None, 0.0), "lr": 1.0, "beta2_decay": 0.0},
]


def draws(seed: int, dtype: Any = np.float64) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    return [(rng.normal(size=shape) * 10.0 ** (seed % 5 - 2)).astype(dtype) for shape in SHAPES]


def run(optimizer: optim.Optimizer, first: int, last: int, dtype: Any = np.float64) -> None:
    for seed in range(first, last):
        optimizer.step([eg.tensor(g) for g in draws(seed, dtype)])


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "defaults")
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-12), (np.float32, 5e-6)])
def test_equals_torch(library: str, options: dict[str, Any], dtype: Any, tolerance: float) -> None:
    params = [nn.Parameter(eg.tensor(x)) for x in draws(0, dtype)]
    theirs = [torch.tensor(x, requires_grad=True) for x in draws(0, dtype)]
    reference: Any = torch.optim.Adafactor(theirs, **options)
    optimizer = optim.Adafactor(params, **options)
    for seed in range(1, 21):
        for q, g in zip(theirs, draws(seed, dtype)):
            q.grad = torch.tensor(g)
        reference.step()
        run(optimizer, seed, seed + 1, dtype)
    for p, q in zip(params, theirs):
        np.testing.assert_allclose(p.detach().numpy(), q.detach().numpy(), rtol=tolerance, atol=tolerance)
    states: Any = reference.state_dict()["state"]
    for i, state in optimizer.state_dict()["state"].items():
        assert set(state) == set(states[i])
        for key, value in states[i].items():
            np.testing.assert_allclose(np.asarray(state[key]), value.numpy(), rtol=tolerance * 10, atol=0)


def test_a_torch_state_goes_on_and_a_resumed_run_is_the_unbroken_one(library: str) -> None:
    options: dict[str, Any] = {"lr": 0.3, "weight_decay": 0.1}
    params = [nn.Parameter(x) for x in draws(0)]
    theirs = [torch.tensor(x, requires_grad=True) for x in draws(0)]
    reference: Any = torch.optim.Adafactor(theirs, **options)
    for seed in range(1, 4):
        for q, g in zip(theirs, draws(seed)):
            q.grad = torch.tensor(g)
        reference.step()
    optimizer = optim.Adafactor(params, **options)
    run(optimizer, 1, 4)
    twins = [nn.Parameter(q.detach().numpy()) for q in theirs]
    other = optim.Adafactor(twins)
    other.load_state_dict(reference.state_dict())
    copies, again = pickle.loads(pickle.dumps((params, optimizer)))
    for one in (optimizer, other, again):
        run(one, 4, 8)
    for mine, his, copied in zip(params, twins, copies):
        np.testing.assert_allclose(mine.detach().numpy(), his.detach().numpy(), rtol=1e-12, atol=1e-12)
        assert mine.tolist() == copied.tolist()


def test_a_state_that_does_not_fit_changes_nothing(library: str) -> None:
    p = nn.Parameter(eg.ones(3, 4))
    optimizer = optim.Adafactor([p])
    optimizer.step([eg.ones(3, 4)])
    good = optimizer.state_dict()
    for key, value in (("row_var", eg.ones(3, 4)), ("col_var", eg.ones(4))):
        bad = {**good, "state": {0: {**good["state"][0], key: value}}}
        with pytest.raises(nn.StateDictError, match=f"{key}.*shape"):
            optimizer.load_state_dict(bad)
    with pytest.raises(nn.StateDictError, match="col_var is missing"):
        optimizer.load_state_dict({**good, "state": {0: {"step": 1, "row_var": good["state"][0]["row_var"]}}})
    assert optimizer.state_dict()["state"][0]["row_var"].tolist() == good["state"][0]["row_var"].tolist()


@pytest.mark.parametrize("dtype", [eg.float16, eg.bfloat16])
def test_low_precision_is_that_of_float32_rounded(library: str, dtype: eg.DType) -> None:
    values, slope = eg.tensor(draws(0)[0]).to(dtype), eg.tensor(draws(2)[0]).to(dtype)
    low, wide = nn.Parameter(values), nn.Parameter(values.to(eg.float32))
    one, other = optim.Adafactor([low], lr=0.5), optim.Adafactor([wide], lr=0.5)
    one.step([slope])
    other.step([slope.to(eg.float32)])
    assert low.tolist() == wide.detach().to(dtype).tolist()
    assert one.state[low]["row_var"].dtype is eg.float32
    twin = optim.Adafactor([low], lr=0.5)
    twin.load_state_dict(one.state_dict())
    assert twin.state[low]["col_var"].tolist() == one.state[low]["col_var"].tolist()


def test_nothing_zeros_and_a_move() -> None:
    pytest.importorskip("torch", reason="moves between two libraries")
    empty, still = nn.Parameter(eg.zeros(0, 2)), nn.Parameter(eg.zeros(2, 2))
    layer = nn.Linear(2, 2, bias=False)
    p = layer.weight
    p.assign(eg.ones(2, 2))
    optimizer = optim.Adafactor([empty, still, p], lr=0.1)
    optimizer.step([eg.zeros(0, 2), eg.zeros(2, 2), eg.ones(2, 2)])
    assert empty.shape == (0, 2) and still.tolist() == [[0, 0], [0, 0]]
    before = p.tolist()
    layer.to("torch")
    optimizer.step([None, None, eg.ones(2, 2, backend=p.backend)])
    assert p.tolist()[0][0] < before[0][0] < 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"beta2_decay": 0.5}, "beta2_decay: must be at most 0. Received: 0.5"),
        ({"eps": 1e-3}, r"eps: must be two numbers. Received: 0.001; write eps=\(None, 0.001\)"),
        ({"eps": (-1.0, 1.0)}, r"eps\[0\]: must be at least 0"),
        ({"d": 0.5}, "d: must be at least 1"),
    ],
)
def test_wrong_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        optim.Adafactor([nn.Parameter([1.0])], **options)
