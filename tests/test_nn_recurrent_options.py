"""Options of recurrent layers that torch does not have, against loops written with torch; wrong states and flags."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (torch is the reference, and untyped)

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import nn
from tests.fault_tools import same

pytestmark = pytest.mark.usefixtures("library")

State = tuple[Any, ...]


def weights_of(layer: nn.Module) -> dict[str, Any]:
    return {
        name: torch.tensor(p.detach().numpy(), requires_grad=True) for name, p in layer.named_parameters()
    }


def looped(w: dict[str, Any], x: Any, state: State, step: Callable[..., State], reverse: bool) -> list[Any]:
    """(outputs, last states...) of one layer in one direction, a time at a time."""
    found: list[Any] = [None] * len(x)
    for t in reversed(range(len(x))) if reverse else range(len(x)):
        state = step(w, x[t], state)
        found[t] = state[0]
    return [torch.stack(found), *state]


def parts(w: dict[str, Any], x: Any, h: Any) -> tuple[Any, Any]:
    return x @ w["weight_ih_l0"].T + w["bias_ih_l0"], h @ w["weight_hh_l0"].T + w["bias_hh_l0"]


def rnn(w: dict[str, Any], x: Any, state: State) -> State:
    a, b = parts(w, x, state[0])
    return (torch.sin(a + b).clamp(-0.4, 0.4),)


def gru(reset_after: bool, clip: float) -> Callable[..., State]:
    def step(w: dict[str, Any], x: Any, state: State) -> State:
        (h,) = state
        (ar, az, an), (br, bz, bn) = (part.chunk(3, -1) for part in parts(w, x, h))
        r, z = torch.sigmoid(ar + br), torch.sigmoid(az + bz)
        if reset_after:
            inner = r * bn
        else:
            inner = (r * h) @ w["weight_hh_l0"].chunk(3)[2].T + w["bias_hh_l0"].chunk(3)[2]
        return (((1 - z) * torch.tanh(an + inner) + z * h).clamp(-clip, clip),)

    return step


def lstm(input_forget: bool, clip: float) -> Callable[..., State]:
    def step(w: dict[str, Any], x: Any, state: State) -> State:
        h, c = state
        (ai, af, ag, ao), (bi, bf, bg, bo) = (part.chunk(4, -1) for part in parts(w, x, h))
        i = torch.sigmoid(ai + bi)
        f = 1 - i if input_forget else torch.sigmoid(af + bf)
        c = (f * c + i * torch.tanh(ag + bg)).clamp(-clip, clip)
        return torch.sigmoid(ao + bo) * torch.tanh(c), c

    return step


CASES: list[tuple[type[nn.Module], dict[str, Any], Callable[..., State]]] = [
    (nn.RNN, {"nonlinearity": eg.sin, "clip": 0.4}, rnn),
    (nn.GRU, {"reset_after": False}, gru(False, 9.0)),
    (nn.GRU, {"clip": 0.2}, gru(True, 0.2)),
    (nn.GRU, {"reset_after": False, "clip": 0.2}, gru(False, 0.2)),
    (nn.LSTM, {"input_forget": True}, lstm(True, 9.0)),
    (nn.LSTM, {"clip": 0.1}, lstm(False, 0.1)),
    (nn.LSTM, {"reverse": True}, lstm(False, 9.0)),
]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("kind", "options", "step"), CASES)
def test_values_and_gradients(
    kind: type[Any], options: dict[str, Any], step: Callable[..., State], reverse: bool
) -> None:
    layer = kind(3, 4, **{**options, "reverse": reverse}).double()
    draws = np.random.default_rng(0)
    x, h, c = draws.normal(size=(5, 2, 3)), draws.normal(size=(1, 2, 4)), draws.normal(size=(1, 2, 4))
    double = kind is nn.LSTM
    w, given = weights_of(layer), torch.tensor(x, requires_grad=True)
    states = (torch.tensor(h[0]), torch.tensor(c[0])) if double else (torch.tensor(h[0]),)
    due = looped(w, given, states, step, reverse)
    mine = eg.tensor(x, requires_grad=True)
    out, last = layer(mine, (eg.tensor(h), eg.tensor(c)) if double else eg.tensor(h))
    found = [out, *(last if double else (last,))]
    for d, f in zip(due, found, strict=True):
        same(f.reshape(*d.shape).tolist(), d.detach().numpy())
    objective: Any = torch.stack([d.cos().sum() for d in due]).sum()
    objective.backward()
    total = eg.stack([f.cos().sum() for f in found]).sum()
    grads = total.backward()
    same(grads[mine].tolist(), np.asarray(given.grad))
    for name, p in layer.named_parameters():
        slope: Any = w[name].grad
        due_slope = np.zeros(p.shape) if slope is None else slope.numpy()
        found_slope = grads.get(p)
        same(np.zeros(p.shape) if found_slope is None else found_slope.tolist(), due_slope)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("RNN", {"nonlinearity": eg.tanh}),
        ("GRU", {"gate_activation": eg.sigmoid}),
        ("LSTM", {"hidden_activation": eg.tanh}),
    ],
)
@pytest.mark.parametrize(
    "sizes", [{"num_layers": 2, "bidirectional": True}, {"batch_first": True, "bias": False}]
)
def test_step_by_step_is_the_op(kind: str, options: dict[str, Any], sizes: dict[str, Any]) -> None:
    theirs = getattr(torch.nn, kind)(3, 4, **sizes).double()
    ours = getattr(nn, kind)(3, 4, **sizes, **options).double()
    ours.load_state_dict(theirs.state_dict())
    x = np.random.default_rng(1).normal(size=(5, 2, 3))
    due, found = theirs(torch.tensor(x)), ours(eg.tensor(x))
    same(found[0].tolist(), due[0].detach().numpy())
    again = copy.deepcopy(pickle.loads(pickle.dumps(ours)))
    same(again(eg.tensor(x))[0].tolist(), due[0].detach().numpy())


def test_a_projection_and_ends(library: str) -> None:
    plain = nn.LSTM(3, 4, proj_size=2, bidirectional=True).double()
    options = nn.LSTM(3, 4, proj_size=2, bidirectional=True, gate_activation=eg.sigmoid).double()
    options.load_state_dict(plain.state_dict())
    x = eg.randn(5, 2, 3, dtype=eg.float64)
    due, found = plain(x, lengths=[5, 2]), options(x, lengths=[5, 2])
    same(found[0].tolist(), due[0].detach().numpy())
    same(found[1][0].tolist(), due[1][0].detach().numpy())


def test_activations_by_name_and_as_layers() -> None:
    activation = nn.PReLU()
    layer = nn.GRU(3, 4, gate_activation="hard_sigmoid", hidden_activation=activation)
    assert "hidden_activation.weight" in layer.state_dict()
    x = eg.randn(5, 2, 3)
    assert layer(x)[0].sum().backward()[activation.weight].shape == (1,)
    with pytest.raises(eg.ShapeError, match="must have a step"):
        layer(eg.zeros(0, 2, 3))


def test_options_are_shown() -> None:
    cells: list[dict[str, Any]] = [{}, {"nonlinearity": "relu"}, {"bias": False, "nonlinearity": "relu"}]
    for options in cells:
        assert repr(nn.RNNCell(3, 4, **options)) == repr(torch.nn.RNNCell(3, 4, **options))
    assert repr(nn.GRU(3, 4, reset_after=False, clip=2.0)) == "GRU(3, 4, clip=2.0, reset_after=False)"
    assert (
        repr(nn.LSTM(3, 4, input_forget=True, reverse=True)) == "LSTM(3, 4, reverse=True, input_forget=True)"
    )
    nn.GRU(3, 4).flatten_parameters()  # what programs for torch call


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: nn.RNN(3, 4, nonlinearity="sin"), ValueError, r"one of tanh, .*Received: 'sin'"),
        (lambda: nn.RNNCell(3, 4, nonlinearity="sin"), ValueError, "RNNCell: nonlinearity"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
        (lambda: nn.GRU(3, 4, gate_activation="x"), ValueError, "GRU: gate_activation"),
        (lambda: nn.LSTM(3, 4, cell_activation="x"), ValueError, "LSTM: cell_activation"),
        (lambda: nn.LSTM(3, 4, clip=0.0), ValueError, "clip must be above 0"),
        (lambda: nn.LSTM(3, 4, clip=float("nan")), ValueError, "clip must be above 0"),
        (lambda: nn.LSTM(3, 4, reverse=True, bidirectional=True), ValueError, "one direction"),
        (lambda: nn.GRU(3, 4, 1, "tanh"), TypeError, "bias must be True or False. Received: 'tanh'"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # as torch's RNN takes it
        (lambda: nn.LSTM(3, 4, batch_first=0), TypeError, "batch_first"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
    ],
)
def test_wrong_options(make: Callable[[], Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        make()


@pytest.mark.parametrize("kind", ["RNNCell", "GRUCell", "LSTMCell"])
@pytest.mark.parametrize(
    ("rows", "state"),
    [((2, 3), (2, 1, 4)), ((2, 3), (1, 4)), ((2, 3), (4,)), ((3,), (1, 4)), ((2, 3), (4, 2))],
)
def test_states_of_cells_have_one_shape(kind: str, rows: tuple[int, ...], state: tuple[int, ...]) -> None:
    cell, h = getattr(nn, kind)(3, 4), eg.zeros(state)
    with pytest.raises(eg.ShapeError, match=f"{kind}: the state must have shape"):
        cell(eg.zeros(rows), (h, h) if kind == "LSTMCell" else h)
