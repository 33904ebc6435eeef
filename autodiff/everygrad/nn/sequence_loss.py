"""Losses of sequences as modules; each is the function of the same name."""

from __future__ import annotations

from everygrad.functional.sequence_loss import Lengths, ctc_loss, rnnt_loss
from everygrad.nn.loss import Reduction, checked
from everygrad.nn.module import Module
from everygrad.tensor import Tensor

__all__ = ["CTCLoss", "RNNTLoss"]


class CTCLoss(Module):
    """Minus the log-probability that the frames spell the targets, blanks and repeats left out.

    >>> import everygrad as eg
    >>> log_probs = eg.zeros(2, 1, 2).log_softmax(2)
    >>> round(eg.nn.CTCLoss()(log_probs, eg.tensor([[1]]), [2], [1]).item(), 6)
    0.287682
    """

    def __init__(self, blank: int = 0, reduction: Reduction = "mean", zero_infinity: bool = False) -> None:
        self.blank = blank
        self.reduction: Reduction = checked(reduction)
        self.zero_infinity = zero_infinity

    def forward(
        self, log_probs: Tensor, targets: Tensor, input_lengths: Lengths, target_lengths: Lengths
    ) -> Tensor:
        """The loss of log-probabilities (T, N, C) against classes (N, S)."""
        return ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )


class RNNTLoss(Module):
    """Minus the log-probability of the targets under a transducer.

    >>> import everygrad as eg
    >>> round(eg.nn.RNNTLoss()(eg.zeros(1, 2, 2, 2), eg.tensor([[1]]), [2], [1]).item(), 6)
    1.386294
    """

    def __init__(self, blank: int = 0, reduction: Reduction = "mean", fused_log_softmax: bool = True) -> None:
        self.blank = blank
        self.reduction: Reduction = checked(reduction)
        self.fused_log_softmax = fused_log_softmax

    def forward(
        self, logits: Tensor, targets: Tensor, logit_lengths: Lengths, target_lengths: Lengths
    ) -> Tensor:
        """The loss of logits (N, T, U + 1, C) against classes (N, U)."""
        return rnnt_loss(
            logits, targets, logit_lengths, target_lengths, self.blank, self.reduction, self.fused_log_softmax
        )
