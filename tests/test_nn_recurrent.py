"""Recurrent layers against torch.nn with the same weights; reported faults; higher orders; packed sequences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import nn
from tests.fault_tools import same
from tests.test_signatures import compare, signature, skipped

pytestmark = pytest.mark.usefixtures("library")

FORMS: list[dict[str, Any]] = [
    {},
    {"num_layers": 2, "bidirectional": True, "bias": False},
    {"batch_first": True, "bidirectional": True},
    {"num_layers": 3, "dropout": 0.0},
]


def pair(kind: str, *sizes: int, **options: Any) -> tuple[Any, Any]:
    """(torch's layer in float64, ours with its weights)."""
    theirs = getattr(torch.nn, kind)(*sizes, **options).double()
    ours = getattr(nn, kind)(*sizes, **options).double()
    assert list(ours.state_dict()) == list(theirs.state_dict())
    ours.load_state_dict(theirs.state_dict())
    return theirs, ours


def flat(results: Any) -> list[Any]:
    parts: Any = results
    return [r for part in parts for r in flat(part)] if isinstance(results, tuple | list) else [results]


def agree(theirs: Any, ours: Any, *inputs: Any, **more: Any) -> None:
    """Equal results, and equal gradients in the inputs and every parameter."""
    given = [torch.tensor(x, requires_grad=True) for x in inputs]
    mine = [eg.tensor(x, requires_grad=True) for x in inputs]

    def call(layer: Any, xs: list[Any]) -> list[Any]:
        if len(xs) == 3:
            return flat(layer(xs[0], (xs[1], xs[2]), **more))
        return flat(layer(*xs, **more))

    due, found = call(theirs, given), call(ours, mine)
    weights = [np.cos(np.arange(float(d.numel()))).reshape(d.shape) for d in due]
    for d, f in zip(due, found, strict=True):
        same(f.tolist(), d.detach().numpy())
    theirs.zero_grad()
    objective: Any = torch.stack([(d * torch.tensor(w)).sum() for d, w in zip(due, weights)]).sum()
    objective.backward()
    total = eg.stack([(f * eg.tensor(w)).sum() for f, w in zip(found, weights)]).sum()
    grads = eg.gradients(total, [*mine, *ours.parameters()])
    for g, other in zip(grads, [*given, *theirs.parameters()], strict=True):
        slope: Any = other.grad
        assert g is not None
        same(g.tolist(), slope.numpy(), 1e-11)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_layers(kind: str, form: dict[str, Any]) -> None:
    r = np.random.default_rng(0)
    theirs, ours = pair(kind, 3, 4, **form)
    x = r.normal(size=(5, 2, 3))
    agree(theirs, ours, x)
    agree(theirs, ours, x[0])
    rows = x.shape[0 if form.get("batch_first") else 1]
    count = form.get("num_layers", 1) * (2 if form.get("bidirectional") else 1)
    state = [r.normal(size=(count, rows, 4)) for _ in range(2 if kind == "LSTM" else 1)]
    agree(theirs, ours, x, *state)


def test_relu_and_projection() -> None:
    x = np.random.default_rng(1).normal(size=(3, 2, 3))
    agree(*pair("RNN", 3, 4, nonlinearity="relu"), x)
    agree(*pair("LSTM", 3, 4, num_layers=2, proj_size=2, bidirectional=True), x)


@pytest.mark.parametrize("kind", ["RNNCell", "LSTMCell", "GRUCell"])
@pytest.mark.parametrize("bias", [True, False])
def test_cells(kind: str, bias: bool) -> None:
    r = np.random.default_rng(2)
    theirs, ours = pair(kind, 3, 4, bias=bias)
    state = [r.normal(size=(2, 4)) for _ in range(2 if kind == "LSTMCell" else 1)]
    agree(theirs, ours, r.normal(size=(2, 3)))
    agree(theirs, ours, r.normal(size=(2, 3)), *state)
    agree(theirs, ours, r.normal(size=3), *(s[0] for s in state))


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("batch_first", [True, False])
def test_lengths_and_packed_sequences(kind: str, batch_first: bool) -> None:
    r = np.random.default_rng(3)
    theirs, ours = pair(kind, 3, 4, num_layers=2, bidirectional=True, batch_first=batch_first)
    x, lengths = r.normal(size=(3, 5, 3) if batch_first else (5, 3, 3)), [2, 5, 3]
    rnn: Any = torch.nn.utils.rnn
    packed = rnn.pack_padded_sequence(
        torch.tensor(x), torch.tensor(lengths), batch_first, enforce_sorted=False
    )
    due, due_state = theirs(packed)
    padded = rnn.pad_packed_sequence(due, batch_first)[0]
    out, state = ours(eg.tensor(x), lengths=lengths)
    same(out.tolist(), padded.detach().numpy())
    mine = nn.pack_padded_sequence(eg.tensor(x), lengths, batch_first, enforce_sorted=False)
    assert mine.batch_sizes.tolist() == packed.batch_sizes.tolist()
    same(mine.data.tolist(), packed.data.numpy())
    again, again_state = ours(mine)
    same(again.data.tolist(), due.data.detach().numpy())
    for wanted, *found in zip(flat(due_state), flat(state), flat(again_state), strict=True):
        for f in found:
            same(f.tolist(), wanted.detach().numpy())
    back, counts = nn.pad_packed_sequence(again, batch_first, total_length=6)
    assert counts.tolist() == lengths and back.shape[1 if batch_first else 0] == 6


def test_pad_sequence() -> None:
    parts = [np.arange(3.0), np.arange(1.0)]
    forms: list[dict[str, Any]] = [{}, {"batch_first": True, "padding_value": 7.0}, {"padding_side": "left"}]
    for options in forms:
        due = torch.nn.utils.rnn.pad_sequence([torch.tensor(p) for p in parts], **options)
        same(nn.pad_sequence([eg.tensor(p) for p in parts], **options).tolist(), due.numpy())
    with pytest.raises(eg.ShapeError, match=r"\[1, 3\].*enforce_sorted"):
        nn.pack_sequence([eg.tensor(p) for p in parts[::-1]])


def test_second_derivatives_of_a_penalty() -> None:
    r = np.random.default_rng(4)
    for kind in ("RNN", "LSTM", "GRU"):
        theirs, ours = pair(kind, 2, 3)
        values = r.normal(size=(3, 2, 2))
        x, y = torch.tensor(values, requires_grad=True), eg.tensor(values, requires_grad=True)
        with torch.backends.mkldnn.flags(enabled=False):
            (g,) = torch.autograd.grad((theirs(x)[0] ** 2).sum(), x, create_graph=True)
        (mine,) = eg.gradients((ours(y)[0] ** 2).sum(), [y], create_graph=True)
        assert mine is not None
        objective: Any = (g**2).sum()
        objective.backward()
        for p, q in zip(ours.parameters(), theirs.parameters(), strict=True):
            (found,) = eg.gradients((mine**2).sum(), [p], retain_graph=True)
            assert found is not None
            same(found.tolist(), q.grad.numpy(), 1e-10)


class TestFaults:
    def test_b127_the_reset_comes_after_the_product(self) -> None:
        same(self._gru([0.5, 0.25, 1.0], [0.1, 0.2, 2.0]), [0.689443, 0.795960], 1e-6)

    def test_b128_the_order_of_the_gates(self) -> None:
        same(self._gru([0.25, 0.5, 1.0], [0.2, 0.1, 2.0]), [0.665707, 0.750395], 1e-6)

    def _gru(self, w_ih: list[float], w_hh: list[float]) -> list[float]:
        layer = nn.GRU(1, 1).double()
        state = {"weight_ih_l0": np.array(w_ih)[:, None], "weight_hh_l0": np.array(w_hh)[:, None]}
        state |= {"bias_ih_l0": np.array([0, 0, 0.1]), "bias_hh_l0": np.array([0, 0, 0.3])}
        layer.load_state_dict(state)
        x, h = eg.tensor(np.array([[[1.0]], [[2.0]]])), eg.tensor(np.array([[[0.5]]]))
        out: list[float] = layer(x, h)[0].reshape(-1).tolist()
        return out


def test_dropout_between_layers() -> None:
    layer = nn.LSTM(3, 4, 2, dropout=0.5)
    x = eg.ones(5, 2, 3)
    assert layer(x)[0].tolist() != layer(x)[0].tolist()
    layer.eval()
    assert layer(x)[0].tolist() == layer(x)[0].tolist()


def test_wrong_calls() -> None:
    layer = nn.LSTM(3, 4)
    with pytest.raises(eg.ShapeError, match=r"\(T, N, 3\).*\(5, 2, 4\)"):
        layer(eg.ones(5, 2, 4))
    with pytest.raises(eg.ShapeError, match=r"\(1, 2, 4\).*\(1, 1, 4\)"):
        layer(eg.ones(5, 2, 3), (eg.ones(1, 1, 4), eg.ones(1, 2, 4)))
    with pytest.raises(eg.ShapeError, match="lengths"):
        layer(eg.ones(5, 2, 3), lengths=[5, 6])
    with pytest.raises(eg.ShapeError, match="proj_size"):
        nn.LSTM(3, 4, proj_size=4)
    with pytest.raises(ValueError, match="nonlinearity"):
        nn.RNN(3, 4, nonlinearity="sin")


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_signatures(kind: str) -> None:
    """torch's layers declare *args only: their base tells the names and defaults."""
    base: Any = torch.nn.RNNBase
    theirs = [a for a in signature(base.__init__) if a.name not in ("mode", "self")]
    ours = [a for a in signature(getattr(nn, kind).__init__) if a.name not in ("nonlinearity", "self")]
    if kind != "LSTM":
        theirs = [a for a in theirs if a.name != "proj_size"]
    assert compare(kind, ours, theirs, skipped(kind)) == []
