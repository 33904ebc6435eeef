"""What the recurrent ops share: what they refuse, and the pieces of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from everygrad_ops.errors import ShapeError
from everygrad_ops.shape import part

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


def check_scan(
    op: str,
    b: Backend[A],
    gates: A,
    count: int,
    h0: A,
    w_hh: A,
    c0: A | None = None,
    w_hr: A | None = None,
    b_hh: A | None = None,
) -> None:
    """Refuse shapes that do not fit: gates (T, N, count * H), h0 (N, H or P), w_hh (count * H, H or P)."""
    given = b.shape(gates)
    if len(given) == 3 and given[2] % count == 0 and given[0]:
        rows, width = given[1], given[2] // count
        deep = width if w_hr is None else b.shape(w_hr)[0]
        fits = b.shape(h0) == (rows, deep) and b.shape(w_hh) == (given[2], deep)
        fits = fits and (c0 is None or b.shape(c0) == (rows, width))
        fits = fits and (w_hr is None or b.shape(w_hr)[1:] == (width,))
        if fits and (b_hh is None or b.shape(b_hh) == given[2:]):
            return
    named = {"h0": h0, "c0": c0, "w_hh": w_hh, "w_hr": w_hr, "b_hh": b_hh}
    rest = ", ".join(f"{name} of shape {b.shape(a)}" for name, a in named.items() if a is not None)
    size = "H" if count == 1 else f"{count} * H"
    raise ShapeError(
        f"{op}: with x of (T, N, width), T not 0, the weights have {size} rows, the states are (N, H), or (N, P) for "
        f"a projected h0. Received: gates of shape {given}, {rest}"
    )


def step(b: Backend[A], x: A, t: int) -> A:
    """x[t]."""
    shape = b.shape(x)
    return b.reshape(b.slice(x, part(shape, 0, t, 1)), shape[1:])


def zeros_of(b: Backend[A], x: A) -> A:
    """Zeros of the shape and dtype of `x`."""
    return b.full(b.shape(x), 0, b.dtype(x))


def before(b: Backend[A], h0: A, out: A) -> A:
    """The state before each step: h0, and all of out but the last."""
    shape = b.shape(out)
    first = b.reshape(h0, (1, *shape[1:]))
    return first if shape[0] == 1 else b.cat([first, b.slice(out, part(shape, 0, 0, shape[0] - 1))], 0)


def grad_of_weight(b: Backend[A], gates: A, states: A) -> A:
    """The gradient of w_hh: the steps' outer products of gates and states, summed by one product."""
    return b.linear_weight_backward(states, gates)


def through_sigmoid(b: Backend[A], grad: A, y: A) -> A:
    """The gradient before a sigmoid whose result was y."""
    return b.sigmoid_backward(grad, y)


def through_tanh(b: Backend[A], grad: A, y: A) -> A:
    """The gradient before a tanh whose result was y."""
    return b.sub(grad, b.mul(grad, b.mul(y, y)))
