"""The gradient of connectionist temporal classification."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient, residual_form
from everygrad_ops import Backend

A = TypeVar("A")

residual_form("ctc_loss", "ctc_loss_with_alphas")


@gradient("ctc_loss", "log_probs")
def ctc_loss_log_probs(
    b: Backend[A],
    g: A,
    log_probs: A,
    target: A,
    input_lengths: A,
    target_lengths: A,
    blank: int,
    out: A,
    alphas: A | None,
) -> A:
    return b.ctc_loss_backward(g, log_probs, target, input_lengths, target_lengths, blank, out, alphas)
