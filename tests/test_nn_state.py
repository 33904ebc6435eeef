"""state_dict: torch's names, both directions, strict loads that change all or nothing."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import nn, optim


def lenet(m: Any) -> Any:
    """The same model from either library's `nn`."""
    return m.Sequential(
        m.Conv2d(1, 4, 3, padding=1),
        m.BatchNorm2d(4),
        m.ReLU(),
        m.AvgPool2d(2),
        m.Conv2d(4, 6, 3),
        m.Tanh(),
        m.Flatten(),
        m.Linear(24, 10),
        m.LayerNorm(10),
    )


IMAGES = np.random.default_rng(0).normal(size=(5, 1, 8, 8)).astype(np.float32)
CLASSES = np.array([0, 3, 9, 1, 1])


def close(x: Any, y: Any, tolerance: float = 2e-5) -> None:
    np.testing.assert_allclose(x.detach().numpy(), y.detach().numpy(), rtol=tolerance, atol=tolerance)


def test_torch_to_everygrad_and_back(library: str) -> None:
    theirs, ours = lenet(torch.nn), lenet(nn)
    theirs(torch.tensor(IMAGES))
    assert ours.load_state_dict(theirs.state_dict()) == ([], [])
    ours.eval()
    theirs.eval()
    close(ours(eg.tensor(IMAGES)), theirs(torch.tensor(IMAGES)))
    assert ours[1].num_batches_tracked.item() == 1
    ours[0].weight.assign(ours[0].weight * 2)
    again = lenet(torch.nn).eval()
    again.load_state_dict({name: value.torch() for name, value in ours.state_dict().items()})
    close(ours(eg.tensor(IMAGES)), again(torch.tensor(IMAGES)))
    for a, b in zip(ours.state_dict().values(), again.state_dict().values()):
        assert a.dtype.value == str(b.dtype).removeprefix("torch.")


def test_training_follows_torch(library: str) -> None:
    theirs, ours = lenet(torch.nn), lenet(nn)
    ours.load_state_dict(theirs.state_dict())
    optimizer: Any = optim.AdamW(ours.parameters(), lr=0.01)
    other: Any = torch.optim.AdamW(theirs.parameters(), lr=0.01)
    losses: list[float] = []
    for _ in range(5):
        loss = nn.CrossEntropyLoss()(ours(eg.tensor(IMAGES)), eg.tensor(CLASSES))
        optimizer.step(loss.backward())
        reference = torch.nn.CrossEntropyLoss()(theirs(torch.tensor(IMAGES)), torch.tensor(CLASSES))
        other.zero_grad()
        reference.backward()
        other.step()
        close(loss, reference, 1e-4)
        losses.append(loss.item())
    assert losses[-1] < losses[0]


def test_a_trained_model_ships_to_a_plain_backend(library: str) -> None:
    net = lenet(nn)
    optim.SGD(net.parameters(), lr=0.1).step(net(eg.tensor(IMAGES)).sum().backward())
    out = net.eval()(eg.tensor(IMAGES))
    plain = eg.backend(library)
    shipped = copy.deepcopy(net).to(plain)
    assert shipped(eg.tensor(IMAGES, backend=plain)).tolist() == out.tolist()
    built = lenet(nn).eval().to(plain)
    built.load_state_dict(net.state_dict())
    assert built(eg.tensor(IMAGES, backend=plain)).tolist() == out.tolist()


def test_a_state_is_a_snapshot(library: str) -> None:
    net = nn.Linear(2, 1)
    state = net.state_dict()
    before = state["weight"].tolist()
    net.weight.assign(net.weight + 1)
    assert state["weight"].tolist() == before
    assert not state["weight"].requires_grad
    net.load_state_dict(state)
    assert net.weight.tolist() == before and net.weight.requires_grad


FORMS: list[Callable[[Any], Any]] = [
    lambda a: a,
    lambda a: a.astype(np.float64),
    lambda a: eg.tensor(a),
    lambda a: eg.tensor(a).to("torch"),
    lambda a: eg.tensor(a, requires_grad=True) * 1,
    lambda a: torch.tensor(a),
    lambda a: torch.tensor(a, requires_grad=True),
    lambda a: torch.tensor(a).bfloat16(),
    lambda a: a.tolist(),
    lambda a: nn.Parameter(a),
    lambda a: a.T.copy().T,
]


@pytest.mark.parametrize("form", FORMS)
def test_values_of_every_kind_load(library: str, form: Callable[[Any], Any]) -> None:
    net = nn.Linear(2, 3)
    weight = np.arange(6, dtype=np.float32).reshape(3, 2)
    leaf = net.weight
    net.load_state_dict({"weight": form(weight), "bias": form(np.zeros(3, np.float32))})
    assert net.weight is leaf and leaf.is_leaf and leaf.requires_grad
    assert leaf.tolist() == weight.tolist() and leaf.dtype is eg.float32
    assert leaf.backend.name == f"autodiff({library})"
    weight[:] = -1
    assert leaf.tolist() != weight.tolist()


def damaged(**changes: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda state: {name: v for name, v in {**state, **changes}.items() if v is not None}


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (damaged(**{"1.bias": None}), ["missing: 1.bias"]),
        (damaged(extra=np.ones(1)), ["unexpected: extra"]),
        (damaged(**{"1.weight": np.ones((2, 2))}), [r"1.weight of shape \(1, 2\)", r"\(2, 2\)"]),
        (damaged(**{"1.weight": "text"}), ["1.weight"]),
        (damaged(**{"2.num_batches_tracked": np.array(1.5)}), ["2.num_batches_tracked", "int64"]),
        (
            damaged(**{"1.bias": None, "0.weight": np.ones(3), "a": 1, "b": 2}),
            ["missing: 1.bias", "unexpected: a, b", "0.weight"],
        ),
    ],
)
def test_a_failed_load_changes_nothing(library: str, damage: Any, words: list[str]) -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1), nn.BatchNorm1d(1))
    before = {name: value.tolist() for name, value in net.state_dict().items()}
    other = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1), nn.BatchNorm1d(1)).state_dict()
    for word in words:
        with pytest.raises(nn.StateDictError, match=word) as caught:
            net.load_state_dict(damage(other))
        assert isinstance(caught.value, (eg.ShapeError, RuntimeError, ValueError))
    assert {name: value.tolist() for name, value in net.state_dict().items()} == before


def test_a_load_that_is_not_strict(library: str) -> None:
    net = nn.Linear(2, 1)
    result = net.load_state_dict({"weight": np.ones((1, 2)), "more": np.ones(1)}, strict=False)
    assert result.missing_keys == ["bias"] and result.unexpected_keys == ["more"]
    assert net.weight.tolist() == [[1.0, 1.0]]
    with pytest.raises(nn.StateDictError, match="weight of shape"):
        net.load_state_dict({"weight": np.ones((2, 1))}, strict=False)
    with pytest.raises(TypeError, match="list"):
        net.load_state_dict([])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose


def test_a_square_weight_is_not_transposed() -> None:
    weight = np.array([[1.0, 2.0], [3.0, 4.0]])
    net = nn.Linear(2, 2, bias=False)
    net.load_state_dict({"weight": weight})
    assert net(eg.tensor([[1.0, 0.0]])).tolist() == [[1.0, 3.0]]
