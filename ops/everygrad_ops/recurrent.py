"""Recurrent layers over a whole sequence: one layer, one direction. Time comes first: x is (T, N, width).

The input's part of the gates is one product for all steps; a scan over the time steps does the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from everygrad_ops.dtypes import DType
from everygrad_ops.errors import ShapeError
from everygrad_ops.marks import outputs
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")
Nonlinearity = Literal["tanh", "relu"]


class RecurrentOps(Protocol[A]):
    """Weights are torch's: w_ih (gates * H, width), w_hh (gates * H, H), biases (gates * H,).

    With `reverse`, the sequence is read from its end, and results stand where their inputs do. A
    sequence of no steps raises `ShapeError`.
    """

    @outputs("out", "cells")
    def lstm(
        self: Backend[A],
        x: A,
        h0: A,
        c0: A,
        w_ih: A,
        w_hh: A,
        b_ih: A | None,
        b_hh: A | None,
        w_hr: A | None = None,
        reverse: bool = False,
    ) -> tuple[A, A]:
        """Long short-term memory, gates in the order i, f, g, o: (hidden states (T, N, H), cells (T, N, H)).

        c = f c + i g and h = o tanh(c); with w_hr (P, H), h is its projection, of width P.
        Source: Hochreiter, Schmidhuber, "Long short-term memory", 1997.
        """
        dtype = self.dtype(x)
        gates = _gates("lstm", self, x, w_ih, b_ih, b_hh, reverse)
        states = (
            wide(self, h0),
            wide(self, c0),
            wide(self, w_hh),
            None if w_hr is None else wide(self, w_hr),
        )
        out, cells = self.lstm_scan(gates, *states)
        return _result(self, out, reverse, dtype), _result(self, cells, reverse, dtype)

    def gru(
        self: Backend[A],
        x: A,
        h0: A,
        w_ih: A,
        w_hh: A,
        b_ih: A | None,
        b_hh: A | None,
        reverse: bool = False,
    ) -> A:
        """Gated recurrent unit, gates in the order r, z, n: the hidden states (T, N, H).

        n = tanh(W_in x + b_in + r (W_hn h + b_hn)), the reset after the product; h = (1 - z) n + z h.
        Source: Cho et al., "Learning phrase representations using RNN encoder-decoder", 2014.
        """
        gates = _gates("gru", self, x, w_ih, b_ih, None, reverse)
        bias = None if b_hh is None else wide(self, b_hh)
        out = self.gru_scan(gates, wide(self, h0), wide(self, w_hh), bias)
        return _result(self, out, reverse, self.dtype(x))

    def rnn(
        self: Backend[A],
        x: A,
        h0: A,
        w_ih: A,
        w_hh: A,
        b_ih: A | None,
        b_hh: A | None,
        nonlinearity: Nonlinearity = "tanh",
        reverse: bool = False,
    ) -> A:
        """h = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu of it: the hidden states (T, N, H).

        Source: Elman, "Finding structure in time", 1990.
        """
        gates = _gates("rnn", self, x, w_ih, b_ih, b_hh, reverse)
        out = self.rnn_scan(gates, wide(self, h0), wide(self, w_hh), nonlinearity)
        return _result(self, out, reverse, self.dtype(x))


def _gates(op: str, b: Backend[A], x: A, w_ih: A, b_ih: A | None, b_hh: A | None, reverse: bool) -> A:
    """The input's part of the gates, for all steps at once, with the biases that can be added here."""
    sizes, shapes = b.shape(w_ih), [b.shape(a) for a in (b_ih, b_hh) if a is not None]
    if len(b.shape(x)) != 3 or b.shape(x)[2:] != sizes[1:] or any(shape != sizes[:1] for shape in shapes):
        raise ShapeError(
            f"{op}: x must be (T, N, width), w_ih (gates * H, width), biases (gates * H,). "
            f"Received: x of shape {b.shape(x)}, w_ih of shape {sizes}, biases of shapes {shapes}"
        )
    x, w_ih = wide(b, x), wide(b, w_ih)
    bias = None
    for more in (b_ih, b_hh):
        if more is not None:
            bias = wide(b, more) if bias is None else b.add(bias, wide(b, more))
    return b.linear(b.flip(x, (0,)) if reverse else x, w_ih, bias)


def _result(b: Backend[A], out: A, reverse: bool, dtype: DType) -> A:
    out = b.flip(out, (0,)) if reverse else out
    return narrow(b, out, dtype)
