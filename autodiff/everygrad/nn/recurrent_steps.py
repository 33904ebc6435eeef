"""Recurrent layers one step after the other: for the options that the fused ops do not have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from everygrad.functional.activation import relu, sigmoid
from everygrad.functional.linear import linear
from everygrad.functional.piecewise import hard_sigmoid
from everygrad.functional.shape import chunk, stack
from everygrad.functional.unary import tanh
from everygrad.tensor import Tensor
from everygrad_ops import ShapeError

Activation = str | Callable[[Tensor], Tensor]
State = tuple[Tensor, ...]
Step = Callable[[Tensor, State, Tensor, Tensor | None, Tensor | None], State]
"""(the input's part of the gates, states before, W_hh, b_hh, projection) to the states after."""

NAMED: dict[str, Callable[[Tensor], Tensor]] = {
    "tanh": tanh,
    "sigmoid": sigmoid,
    "relu": relu,
    "hard_sigmoid": hard_sigmoid,
}


def activation(layer: str, name: str, given: Any) -> Callable[[Tensor], Tensor]:
    """The function of a name, or the one that was given."""
    if callable(given):
        return given  # type: ignore[no-any-return]  # of the user
    if given not in NAMED:
        raise ValueError(
            f"{layer}: {name} must be one of {', '.join(NAMED)}, or a function of a Tensor. Received: {given!r}"
        )
    return NAMED[given]


def unrolled(
    x: Tensor, states: Sequence[Tensor], weights: Sequence[Tensor | None], step: Step, reverse: bool
) -> list[Tensor]:
    """The states after each step, one tensor (T, N, width) per kind of state."""
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    assert w_ih is not None and w_hh is not None
    if not x.shape[0]:
        raise ShapeError(f"a sequence must have a step. Received: shape {x.shape} (T, N, width)")
    gates = linear(x, w_ih, b_ih)  # of all steps at once
    places = range(gates.shape[0])
    state, found = tuple(states), list[State]()
    for t in reversed(places) if reverse else places:
        state = step(gates[t], state, w_hh, b_hh, w_hr)
        found.append(state)
    if reverse:
        found.reverse()
    return [stack(kind, 0) for kind in zip(*found)]


def clipped(x: Tensor, clip: float | None) -> Tensor:
    """Within -clip and clip."""
    return x if clip is None else x.clamp(-clip, clip)


def rnn_step(nonlinearity: Callable[[Tensor], Tensor], clip: float | None) -> Step:
    """h = f(W_ih x + b_ih + W_hh h + b_hh), clipped."""

    def step(x: Tensor, state: State, w: Tensor, b: Tensor | None, w_hr: Tensor | None) -> State:
        return (clipped(nonlinearity(x + linear(state[0], w, b)), clip),)

    return step


def gru_step(
    gate: Callable[[Tensor], Tensor],
    hidden: Callable[[Tensor], Tensor],
    reset_after: bool,
    clip: float | None,
) -> Step:
    """Gates r and z, the candidate n, and h = (1 - z) n + z h, clipped; r acts before or after the product with h."""

    def step(x: Tensor, state: State, w: Tensor, b: Tensor | None, w_hr: Tensor | None) -> State:
        (h,) = state
        split = 2 * h.shape[-1]
        first, last = (None, None) if b is None else (b[:split], b[split:])
        r, z = chunk(gate(x[..., :split] + linear(h, w[:split], first)), 2, -1)
        n = r * linear(h, w[split:], last) if reset_after else linear(r * h, w[split:], last)
        n = hidden(x[..., split:] + n)
        return (clipped((1 - z) * n + z * h, clip),)

    return step


def lstm_step(
    gate: Callable[[Tensor], Tensor],
    cell: Callable[[Tensor], Tensor],
    hidden: Callable[[Tensor], Tensor],
    input_forget: bool,
    clip: float | None,
) -> Step:
    """Gates i, f, g, o, the cell c = f c + i g, clipped, and h = o f(c), projected; or f = 1 - i."""

    def step(x: Tensor, state: State, w: Tensor, b: Tensor | None, w_hr: Tensor | None) -> State:
        h, c = state
        i, f, g, o = chunk(x + linear(h, w, b), 4, -1)
        i = gate(i)
        f = 1 - i if input_forget else gate(f)
        c = clipped(f * c + i * cell(g), clip)
        h = gate(o) * hidden(c)
        return (h if w_hr is None else linear(h, w_hr)), c

    return step
