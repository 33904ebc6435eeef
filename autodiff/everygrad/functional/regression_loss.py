"""Losses of numbers against numbers, under torch's names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from everygrad.functional.comparison import where
from everygrad.functional.loss_parts import mul0, pair, reduced, same_weight
from everygrad.functional.reduction import sum
from everygrad.functional.unary import abs, square
from everygrad.tensor.operands import together
from everygrad.tensor.wrap import is_tensor
from everygrad_ops import ShapeError
from everygrad_ops.loss import Reduction

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "gaussian_nll_loss",
    "huber_loss",
    "l1_loss",
    "lp_loss",
    "mse_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
]


def mse_loss(
    input: Tensor, target: Tensor, reduction: Reduction = "mean", weight: Tensor | None = None
) -> Tensor:
    """weight * (input - target)^2; the weighted mean divides by the sum of the weights.

    >>> import everygrad as eg
    >>> eg.functional.mse_loss(eg.tensor([1.0, 3.0]), eg.tensor([1.0, 1.0])).item()
    2.0
    """
    x, y = pair("mse_loss", input, target)
    return _mean_by_weight("mse_loss", square(x - y), reduction, weight)


def l1_loss(
    input: Tensor, target: Tensor, reduction: Reduction = "mean", weight: Tensor | None = None
) -> Tensor:
    """weight * |input - target|; the derivative where they are equal is 0.

    The weighted mean divides by the sum of the weights.

    >>> import everygrad as eg
    >>> eg.functional.l1_loss(eg.tensor([1.0, 3.0]), eg.tensor([1.0, 1.0])).item()
    1.0
    """
    x, y = pair("l1_loss", input, target)
    return _mean_by_weight("l1_loss", abs(x - y), reduction, weight)


def _mean_by_weight(op: str, loss: Tensor, reduction: Reduction, weight: Tensor | None) -> Tensor:
    if weight is None:
        return reduced(op, loss, reduction)
    product = same_weight(op, loss, weight)
    return sum(product) / sum(weight) if reduction == "mean" else reduced(op, product, reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean", beta: float = 1.0) -> Tensor:
    """With d = |input - target|: d^2 / (2 beta) where d < beta, else d - beta / 2.

    >>> import everygrad as eg
    >>> eg.functional.smooth_l1_loss(eg.tensor([0.5, 3.0]), eg.zeros(2), "none").tolist()
    [0.125, 2.5]
    """
    if beta < 0:
        raise ValueError(f"smooth_l1_loss: beta must not be negative. Received: beta={beta!r}")
    if beta == 0:
        return l1_loss(input, target, reduction)
    x, y = pair("smooth_l1_loss", input, target)
    distance = abs(x - y)
    loss = where(distance < beta, square(x - y) * (0.5 / beta), distance - beta / 2)
    return reduced("smooth_l1_loss", loss, reduction)


def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: Reduction = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """With d = |input - target|: d^2 / 2 where d < delta, else delta * (d - delta / 2); times `weight`.

    As in torch, the mean of weighted losses divides by their number.

    >>> import everygrad as eg
    >>> eg.functional.huber_loss(eg.tensor([0.5, 3.0]), eg.zeros(2), "none", delta=2.0).tolist()
    [0.125, 4.0]
    """
    if delta <= 0:
        raise ValueError(f"huber_loss: delta must be positive. Received: delta={delta!r}")
    loss = smooth_l1_loss(input, target, "none", delta) * delta
    return reduced(
        "huber_loss", loss if weight is None else same_weight("huber_loss", loss, weight), reduction
    )


def lp_loss(input: Tensor, target: Tensor, p: float, reduction: Reduction = "mean") -> Tensor:
    """|input - target|^p, for any p above 0; the derivative where they are equal is 0.

    >>> import everygrad as eg
    >>> eg.functional.lp_loss(eg.tensor([1.0, 3.0]), eg.tensor([1.0, 1.0]), 3).item()
    4.0
    """
    if not p > 0:
        raise ValueError(f"lp_loss: p must be positive. Received: p={p!r}")
    x, y = pair("lp_loss", input, target)
    return reduced("lp_loss", abs(x - y) ** p, reduction)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: Reduction = "mean",
) -> Tensor:
    """exp(input) - target * input, or without `log_input` input - target * log(input + eps).

    `full` adds Stirling's formula for log(target!) where the target is above 1.

    >>> import everygrad as eg
    >>> eg.functional.poisson_nll_loss(eg.tensor([0.0]), eg.tensor([2.0])).item()
    1.0
    """
    x, y = pair("poisson_nll_loss", input, target)
    loss = x.exp() - mul0(y, x) if log_input else x - mul0(y, (x + eps).log())
    if full:
        large = y > 1
        count = where(large, y, 1.0)
        stirling = count * count.log() - count + (count * (2 * math.pi)).log() * 0.5
        loss = loss + where(large, stirling, 0.0)
    return reduced("poisson_nll_loss", loss, reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: Reduction = "mean",
) -> Tensor:
    """(log(var) + (input - target)^2 / var) / 2, and log(2 pi) / 2 with `full`.

    `var` has the shape of input, or a 1 for one of its sizes, or lacks the last; or it is a number. Values
    below `eps` count as `eps`, and the gradient passes through to them as if they were not limited.

    >>> import everygrad as eg
    >>> eg.functional.gaussian_nll_loss(eg.tensor([3.0]), eg.tensor([1.0]), eg.tensor([1.0])).item()
    2.0
    """
    if eps <= 0:
        raise ValueError(f"gaussian_nll_loss: eps must be positive. Received: eps={eps!r}")
    x, y = pair("gaussian_nll_loss", input, target)
    spread = _variance(x, var)
    if bool((spread < 0).any()):
        raise ValueError("gaussian_nll_loss: var must not be negative. Received: values below 0")
    limited = where(spread < eps, spread - spread.detach() + eps, spread)
    loss = (limited.log() + square(x - y) / limited) * 0.5
    return reduced("gaussian_nll_loss", loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


def _variance(x: Tensor, var: Tensor | float) -> Tensor:
    """`var` as a tensor that broadcasts to `x`."""
    if not is_tensor(var):
        return x.detach() * 0 + var
    _, spread = together("gaussian_nll_loss", x, var)
    if spread.shape == x.shape[:-1] and x.ndim:
        return spread[..., None]
    odd = [s for s, due in zip(spread.shape, x.shape) if s != due]
    if spread.ndim != x.ndim or odd not in ([], [1]):
        raise ShapeError(
            "gaussian_nll_loss: var must have the shape of input, one 1 in it, or all but the last dim. "
            f"Received: var of shape {spread.shape}, input of shape {x.shape}"
        )
    return spread
