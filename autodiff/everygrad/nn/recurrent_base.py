"""What recurrent layers share: their weights, layers upon layers, both directions, sequences that end early."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from typing_extensions import override

from everygrad.functional.arguments import ready
from everygrad.functional.comparison import where
from everygrad.functional.creation import arange, tensor, zeros
from everygrad.functional.dropout import dropout
from everygrad.functional.indexing import gather
from everygrad.functional.shape import cat, stack
from everygrad.nn.build import Place, parameter
from everygrad.nn.init import uniform_
from everygrad.nn.module import Module
from everygrad.nn.recurrent_steps import Step, unrolled
from everygrad.nn.sequences import PackedSequence, pack_padded_sequence, pad_packed_sequence
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import is_tensor, wrap
from everygrad_ops import Backend, DType, ShapeError

Lengths = Tensor | Sequence[int] | None


class Recurrent(Module):
    """Layers upon layers of one recurrent op, `step`, in one direction or both."""

    def __init__(
        self,
        gates: int,
        input_size: int,
        hidden_size: int,
        num_layers: int,
        bias: bool,
        batch_first: bool,
        dropout: float,
        bidirectional: bool,
        proj_size: int = 0,
        *,
        reverse: bool = False,
        clip: float | None = None,
    ) -> None:
        if min(input_size, hidden_size, num_layers) < 1 or not 0 <= proj_size < hidden_size:
            raise ShapeError(
                f"{type(self).__name__}: input_size, hidden_size and num_layers must be above 0, and proj_size below "
                f"hidden_size. Received: {input_size}, {hidden_size}, {num_layers}, proj_size={proj_size}"
            )
        if not 0 <= dropout <= 1:
            raise ValueError(f"{type(self).__name__}: dropout must be from 0 to 1. Received: {dropout!r}")
        for name, flag in (("bias", bias), ("batch_first", batch_first), ("bidirectional", bidirectional)):
            if not isinstance(flag, bool):  # pyright: ignore[reportUnnecessaryIsInstance]  # an argument in a wrong place
                raise TypeError(f"{type(self).__name__}: {name} must be True or False. Received: {flag!r}")
        if reverse and bidirectional:
            raise ValueError(
                f"{type(self).__name__}: reverse goes with one direction. Leave out bidirectional"
            )
        if clip is not None and not clip > 0:
            raise ValueError(f"{type(self).__name__}: clip must be above 0, or None. Received: {clip!r}")
        self._gates = gates
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = dropout
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self.reverse = reverse
        self.clip = clip

    def make_weights(self, dtype: DType | None, backend: Place) -> None:
        """The parameters under torch's names, evenly within 1 / sqrt(hidden_size)."""
        rows, out = self._gates * self.hidden_size, self.proj_size or self.hidden_size
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else out * len(self._suffixes)
            for suffix in self._suffixes:
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, width), "weight_hh": (rows, out)}
                if self.bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                if self.proj_size:
                    shapes["weight_hr"] = (self.proj_size, self.hidden_size)
                for name, shape in shapes.items():
                    setattr(self, f"{name}_l{layer}{suffix}", parameter(shape, dtype, backend))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values, as for a new layer."""
        draw_evenly(self, self.hidden_size)

    @property
    def _suffixes(self) -> tuple[str, ...]:
        return ("", "_reverse") if self.bidirectional else ("",)

    def flatten_parameters(self) -> None:
        """Nothing: for programs written for torch, where it joins the weights in memory."""

    def step(
        self, b: Backend[Any], x: Any, states: Sequence[Any], weights: Sequence[Any], reverse: bool
    ) -> tuple[Any, ...]:
        """The states at all times, one array per kind of state."""
        raise NotImplementedError

    def own_step(self) -> Step | None:
        """One step with options that the op does not have; None without such options."""
        return None

    def run(
        self, input: Tensor | PackedSequence, first: Sequence[Tensor | None], lengths: Lengths
    ) -> tuple[Any, list[Tensor]]:
        """(the last layer's hidden states, the last states of every layer and direction by kind)."""
        if isinstance(input, PackedSequence):
            return self._run_packed(input, first)
        batched = input.ndim == 3
        if input.ndim not in (2, 3) or input.shape[-1] != self.input_size:
            raise ShapeError(
                f"{type(self).__name__}: input must be (T, N, {self.input_size}), batches first with batch_first, or "
                f"(T, {self.input_size}). Received: shape {input.shape}"
            )
        if not batched:
            input, first = input.unsqueeze(1), [None if s is None else s.unsqueeze(1) for s in first]
        elif self.batch_first:
            input = input.transpose(0, 1)
        ends = None if lengths is None else _Ends(lengths, input, self.batch_first)
        out, last = self._layers(input, first, ends)
        if not batched:
            return out.squeeze(1), [s.squeeze(1) for s in last]
        return (out.transpose(0, 1) if self.batch_first else out), last

    def _layers(
        self, x: Tensor, first: Sequence[Tensor | None], ends: _Ends | None
    ) -> tuple[Tensor, list[Tensor]]:
        found: list[list[Tensor]] = [[] for _ in first]
        given = [self._start(s, x, kind) for kind, s in enumerate(first)]
        for layer in range(self.num_layers):
            sides: list[Tensor] = []
            for side, suffix in enumerate(self._suffixes):
                at = layer * len(self._suffixes) + side
                reverse = side == 1 or self.reverse
                kinds = self._direction(x, [s[at] for s in given], f"_l{layer}{suffix}", reverse, ends)
                sides.append(kinds[0][0])
                for kept, (_, last) in zip(found, kinds):
                    kept.append(last)
            x = sides[0] if len(sides) == 1 else cat(sides, -1)
            if self.dropout and layer < self.num_layers - 1:
                x = dropout(x, self.dropout, self.training)
        return x, [stack(states, 0) for states in found]

    def _direction(
        self, x: Tensor, states: Sequence[Tensor], suffix: str, reverse: bool, ends: _Ends | None
    ) -> list[tuple[Tensor, Tensor]]:
        """(all states, the last one) for each kind of state."""
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
        weights = [getattr(self, name + suffix, None) for name in names]
        if ends is not None and reverse:
            x = ends.turned(x)
        own = reverse and ends is None
        step = self.own_step()
        found = (
            self._fused(x, states, weights, own) if step is None else unrolled(x, states, weights, step, own)
        )
        if ends is None:
            return [(s, s[0 if reverse else -1]) for s in found]
        lasts = [ends.last(s) for s in found]
        hidden = ends.cut(ends.turned(found[0]) if reverse else found[0])
        return list(zip([hidden, *found[1:]], lasts))

    def _fused(
        self, x: Tensor, states: Sequence[Tensor], weights: Sequence[Tensor | None], reverse: bool
    ) -> list[Tensor]:
        b, dtype, arrays = ready(type(self).__name__, x, *states, *weights)
        kinds = len(states)
        found = self.step(b, arrays[0], arrays[1 : 1 + kinds], arrays[1 + kinds :], reverse)
        return [wrap(a, b, dtype) for a in found]

    def _start(self, state: Tensor | None, x: Tensor, kind: int) -> Tensor:
        width = self.proj_size if self.proj_size and kind == 0 else self.hidden_size
        shape = (self.num_layers * len(self._suffixes), x.shape[1], width)
        if state is None:
            return zeros(shape, dtype=x.dtype, backend=x.backend)
        if state.shape != shape:
            raise ShapeError(
                f"{type(self).__name__}: hx must be (layers * directions, N, H), here {shape}. "
                f"Received: shape {state.shape}"
            )
        return state

    def _run_packed(
        self, packed: PackedSequence, first: Sequence[Tensor | None]
    ) -> tuple[PackedSequence, list[Tensor]]:
        padded, lengths = pad_packed_sequence(packed, self.batch_first)
        out, last = self.run(padded, first, lengths)
        return pack_padded_sequence(out, lengths, self.batch_first, packed.unsorted_indices is None), last

    @override
    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        defaults = {
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0.0,
            "bidirectional": False,
            "proj_size": 0,
            "reverse": False,
            "clip": None,
            "reset_after": True,
            "input_forget": False,
        }
        own = {name: getattr(self, name, default) for name, default in defaults.items()}
        parts += [f"{name}={value}" for name, value in own.items() if value != defaults[name]]
        return ", ".join(parts)


def draw_evenly(layer: Module, hidden_size: int) -> None:
    """New values for the parameters of a recurrent layer, evenly within 1 / sqrt(hidden_size)."""
    bound = 1 / math.sqrt(max(hidden_size, 1))
    for cell in layer.parameters(recurse=False):
        uniform_(cell, -bound, bound)


class _Ends:
    """Where the sequences of a batch (T, N, width) end."""

    def __init__(self, lengths: Tensor | Sequence[int], x: Tensor, batch_first: bool) -> None:
        counts = [int(n) for n in (lengths.tolist() if is_tensor(lengths) else lengths)]
        steps, rows = x.shape[:2]
        if len(counts) != rows or not all(0 < n <= steps for n in counts):
            raise ShapeError(
                f"lengths: there must be one per sequence, from 1 to {steps}. Received: {counts} for {rows} sequences"
            )
        self._ends = tensor(counts, dtype=DType.int64, backend=x.backend)
        places = arange(steps, backend=x.backend).reshape(steps, 1)
        self._inside = places < self._ends
        self._turned = where(self._inside, self._ends - 1 - places, places)

    def turned(self, x: Tensor) -> Tensor:
        """Each sequence from its own end to its start; the padding stays behind it."""
        return gather(x, 0, self._turned.unsqueeze(2).expand(*x.shape))

    def last(self, x: Tensor) -> Tensor:
        """What stands at each sequence's last step."""
        return gather(x, 0, (self._ends - 1).reshape(1, -1, 1).expand(1, *x.shape[1:])).squeeze(0)

    def cut(self, x: Tensor) -> Tensor:
        """Zeros behind the ends."""
        return where(self._inside.unsqueeze(2), x, 0.0)
