"""Gradients cut to size."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from everygrad import functional as F
from everygrad.engine import no_grad
from everygrad.gradients import Gradients
from everygrad.optim.forms import as_list
from everygrad.optim.options import need
from everygrad.tensor import Tensor
from everygrad_ops import DType, GradientError
from everygrad_ops.dtypes import LOW_PRECISION

__all__ = ["clip_grad_norm", "clip_grad_norm_each", "clip_grad_value"]

G = TypeVar("G")


def clip_grad_norm(
    grads: G, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> tuple[G, Tensor]:
    """(gradients scaled so that their norm together is at most `max_norm`, the norm before).

    All gradients count as one vector. Those within the bound come back as they are, zeros included. The norm is
    right where squares would overflow or vanish. `grads` takes every form that `step` takes; `max_norm=inf` only measures.
    Raises `GradientError` for a norm of inf or NaN with `error_if_nonfinite`; else such gradients become NaN.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([3.0, 4.0])
    >>> grads, norm = eg.optim.clip_grad_norm((p * p / 2).sum().backward(), 1.0)
    >>> norm.item(), [round(g, 4) for g in grads[p].tolist()]
    (5.0, [0.6, 0.8])
    """
    bounded = max_norm != math.inf
    if bounded:
        need("max_norm", max_norm, 0)
    given, rebuild = as_list("clip_grad_norm", grads)
    with _quiet(grads):
        norm = total_norm(given, norm_type)
        if error_if_nonfinite and not math.isfinite(norm.item()):
            raise GradientError(
                f"clip_grad_norm: the norm of the gradients is {norm.item()}. Look for the cause in the loss, or write "
                "error_if_nonfinite=False"
            )
        clipped = [_scaled(g, norm, max_norm) for g in given] if bounded else given
    return rebuild(clipped), norm


def clip_grad_norm_each(grads: G, max_norm: float, norm_type: float = 2.0) -> G:
    """Each gradient scaled on its own so that its norm is at most `max_norm`.

    >>> import everygrad as eg
    >>> [g.tolist() for g in eg.optim.clip_grad_norm_each([eg.tensor([0.0, 4.0]), eg.tensor([0.5])], 1.0)]
    [[0.0, 1.0], [0.5]]
    """
    need("max_norm", max_norm, 0)
    given, rebuild = as_list("clip_grad_norm_each", grads)
    with _quiet(grads):
        made: G = rebuild([_scaled(g, total_norm([g], norm_type), max_norm) for g in given])
        return made


def clip_grad_value(grads: G, clip_value: float) -> G:
    """Each element cut to -clip_value .. clip_value.

    >>> import everygrad as eg
    >>> eg.optim.clip_grad_value([eg.tensor([-3.0, 0.5])], 1.0)[0].tolist()
    [-1.0, 0.5]
    """
    need("clip_value", clip_value, 0)
    given, rebuild = as_list("clip_grad_value", grads)
    with _quiet(grads):
        made: G = rebuild([g.clamp(-clip_value, clip_value) for g in given])
        return made


def total_norm(grads: list[Tensor], norm_type: float = 2.0) -> Tensor:
    """The norm of all gradients as one vector: that of their norms, so that nothing overflows on the way."""
    if not grads:
        return F.zeros(())
    wide = [g.to(DType.float32) if g.dtype in LOW_PRECISION else g for g in grads]
    first = wide[0]
    norms = [F.vector_norm(g, norm_type).to(first.backend).to(first.dtype) for g in wide if g.numel()]
    if not norms:
        return F.zeros((), dtype=first.dtype, backend=first.backend)
    if norm_type == 0:
        return F.stack(norms).sum()
    return norms[0] if len(norms) == 1 else F.vector_norm(F.stack(norms), norm_type)


def _scaled(g: Tensor, norm: Tensor, max_norm: float) -> Tensor:
    """g times max_norm / norm where the norm is larger, and g itself otherwise."""
    limit = norm.detach().clamp(
        min=max_norm
    )  # equal to max_norm inside the ball, where the factor is exactly 1
    factor = max_norm / F.where(norm > max_norm, norm, limit) if max_norm else F.where(norm > 0, 0.0, 1.0)
    wide = g.to(DType.float32) if g.dtype in LOW_PRECISION else g
    return (wide * factor.to(wide.backend).to(wide.dtype)).to(g.dtype)


def _quiet(grads: Any) -> AbstractContextManager[Any]:
    """Recording is off, unless the gradients themselves are to be differentiated."""
    return nullcontext() if _tracked(grads) else no_grad()


def _tracked(grads: Any) -> bool:
    if isinstance(grads, Gradients):
        return grads.tracked
    return any(g.requires_grad for g in as_list("clip", grads)[0])
