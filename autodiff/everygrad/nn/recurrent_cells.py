"""Recurrent layers one step at a time, under torch's names and with its weights."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import override

from everygrad.functional.arguments import ready
from everygrad.functional.creation import zeros
from everygrad.nn.build import Place, parameter
from everygrad.nn.module import Module
from everygrad.nn.parameter import Parameter
from everygrad.nn.recurrent_base import draw_evenly
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType, ShapeError

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]


class _Cell(Module):
    """The weights of one layer and direction."""

    def __init__(
        self, gates: int, input_size: int, hidden_size: int, bias: bool, dtype: DType | None, backend: Place
    ) -> None:
        self.input_size = input_size
        self.hidden_size = hidden_size
        rows = gates * hidden_size
        self.weight_ih = parameter((rows, input_size), dtype, backend)
        self.weight_hh = parameter((rows, hidden_size), dtype, backend)
        self.bias_ih: Parameter | None = parameter((rows,), dtype, backend) if bias else None
        self.bias_hh: Parameter | None = parameter((rows,), dtype, backend) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values, as for a new layer."""
        draw_evenly(self, self.hidden_size)

    def _ready(self, input: Tensor, *states: Tensor | None) -> tuple[Any, DType, list[Any], bool]:
        """(backend, dtype, arrays of x (1, N, width), the states and the weights, whether there were batches)."""
        if input.ndim not in (1, 2) or input.shape[-1] != self.input_size:
            raise ShapeError(
                f"{type(self).__name__}: input must be (N, {self.input_size}) or ({self.input_size},). "
                f"Received: shape {input.shape}"
            )
        rows = input.reshape(1, -1, self.input_size)
        shape = (rows.shape[1], self.hidden_size)
        given = [self._state(s, shape, input) for s in states]
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return *ready(type(self).__name__, rows, *given, *weights), input.ndim == 2

    def _state(self, state: Tensor | None, shape: tuple[int, ...], input: Tensor) -> Tensor:
        """The state as (N, hidden_size), zeros where none is given."""
        if state is None:
            return zeros(shape, dtype=input.dtype, backend=input.backend)
        due = shape if input.ndim == 2 else shape[1:]
        if state.shape != due:
            raise ShapeError(
                f"{type(self).__name__}: the state must have shape {due} for an input of shape {input.shape}. "
                f"Received: shape {state.shape}"
            )
        return state.reshape(*shape)

    @override
    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias_ih is not None else ", bias=False")


class RNNCell(_Cell):
    """One step of `RNN`: forward(input (N, input_size), h) gives the next h (N, hidden_size).

    >>> import everygrad as eg
    >>> eg.nn.RNNCell(3, 4)(eg.ones(2, 3)).shape
    (2, 4)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: Literal["tanh", "relu"] = "tanh",
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNNCell: nonlinearity must be 'tanh' or 'relu'. Received: {nonlinearity!r}")
        super().__init__(1, input_size, hidden_size, bias, dtype, backend)
        self.nonlinearity: Literal["tanh", "relu"] = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next hidden state."""
        b, dtype, arrays, batched = self._ready(input, hx)
        out = wrap(b.rnn(*arrays, self.nonlinearity), b, dtype)[0]
        return out if batched else out[0]

    @override
    def extra_repr(self) -> str:
        other = "" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}"
        return super().extra_repr() + other


class GRUCell(_Cell):
    """One step of `GRU`: forward(input (N, input_size), h) gives the next h (N, hidden_size).

    >>> import everygrad as eg
    >>> eg.nn.GRUCell(3, 4)(eg.ones(2, 3)).shape
    (2, 4)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        super().__init__(3, input_size, hidden_size, bias, dtype, backend)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next hidden state."""
        b, dtype, arrays, batched = self._ready(input, hx)
        out = wrap(b.gru(*arrays), b, dtype)[0]
        return out if batched else out[0]


class LSTMCell(_Cell):
    """One step of `LSTM`: forward(input (N, input_size), (h, c)) gives the next (h, c), each (N, hidden_size).

    >>> import everygrad as eg
    >>> [s.shape for s in eg.nn.LSTMCell(3, 4)(eg.ones(2, 3))]
    [(2, 4), (2, 4)]
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        super().__init__(4, input_size, hidden_size, bias, dtype, backend)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """The next (hidden state, cell)."""
        b, dtype, arrays, batched = self._ready(input, *((None, None) if hx is None else hx))
        h, c = (wrap(a, b, dtype)[0] for a in b.lstm(*arrays))
        return (h, c) if batched else (h[0], c[0])
