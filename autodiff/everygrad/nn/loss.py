"""Losses as modules; each is the function of the same name."""

from __future__ import annotations

from typing import Literal

from everygrad.functional.binary_loss import binary_cross_entropy, binary_cross_entropy_with_logits
from everygrad.functional.loss import cross_entropy, nll_loss
from everygrad.functional.regression_loss import huber_loss, l1_loss, mse_loss, smooth_l1_loss
from everygrad.nn.module import Module
from everygrad.nn.parameter import Buffer
from everygrad.tensor import Tensor

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "HuberLoss",
    "L1Loss",
    "MSELoss",
    "NLLLoss",
    "SmoothL1Loss",
]

Reduction = Literal["none", "mean", "sum"]


class _Loss(Module):
    """What simple losses share: how the elements' losses are reduced."""

    def __init__(self, *, reduction: Reduction = "mean") -> None:
        self.reduction: Reduction = checked(reduction)


class MSELoss(_Loss):
    """The mean (or sum, or none) of (input - target) ** 2.

    >>> import everygrad as eg
    >>> eg.nn.MSELoss()(eg.tensor([1.0, 2.0]), eg.tensor([0.0, 4.0])).item()
    2.5
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of two tensors of one shape."""
        return mse_loss(input, target, reduction=self.reduction)


class L1Loss(_Loss):
    """The mean (or sum, or none) of |input - target|.

    >>> import everygrad as eg
    >>> eg.nn.L1Loss()(eg.tensor([1.0, 2.0]), eg.tensor([0.0, 4.0])).item()
    1.5
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of two tensors of one shape."""
        return l1_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(Module):
    """(input - target) ** 2 / (2 * beta) where |input - target| < beta, else |input - target| - beta / 2.

    >>> import everygrad as eg
    >>> eg.nn.SmoothL1Loss()(eg.tensor([0.5]), eg.tensor([0.0])).item()
    0.125
    """

    def __init__(self, *, reduction: Reduction = "mean", beta: float = 1.0) -> None:
        self.reduction: Reduction = checked(reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of two tensors of one shape."""
        return smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(Module):
    """(input - target) ** 2 / 2 where |input - target| < delta, else delta * (|input - target| - delta / 2).

    >>> import everygrad as eg
    >>> eg.nn.HuberLoss()(eg.tensor([3.0]), eg.tensor([0.0])).item()
    2.5
    """

    def __init__(self, reduction: Reduction = "mean", delta: float = 1.0) -> None:
        self.reduction: Reduction = checked(reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of two tensors of one shape."""
        return huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class NLLLoss(Module):
    """-weight[target] * input[target] of log-probabilities (N, C, d...) and class indices (N, d...).

    >>> import everygrad as eg
    >>> eg.nn.NLLLoss()(eg.tensor([[-1.0, -2.0]]), eg.tensor([1])).item()
    2.0
    """

    def __init__(
        self, weight: Tensor | None = None, *, ignore_index: int = -100, reduction: Reduction = "mean"
    ) -> None:
        self.weight = None if weight is None else Buffer(weight)
        self.ignore_index = ignore_index
        self.reduction: Reduction = checked(reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of log-probabilities against class indices."""
        return nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class CrossEntropyLoss(Module):
    """`NLLLoss` of log_softmax(input): logits (N, C, d...) against class indices (N, d...) or probabilities.

    `weight` is one factor per class; positions of `ignore_index` do not count; `label_smoothing` e puts
    e / C on every class.

    >>> import everygrad as eg
    >>> round(eg.nn.CrossEntropyLoss()(eg.zeros(1, 2), eg.tensor([1])).item(), 4)
    0.6931
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        *,
        ignore_index: int = -100,
        reduction: Reduction = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        self.weight = None if weight is None else Buffer(weight)
        self.ignore_index = ignore_index
        self.reduction: Reduction = checked(reduction)
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of logits against classes."""
        return cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class BCELoss(Module):
    """Binary cross entropy of probabilities; logarithms stop at -100.

    >>> import everygrad as eg
    >>> round(eg.nn.BCELoss()(eg.tensor([0.5]), eg.ones(1)).item(), 4)
    0.6931
    """

    def __init__(self, weight: Tensor | None = None, *, reduction: Reduction = "mean") -> None:
        self.weight = None if weight is None else Buffer(weight)
        self.reduction: Reduction = checked(reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of probabilities against probabilities."""
        return binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(Module):
    """Binary cross entropy of sigmoid(input) against probabilities, computed without overflow.

    >>> import everygrad as eg
    >>> round(eg.nn.BCEWithLogitsLoss()(eg.zeros(3), eg.ones(3)).item(), 4)
    0.6931
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        *,
        reduction: Reduction = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        self.weight = None if weight is None else Buffer(weight)
        self.pos_weight = None if pos_weight is None else Buffer(pos_weight)
        self.reduction: Reduction = checked(reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of logits against probabilities of the same shape."""
        return binary_cross_entropy_with_logits(
            input, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )


def checked(reduction: Reduction) -> Reduction:
    """The reduction, if it is one."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"reduction: must be 'none', 'mean' or 'sum'. Received: {reduction!r}")
    return reduction
