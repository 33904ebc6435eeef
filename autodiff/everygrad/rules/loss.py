"""Gradients of losses over classes."""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.registry import gradient, residual_form
from everygrad_ops import Backend
from everygrad_ops.loss import Reduction

A = TypeVar("A")

residual_form("nll_loss", "nll_loss_with_total")


@gradient("nll_loss", "log_probs")
def nll_loss_log_probs(
    b: Backend[A],
    g: A,
    log_probs_shape: tuple[int, ...],
    target: A,
    weight: A | None,
    ignore_index: int,
    reduction: Reduction,
    total: A | None,
) -> A:
    return b.nll_loss_backward(g, target, weight, ignore_index, reduction, log_probs_shape, total)


@gradient("nll_loss", "weight")
def nll_loss_weight(
    b: Backend[A],
    g: A,
    log_probs: A,
    target: A,
    weight: A,
    ignore_index: int,
    reduction: Reduction,
    out: A,
) -> A:
    """Each position adds its unweighted loss (its distance from `out`, in a mean) to the weight of its class."""
    flat = (math.prod(b.shape(target)),)
    keep = b.ne(target, ignore_index)
    safe = b.reshape(b.where(keep, target, 0), flat)
    each = b.nll_loss(log_probs, target, None, ignore_index, "none")
    if reduction == "mean":
        used = b.where(b.reshape(keep, flat), b.index_select(weight, 0, safe), 0)
        each = b.div(b.sub(each, out), b.sum(used, (0,)))
    each = b.where(keep, b.mul(each, g), 0)
    return b.index_add(b.zeros_like(weight), 0, safe, b.reshape(each, flat))
