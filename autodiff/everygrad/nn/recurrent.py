"""Recurrent layers over sequences, under torch's names and with its weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typing_extensions import override

from everygrad.nn.build import Place
from everygrad.nn.recurrent_base import Lengths, Recurrent
from everygrad.nn.recurrent_steps import Activation, Step, activation, gru_step, lstm_step, rnn_step
from everygrad.nn.sequences import PackedSequence
from everygrad.tensor import Tensor
from everygrad_ops import Backend, DType

__all__ = ["GRU", "LSTM", "RNN"]


class RNN(Recurrent):
    """h = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu of it, over a sequence (T, N, input_size).

    forward(input, h0) returns (hidden states of the last layer (T, N, H), last states of all (layers, N, H)); with
    `bidirectional`, each layer also reads from the end, and 2 H are put side by side; with `reverse` it reads from there
    alone. `nonlinearity` may be a function of a Tensor, and `clip` bounds h. With `batch_first` sequences are (N, T, width); without N, (T, width). `lengths` (N,) says where padded sequences end:
    behind it results are 0.

    >>> import everygrad as eg
    >>> out, last = eg.nn.RNN(3, 4, num_layers=2)(eg.ones(5, 2, 3))
    >>> out.shape, last.shape
    ((5, 2, 4), (2, 2, 4))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: Activation = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        reverse: bool = False,
        clip: float | None = None,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        activation("RNN", "nonlinearity", nonlinearity)
        super().__init__(
            1,
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            reverse=reverse,
            clip=clip,
        )
        self.nonlinearity: Activation = nonlinearity
        self.make_weights(dtype, backend)

    def forward(
        self, input: Tensor | PackedSequence, hx: Tensor | None = None, *, lengths: Lengths = None
    ) -> tuple[Tensor | PackedSequence, Tensor]:
        """(hidden states of the last layer, last hidden states of every layer and direction)."""
        out, last = self.run(input, (hx,), lengths)
        return out, last[0]

    @override
    def step(
        self, b: Backend[Any], x: Any, states: Sequence[Any], weights: Sequence[Any], reverse: bool
    ) -> tuple[Any, ...]:
        w_ih, w_hh, b_ih, b_hh, _ = weights
        nonlinearity: Any = self.nonlinearity
        return (b.rnn(x, states[0], w_ih, w_hh, b_ih, b_hh, nonlinearity, reverse),)

    @override
    def own_step(self) -> Step | None:
        if self.clip is None and self.nonlinearity in ("tanh", "relu"):
            return None
        return rnn_step(activation("RNN", "nonlinearity", self.nonlinearity), self.clip)


