"""Embeddings whose rows are bounded, layers that are drawn anew, the adaptive softmax: against torch."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (torch is the reference, and untyped)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import nn
from tests.fault_tools import same

pytestmark = pytest.mark.usefixtures("library")


def pair(kind: str, *args: Any, **options: Any) -> tuple[Any, Any]:
    """(torch's layer in float64, ours with its weights)."""
    theirs = getattr(torch.nn, kind)(*args, **options).double()
    ours = getattr(nn, kind)(*args, **options).double()
    assert list(ours.state_dict()) == list(theirs.state_dict())
    ours.load_state_dict(theirs.state_dict())
    return theirs, ours


@pytest.mark.parametrize("norm_type", [1.0, 2.0, float("inf")])
@pytest.mark.parametrize(
    ("kind", "options"),
    [("Embedding", {"padding_idx": 1}), ("EmbeddingBag", {"mode": "sum"}), ("EmbeddingBag", {"mode": "max"})],
)
def test_rows_are_bounded_when_they_are_read(kind: str, options: dict[str, Any], norm_type: float) -> None:
    theirs, ours = pair(kind, 7, 4, max_norm=0.9, norm_type=norm_type, **options)
    assert repr(ours) == repr(theirs)
    rows = [[0, 1, 3], [3, 5, 0]]
    for _ in range(2):  # the second time nothing is too long
        theirs(torch.tensor(rows))
        ours(eg.tensor(rows))
        same(ours.weight.tolist(), theirs.weight.detach().numpy())
    due, found = theirs(torch.tensor(rows)), ours(eg.tensor(rows))
    same(found.tolist(), due.detach().numpy())
    slope: Any = torch.autograd.grad(due.cos().sum(), theirs.weight)[0]
    same(found.cos().sum().backward()[ours.weight].tolist(), slope.numpy())


def test_bounded_rows_inside_of_a_functional_call() -> None:
    table, weight = nn.Embedding(3, 2, max_norm=1.0), eg.ones(3, 2) * 2.0
    own = table.weight.tolist()

    def total(w: eg.Tensor) -> Any:
        return nn.functional_call(table, {"weight": w * 1.0}, (eg.tensor([0, 2]),)).sum()

    assert eg.grad(total)(weight).shape == (3, 2)
    assert table.weight.tolist() == own


@pytest.mark.parametrize("kind", ["Embedding", "EmbeddingBag"])
def test_arguments_by_place_are_torchs(kind: str) -> None:
    args = (5, 3, 1, 2.0, 1.0) if kind == "Embedding" else (5, 3, 2.0, 1.0, True, "sum")
    assert repr(getattr(nn, kind)(*args)) == repr(getattr(torch.nn, kind)(*args))


def test_bags_of_given_rows() -> None:
    rows = eg.tensor([[1.0, 2.0], [3.0, 4.0]])
    bag = nn.EmbeddingBag.from_pretrained(rows, mode="sum")
    assert bag(eg.tensor([[0, 1]])).tolist() == [[4.0, 6.0]]
    assert not bag.weight.requires_grad
    assert nn.EmbeddingBag.from_pretrained(rows, freeze=False).weight.requires_grad
    with pytest.raises(eg.ShapeError, match="embeddings"):
        nn.EmbeddingBag.from_pretrained(eg.ones(3))


LAYERS: list[Callable[[], Any]] = [
    lambda: nn.Linear(3, 4),
    lambda: nn.Bilinear(3, 4, 2),
    lambda: nn.Conv1d(3, 4, 2),
    lambda: nn.Conv2d(4, 4, 2, groups=2, bias=False),
    lambda: nn.ConvTranspose2d(3, 4, 2),
    lambda: nn.Embedding(5, 3, padding_idx=2),
    lambda: nn.EmbeddingBag(5, 3),
    lambda: nn.RNN(3, 4, num_layers=2, bidirectional=True),
    lambda: nn.LSTM(3, 4, proj_size=2),
    lambda: nn.GRU(3, 4),
    lambda: nn.GRUCell(3, 4),
    lambda: nn.LSTMCell(3, 4, bias=False),
    lambda: nn.BatchNorm2d(3),
    lambda: nn.InstanceNorm1d(3, affine=True, track_running_stats=True),
    lambda: nn.GroupNorm(1, 3),
    lambda: nn.LayerNorm(3),
    lambda: nn.RMSNorm(3),
    lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 9, [3]),
]


@pytest.mark.parametrize("make", LAYERS)
def test_drawn_anew_as_a_new_layer(make: Callable[[], Any]) -> None:
    eg.manual_seed(5)
    due = make().state_dict()
    layer = make()
    held = list(layer.parameters())
    for cell in [*held, *layer.buffers()]:
        cell.assign(np.full(cell.shape, 7))
    eg.manual_seed(5)
    layer.reset_parameters()
    assert {name: value.tolist() for name, value in layer.state_dict().items()} == {
        name: value.tolist() for name, value in due.items()
    }
    assert all(a is b for a, b in zip(held, layer.parameters(), strict=True))


