"""Losses with a margin as modules; each is the function of the same name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from everygrad.functional.margin_loss import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from everygrad.nn.loss import Reduction, checked
from everygrad.nn.module import Module
from everygrad.nn.parameter import Buffer
from everygrad.tensor import Tensor

__all__ = [
    "CosineEmbeddingLoss",
    "HingeEmbeddingLoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class HingeEmbeddingLoss(Module):
    """input where target is 1, max(0, margin - input) where it is -1.

    >>> import everygrad as eg
    >>> eg.nn.HingeEmbeddingLoss()(eg.tensor([0.5, 0.25]), eg.tensor([1, -1])).item()
    0.625
    """

    def __init__(self, margin: float = 1.0, *, reduction: Reduction = "mean") -> None:
        self.margin = margin
        self.reduction: Reduction = checked(reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(Module):
    """max(0, -target * (input1 - input2) + margin).

    >>> import everygrad as eg
    >>> eg.nn.MarginRankingLoss()(eg.tensor([1.0]), eg.tensor([3.0]), eg.tensor([1.0])).item()
    2.0
    """

    def __init__(self, margin: float = 0.0, *, reduction: Reduction = "mean") -> None:
        self.margin = margin
        self.reduction: Reduction = checked(reduction)

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(Module):
    """1 - cosine where target is 1, max(0, cosine - margin) where it is -1: inputs (N, D), targets (N,).

    >>> import everygrad as eg
    >>> x, y = eg.tensor([[1.0, 0.0]]), eg.tensor([[0.0, 2.0]])
    >>> eg.nn.CosineEmbeddingLoss()(x, y, eg.tensor([1])).item()
    1.0
    """

    def __init__(self, margin: float = 0.0, *, reduction: Reduction = "mean") -> None:
        self.margin = margin
        self.reduction: Reduction = checked(reduction)

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class TripletMarginLoss(Module):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d being the distance of the p-norm.

    >>> import everygrad as eg
    >>> a, p, n = eg.zeros(1, 2), eg.tensor([[3.0, 4.0]]), eg.tensor([[0.0, 1.0]])
    >>> round(eg.nn.TripletMarginLoss()(a, p, n).item(), 4)
    5.0
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        *,
        reduction: Reduction = "mean",
    ) -> None:
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap
        self.reduction: Reduction = checked(reduction)

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss."""
        return triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(Module):
    """`TripletMarginLoss` with a distance of one's own.

    >>> import everygrad as eg
    >>> loss = eg.nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: (x - y).abs().sum(-1))
    >>> loss(eg.tensor([0.0]), eg.tensor([3.0]), eg.tensor([1.0])).item()
    3.0
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Any, Any], Any] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: Reduction = "mean",
    ) -> None:
        self.distance_function = distance_function
        self.margin = margin
        self.swap = swap
        self.reduction: Reduction = checked(reduction)

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss."""
        return triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class MultiMarginLoss(Module):
    """weight[y] times the mean over the classes of max(0, margin - input[y] + input[i])^p: input (N, C), classes (N,).

    >>> import everygrad as eg
    >>> eg.nn.MultiMarginLoss()(eg.tensor([[1.0, 0.5]]), eg.tensor([0])).item()
    0.25
    """

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, *, reduction: Reduction = "mean"
    ) -> None:
        self.p = p
        self.margin = margin
        self.weight = None if weight is None else Buffer(weight)
        self.reduction: Reduction = checked(reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class MultiLabelMarginLoss(Module):
    """The sum over targets j and other classes i of max(0, 1 - input[j] + input[i]), over C; -1 ends the targets.

    >>> import everygrad as eg
    >>> eg.nn.MultiLabelMarginLoss()(eg.tensor([[1.0, 0.5]]), eg.tensor([[0, -1]])).item()
    0.25
    """

    def __init__(self, *, reduction: Reduction = "mean") -> None:
        self.reduction: Reduction = checked(reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return multilabel_margin_loss(input, target, reduction=self.reduction)