class GRU(Recurrent):
    """Gated recurrent units over a sequence (T, N, input_size): see `RNN` for shapes and arguments.

    r and z are sigmoids, n = tanh(W_in x + b_in + r (W_hn h + b_hn)), and h = (1 - z) n + z h.
    With `reset_after=False` r acts on h before the product, n = tanh(W_in x + b_in + W_hn (r h) + b_hn). `clip` bounds h,
    and the activations are names or functions of a Tensor; with these, steps are taken one by one.
    Source: Cho et al., "Learning phrase representations using RNN encoder-decoder", 2014 (v1, and v3 for the other).

    >>> import everygrad as eg
    >>> out, last = eg.nn.GRU(3, 4, bidirectional=True, batch_first=True)(eg.ones(2, 5, 3))
    >>> out.shape, last.shape
    ((2, 5, 8), (2, 2, 4))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        reset_after: bool = True,
        gate_activation: Activation = "sigmoid",
        hidden_activation: Activation = "tanh",
        reverse: bool = False,
        clip: float | None = None,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        activation("GRU", "gate_activation", gate_activation)
        activation("GRU", "hidden_activation", hidden_activation)
        super().__init__(
            3,
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            reverse=reverse,
            clip=clip,
        )
        self.reset_after = reset_after
        self.gate_activation: Activation = gate_activation
        self.hidden_activation: Activation = hidden_activation
        self.make_weights(dtype, backend)

    def forward(
        self, input: Tensor | PackedSequence, hx: Tensor | None = None, *, lengths: Lengths = None
    ) -> tuple[Tensor | PackedSequence, Tensor]:
        """(hidden states of the last layer, last hidden states of every layer and direction)."""
        out, last = self.run(input, (hx,), lengths)
        return out, last[0]

    @override
    def step(
        self, b: Backend[Any], x: Any, states: Sequence[Any], weights: Sequence[Any], reverse: bool
    ) -> tuple[Any, ...]:
        w_ih, w_hh, b_ih, b_hh, _ = weights
        return (b.gru(x, states[0], w_ih, w_hh, b_ih, b_hh, reverse),)

    @override
    def own_step(self) -> Step | None:
        functions = self.gate_activation, self.hidden_activation
        if self.reset_after and self.clip is None and functions == ("sigmoid", "tanh"):
            return None
        gate = activation("GRU", "gate_activation", self.gate_activation)
        hidden = activation("GRU", "hidden_activation", self.hidden_activation)
        return gru_step(gate, hidden, self.reset_after, self.clip)


class LSTM(Recurrent):
    """Long short-term memory over a sequence (T, N, input_size): see `RNN` for shapes and arguments.

    c = f c + i g and h = o tanh(c), projected to `proj_size` if that is above 0. The state is a pair (h0, c0).
    With `input_forget` the forget gate is f = 1 - i. `clip` bounds c, and the activations are names or functions of a Tensor;
    with these, steps are taken one by one. `reverse` reads from the end.
    Source: Hochreiter, Schmidhuber, "Long short-term memory", 1997.

    >>> import everygrad as eg
    >>> out, (h, c) = eg.nn.LSTM(3, 4)(eg.ones(5, 2, 3))
    >>> out.shape, h.shape, c.shape
    ((5, 2, 4), (1, 2, 4), (1, 2, 4))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        *,
        input_forget: bool = False,
        gate_activation: Activation = "sigmoid",
        cell_activation: Activation = "tanh",
        hidden_activation: Activation = "tanh",
        reverse: bool = False,
        clip: float | None = None,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        for name, given in (
            ("gate_activation", gate_activation),
            ("cell_activation", cell_activation),
            ("hidden_activation", hidden_activation),
        ):
            activation("LSTM", name, given)
        super().__init__(
            4, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size,
            reverse=reverse, clip=clip,
        )  # fmt: skip
        self.input_forget = input_forget
        self.gate_activation: Activation = gate_activation
        self.cell_activation: Activation = cell_activation
        self.hidden_activation: Activation = hidden_activation
        self.make_weights(dtype, backend)

    def forward(
        self,
        input: Tensor | PackedSequence,
        hx: tuple[Tensor, Tensor] | None = None,
        *,
        lengths: Lengths = None,
    ) -> tuple[Tensor | PackedSequence, tuple[Tensor, Tensor]]:
        """(hidden states of the last layer, (last hidden states, last cells) of every layer and direction)."""
        out, last = self.run(input, (None, None) if hx is None else hx, lengths)
        return out, (last[0], last[1])

    @override
    def step(
        self, b: Backend[Any], x: Any, states: Sequence[Any], weights: Sequence[Any], reverse: bool
    ) -> tuple[Any, ...]:
        w_ih, w_hh, b_ih, b_hh, w_hr = weights
        found = b.lstm(x, states[0], states[1], w_ih, w_hh, b_ih, b_hh, w_hr, reverse)
        return tuple(found)

    @override
    def own_step(self) -> Step | None:
        functions = self.gate_activation, self.cell_activation, self.hidden_activation
        if not self.input_forget and self.clip is None and functions == ("sigmoid", "tanh", "tanh"):
            return None
        gate, cell, hidden = (activation("LSTM", "activation", given) for given in functions)
        return lstm_step(gate, cell, hidden, self.input_forget, self.clip)
