"""Recurrent layers over sequences, under torch's names and with its weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from typing_extensions import override

from everygrad.nn.build import Place
from everygrad.nn.recurrent_base import Lengths, Recurrent
from everygrad.nn.sequences import PackedSequence
from everygrad.tensor import Tensor
from everygrad_ops import Backend, DType

__all__ = ["GRU", "LSTM", "RNN"]


class RNN(Recurrent):
    """h = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu of it, over a sequence (T, N, input_size).

    forward(input, h0) returns (hidden states of the last layer (T, N, H), last states of all (layers, N, H)); with
    `bidirectional`, each layer also reads from the end, and 2 H are put side by side. With `batch_first`
    sequences are (N, T, width); without N, (T, width). `lengths` (N,) says where padded sequences end:
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
        nonlinearity: Literal["tanh", "relu"] = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNN: nonlinearity must be 'tanh' or 'relu'. Received: {nonlinearity!r}")
        super().__init__(1, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional)
        self.nonlinearity: Literal["tanh", "relu"] = nonlinearity
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

        return (b.rnn(x, states[0], w_ih, w_hh, b_ih, b_hh, self.nonlinearity, reverse),)


class GRU(Recurrent):
    """Gated recurrent units over a sequence (T, N, input_size): see `RNN` for shapes and arguments.

    r and z are sigmoids, n = tanh(W_in x + b_in + r (W_hn h + b_hn)), and h = (1 - z) n + z h.
    Source: Cho et al., "Learning phrase representations using RNN encoder-decoder", 2014.

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
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        super().__init__(3, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional)
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


class LSTM(Recurrent):
    """Long short-term memory over a sequence (T, N, input_size): see `RNN` for shapes and arguments.

    c = f c + i g and h = o tanh(c), projected to `proj_size` if that is above 0. The state is a pair (h0, c0).
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
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        super().__init__(
            4, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size
        )
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
