"""Losses of distributions, counts and single labels as modules; each is the function of the same name."""

from __future__ import annotations

from everygrad.functional.binary_loss import (
    multilabel_soft_margin_loss,
    sigmoid_focal_loss,
    soft_margin_loss,
)
from everygrad.functional.loss import Divergence, kl_div
from everygrad.functional.regression_loss import gaussian_nll_loss, lp_loss, poisson_nll_loss
from everygrad.nn.loss import Reduction, checked
from everygrad.nn.module import Module
from everygrad.nn.parameter import Buffer
from everygrad.tensor import Tensor

__all__ = [
    "GaussianNLLLoss",
    "KLDivLoss",
    "LpLoss",
    "MultiLabelSoftMarginLoss",
    "PoissonNLLLoss",
    "SigmoidFocalLoss",
    "SoftMarginLoss",
]


class KLDivLoss(Module):
    """target * (log(target) - input) of log-probabilities in input; "batchmean" divides by the first dim's size.

    >>> import everygrad as eg
    >>> log_probs = eg.log(eg.tensor([[0.5, 0.5]]))
    >>> round(eg.nn.KLDivLoss(reduction="batchmean")(log_probs, eg.tensor([[0.0, 1.0]])).item(), 6)
    0.693147
    """

    def __init__(self, *, reduction: Divergence = "mean", log_target: bool = False) -> None:
        self.reduction: Divergence = reduction if reduction == "batchmean" else checked(reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of log-probabilities against probabilities."""
        return kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(Module):
    """exp(input) - target * input, or without log_input input - target * log(input + eps).

    >>> import everygrad as eg
    >>> eg.nn.PoissonNLLLoss()(eg.tensor([0.0]), eg.tensor([2.0])).item()
    1.0
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        *,
        eps: float = 1e-8,
        reduction: Reduction = "mean",
    ) -> None:
        self.log_input = log_input
        self.full = full
        self.eps = eps
        self.reduction: Reduction = checked(reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of rates against counts."""
        return poisson_nll_loss(input, target, self.log_input, self.full, self.eps, self.reduction)


class GaussianNLLLoss(Module):
    """(log(var) + (input - target)^2 / var) / 2.

    >>> import everygrad as eg
    >>> eg.nn.GaussianNLLLoss()(eg.tensor([3.0]), eg.tensor([1.0]), eg.tensor([1.0])).item()
    2.0
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: Reduction = "mean") -> None:
        self.full = full
        self.eps = eps
        self.reduction: Reduction = checked(reduction)

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """The loss of means and variances against values."""
        return gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)


class LpLoss(Module):
    """|input - target|^p.

    >>> import everygrad as eg
    >>> eg.nn.LpLoss(3)(eg.tensor([1.0, 3.0]), eg.tensor([1.0, 1.0])).item()
    4.0
    """

    def __init__(self, p: float, *, reduction: Reduction = "mean") -> None:
        self.p = p
        self.reduction: Reduction = checked(reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of two tensors of one shape."""
        return lp_loss(input, target, self.p, self.reduction)


class SoftMarginLoss(Module):
    """log(1 + exp(-target * input)), for targets of 1 and -1.

    >>> import everygrad as eg
    >>> eg.nn.SoftMarginLoss()(eg.tensor([-1000.0]), eg.tensor([1.0])).item()
    1000.0
    """

    def __init__(self, *, reduction: Reduction = "mean") -> None:
        self.reduction: Reduction = checked(reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(Module):
    """The mean over the classes of `BCEWithLogitsLoss`, for targets of 0 and 1.

    >>> import everygrad as eg
    >>> eg.nn.MultiLabelSoftMarginLoss()(eg.tensor([[2000.0, -1000.0]]), eg.tensor([[1.0, 1.0]])).item()
    500.0
    """

    def __init__(self, weight: Tensor | None = None, *, reduction: Reduction = "mean") -> None:
        self.weight = None if weight is None else Buffer(weight)
        self.reduction: Reduction = checked(reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class SigmoidFocalLoss(Module):
    """`BCEWithLogitsLoss` times (1 - p)^gamma, p being the probability of the target; `alpha` weighs the positive ones.

    >>> import everygrad as eg
    >>> round(eg.nn.SigmoidFocalLoss(alpha=-1, gamma=1)(eg.zeros(1), eg.zeros(1)).item(), 4)
    0.3466
    """

    def __init__(self, alpha: float = 0.25, gamma: float = 2, *, reduction: Reduction = "mean") -> None:
        self.alpha = alpha
        self.gamma = gamma
        self.reduction: Reduction = checked(reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of logits against labels of one shape."""
        return sigmoid_focal_loss(input, target, self.alpha, self.gamma, self.reduction)