def test_every_layer_that_torch_draws_anew_is_drawn_anew_here() -> None:
    missing = [
        name
        for name in dir(torch.nn)
        if hasattr(getattr(torch.nn, name), "reset_parameters")
        and hasattr(nn, name)
        and not name.startswith("Lazy")
        and not hasattr(getattr(nn, name), "reset_parameters")
    ]
    assert missing == []


@pytest.mark.parametrize("head_bias", [False, True])
@pytest.mark.parametrize("cutoffs", [[4], [2, 5, 10]])
def test_adaptive_softmax(cutoffs: list[int], head_bias: bool) -> None:
    theirs, ours = pair("AdaptiveLogSoftmaxWithLoss", 16, 20, cutoffs, div_value=2.0, head_bias=head_bias)
    assert ours.cutoffs == theirs.cutoffs
    draws = np.random.default_rng(0)
    x, classes = draws.normal(size=(12, 16)), draws.integers(0, 20, 12)
    classes[:4] = [0, 19, cutoffs[0] - 1, cutoffs[0]]
    given, mine = torch.tensor(x, requires_grad=True), eg.tensor(x, requires_grad=True)
    due, found = theirs(given, torch.tensor(classes)), ours(mine, eg.tensor(classes))
    same(found.output.tolist(), due.output.detach().numpy())
    same(found.loss.item(), due.loss.detach().numpy())
    objective = due.loss + due.output.cos().sum()
    objective.backward()
    grads = (found.loss + found.output.cos().sum()).backward()
    same(grads[mine].tolist(), np.asarray(given.grad))
    for (name, p), (other, q) in zip(ours.named_parameters(), theirs.named_parameters(), strict=True):
        assert name == other
        same(
            grads[p].tolist() if q.grad is not None else np.zeros(p.shape),
            np.zeros(p.shape) if q.grad is None else q.grad.numpy(),
        )
    same(ours.log_prob(mine).tolist(), theirs.log_prob(given).detach().numpy())
    assert ours.predict(mine).tolist() == theirs.predict(given).tolist()
    alone = ours(mine[0], eg.tensor(classes[0]))
    assert (alone.output.shape, alone.loss.shape) == ((), ())
    same(alone.output.item(), due.output[0].detach().numpy())


@pytest.mark.parametrize("cutoffs", [[], [0, 3], [5, 3], [3, 3], [20], [2.5]])
def test_cutoffs_that_are_none(cutoffs: Any) -> None:
    with pytest.raises(ValueError, match="cutoffs must be rising integers"):
        nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs)


@pytest.mark.parametrize(
    ("x", "target", "kind", "words"),
    [
        (eg.ones(3, 8), eg.tensor([0, 20, 1]), IndexError, "from 0 to 19. Received: from 0 to 20"),
        (eg.ones(3, 8), eg.tensor([0, -1, 1]), IndexError, "from 0 to 19"),
        (eg.ones(3, 8), eg.tensor([0, 1]), eg.ShapeError, r"target of shape \(2,\)"),
        (eg.ones(3, 7), eg.tensor([0, 1, 2]), eg.ShapeError, r"input of shape \(3, 7\)"),
        (eg.ones(3, 8), eg.ones(3), eg.DTypeError, "must be integers"),
    ],
)
def test_wrong_targets(x: Any, target: Any, kind: type[Exception], words: str) -> None:
    layer = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4], backend=x.backend)
    with pytest.raises(kind, match=words):
        layer(x, target)


def test_no_rows() -> None:
    layer = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4])
    assert layer(eg.zeros(0, 8), eg.zeros(0, dtype=eg.int64)).output.shape == (0,)


@pytest.mark.parametrize("kind", ["BatchNorm2d", "InstanceNorm1d"])
def test_a_norm_with_a_negative_eps(kind: str) -> None:
    with pytest.raises(ValueError, match=rf"{kind}: eps must not be negative. Received: -1.0"):
        getattr(nn, kind)(3, eps=-1.0)


def test_instance_norm_without_momentum_keeps_its_statistics() -> None:
    theirs, ours = pair("InstanceNorm1d", 2, momentum=None, track_running_stats=True)
    x = np.random.default_rng(0).normal(size=(3, 2, 4))
    same(ours(eg.tensor(x)).tolist(), theirs(torch.tensor(x)).numpy())
    assert ours.running_mean.tolist() == theirs.running_mean.tolist() == [0.0, 0.0]


def test_a_dictionary_of_one_parameter_under_several_names() -> None:
    made = nn.ParameterDict.fromkeys(["a", "b"], eg.ones(2))
    assert list(made.keys()) == ["a", "b"] and made["b"].tolist() == [1.0, 1.0]
