"""Losses of yes and no, each class by itself, under torch's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.activation import logsigmoid
from everygrad.functional.loss_parts import mul0, pair, reduced, weighted
from everygrad.functional.reduction import mean
from everygrad.tensor.wrap import need_tensor
from everygrad_ops import ShapeError
from everygrad_ops.loss import Reduction

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "multilabel_soft_margin_loss",
    "sigmoid_focal_loss",
    "soft_margin_loss",
]


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: Reduction = "mean"
) -> Tensor:
    """-weight * (target * log(input) + (1 - target) * log(1 - input)), for probabilities in input.

    Logarithms stop at -100, so that the loss is finite at 0 and 1.

    >>> import everygrad as eg
    >>> eg.functional.binary_cross_entropy(eg.tensor([0.0]), eg.tensor([1.0])).item()
    100.0
    """
    x, y = pair("binary_cross_entropy", input, target)
    if bool(((x < 0) | (x > 1)).any()):
        raise ValueError(
            "binary_cross_entropy: input must hold probabilities, from 0 to 1. Received: values outside; "
            "write binary_cross_entropy_with_logits for logits"
        )
    loss = -(y * x.log().clamp(-100.0) + (1 - y) * (-x).log1p().clamp(-100.0))
    return reduced("binary_cross_entropy", weighted("binary_cross_entropy", loss, weight), reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: Reduction = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of sigmoid(input), exact for large logits.

    `pos_weight` multiplies the part of the positive targets.

    >>> import everygrad as eg
    >>> eg.functional.binary_cross_entropy_with_logits(eg.tensor([-1000.0]), eg.tensor([1.0])).item()
    1000.0
    """
    op = "binary_cross_entropy_with_logits"
    x, y = pair(op, input, target)
    above = mul0(weighted(op, y, pos_weight), -logsigmoid(x))
    loss = above + mul0(1 - y, -logsigmoid(-x))
    return reduced(op, weighted(op, loss, weight), reduction)


def sigmoid_focal_loss(
    inputs: Tensor,
    targets: Tensor,
    alpha: float = 0.25,
    gamma: float = 2,
    reduction: Reduction = "none",
) -> Tensor:
    """`binary_cross_entropy_with_logits` times (1 - p)^gamma, p being the probability of the target.

    `alpha` weighs the positive targets and 1 - alpha the others; a negative `alpha` weighs none.
    The signature is torchvision's. Source: Lin et al., "Focal loss for dense object detection", 2017.

    >>> import everygrad as eg
    >>> round(eg.functional.sigmoid_focal_loss(eg.zeros(()), eg.zeros(()), alpha=-1, gamma=1).item(), 4)
    0.3466
    """
    op = "sigmoid_focal_loss"
    if alpha > 1 or gamma < 0:
        raise ValueError(
            f"{op}: alpha must be at most 1 and gamma not negative. Received: alpha={alpha!r}, gamma={gamma!r}"
        )
    x, y = pair(op, inputs, targets)
    missed = (1 - y) * x.sigmoid() + y * (-x).sigmoid()
    loss = mul0(binary_cross_entropy_with_logits(x, y, reduction="none"), missed**gamma)
    return reduced(op, loss if alpha < 0 else loss * (alpha * y + (1 - alpha) * (1 - y)), reduction)


def soft_margin_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean") -> Tensor:
    """log(1 + exp(-target * input)), for targets of 1 and -1.

    >>> import everygrad as eg
    >>> eg.functional.soft_margin_loss(eg.tensor([-1000.0]), eg.tensor([1.0])).item()
    1000.0
    """
    x, y = pair("soft_margin_loss", input, target)
    return reduced("soft_margin_loss", -logsigmoid(y * x), reduction)


def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: Reduction = "mean"
) -> Tensor:
    """The mean over the classes, the last dim, of `binary_cross_entropy_with_logits`; one weight per class.

    >>> import everygrad as eg
    >>> logits, target = eg.tensor([[2000.0, -1000.0]]), eg.tensor([[1.0, 1.0]])
    >>> eg.functional.multilabel_soft_margin_loss(logits, target).item()
    500.0
    """
    need_tensor("multilabel_soft_margin_loss", "input", input)
    op = "multilabel_soft_margin_loss"
    if not input.ndim:
        raise ShapeError(f"{op}: input must be (..., C). Received: shape ()")
    loss = weighted(op, binary_cross_entropy_with_logits(input, target, reduction="none"), weight)
    return reduced(op, mean(loss, -1), reduction)
