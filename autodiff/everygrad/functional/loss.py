"""Losses, under torch's names. `reduction` is "mean", "sum" or "none"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.functional.activation import logsigmoid
from everygrad.functional.arguments import ready, with_indices
from everygrad.functional.comparison import where
from everygrad.functional.reduction import mean, sum
from everygrad.functional.unary import abs, square
from everygrad.tensor.operands import together
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DTypeError, ShapeError
from everygrad_ops.loss import Reduction

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "huber_loss",
    "l1_loss",
    "mse_loss",
    "nll_loss",
    "smooth_l1_loss",
]


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: Reduction = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """-weight * log_softmax(input) at the target class, or against target probabilities.

    input is (N, C, d...) or (C,); target is class indices (N, d...) or (), or probabilities of the
    shape of input. Smoothing takes `label_smoothing` of the target and spreads it evenly over all C
    classes. Positions with `ignore_index` do not count; "mean" divides by the weights that do. Raises
    `IndexError` for a target that is no class.

    >>> import everygrad as eg
    >>> logits = eg.tensor([[2.0, 0.0, 0.0]])
    >>> round(eg.functional.cross_entropy(logits, eg.tensor([0]), label_smoothing=0.3).item(), 6)
    0.639545
    """
    _known("cross_entropy", reduction)
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"cross_entropy: label_smoothing must be from 0 to 1. Received: {label_smoothing!r}")
    need_tensor("cross_entropy", "target", target)
    if target.dtype.is_floating:
        if ignore_index != -100:
            raise ValueError(
                "cross_entropy: ignore_index goes with class indices, not with probabilities. "
                f"Received: ignore_index={ignore_index}; give the ignored rows a probability of 0 everywhere"
            )
        return _soft_cross_entropy(input, target, weight, reduction, label_smoothing)
    logits, classes, index = with_indices("cross_entropy", target, "target", input, weight)
    b, dtype, (x, w) = ready("cross_entropy", logits, classes)
    single = len(b.shape(x)) == 1
    if single:
        x, index = _batched(b, x), _batched(b, index)
    out = b.cross_entropy(x, index, w, ignore_index, label_smoothing, reduction)
    return wrap(b.reshape(out, ()) if single else out, b, dtype)


def _soft_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: Reduction, label_smoothing: float
) -> Tensor:
    b, dtype, (x, probs, w) = ready("cross_entropy", input, target, weight)
    single = len(b.shape(x)) == 1
    if single:
        x, probs = _batched(b, x), _batched(b, probs)
    out = b.soft_cross_entropy(x, probs, w, label_smoothing, reduction)
    return wrap(b.reshape(out, ()) if single else out, b, dtype)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: Reduction = "mean",
) -> Tensor:
    """-weight * input at the target class: input holds log-probabilities, (N, C, d...) or (C,).

    >>> import everygrad as eg
    >>> eg.functional.nll_loss(eg.tensor([[-1.0, -2.0]]), eg.tensor([1])).item()
    2.0
    """
    _known("nll_loss", reduction)
    log_probs, classes, index = with_indices("nll_loss", target, "target", input, weight)
    b, dtype, (x, w) = ready("nll_loss", log_probs, classes)
    single = len(b.shape(x)) == 1
    if single:
        x, index = _batched(b, x), _batched(b, index)
    out = b.nll_loss(x, index, w, ignore_index, reduction)
    return wrap(b.reshape(out, ()) if single else out, b, dtype)


def mse_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean") -> Tensor:
    """(input - target)^2.

    >>> import everygrad as eg
    >>> eg.functional.mse_loss(eg.tensor([1.0, 3.0]), eg.tensor([1.0, 1.0])).item()
    2.0
    """
    x, y = _pair("mse_loss", input, target)
    return _reduced("mse_loss", square(x - y), reduction)


def l1_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean") -> Tensor:
    """|input - target|; the derivative where they are equal is 0.

    >>> import everygrad as eg
    >>> eg.functional.l1_loss(eg.tensor([1.0, 3.0]), eg.tensor([1.0, 1.0])).item()
    1.0
    """
    x, y = _pair("l1_loss", input, target)
    return _reduced("l1_loss", abs(x - y), reduction)


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
    x, y = _pair("smooth_l1_loss", input, target)
    distance = abs(x - y)
    loss = where(distance < beta, square(x - y) * (0.5 / beta), distance - beta / 2)
    return _reduced("smooth_l1_loss", loss, reduction)


def huber_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean", delta: float = 1.0) -> Tensor:
    """With d = |input - target|: d^2 / 2 where d < delta, else delta * (d - delta / 2).

    >>> import everygrad as eg
    >>> eg.functional.huber_loss(eg.tensor([0.5, 3.0]), eg.zeros(2), "none", delta=2.0).tolist()
    [0.125, 4.0]
    """
    if delta <= 0:
        raise ValueError(f"huber_loss: delta must be positive. Received: delta={delta!r}")
    return _reduced("huber_loss", smooth_l1_loss(input, target, "none", delta) * delta, reduction)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: Reduction = "mean"
) -> Tensor:
    """-weight * (target * log(input) + (1 - target) * log(1 - input)), for probabilities in input.

    Logarithms stop at -100, so that the loss is finite at 0 and 1.

    >>> import everygrad as eg
    >>> eg.functional.binary_cross_entropy(eg.tensor([0.0]), eg.tensor([1.0])).item()
    100.0
    """
    x, y = _pair("binary_cross_entropy", input, target)
    if bool(((x < 0) | (x > 1)).any()):
        raise ValueError(
            "binary_cross_entropy: input must hold probabilities, from 0 to 1. Received: values outside; "
            "write binary_cross_entropy_with_logits for logits"
        )
    loss = -(y * x.log().clamp(-100.0) + (1 - y) * (-x).log1p().clamp(-100.0))
    return _reduced("binary_cross_entropy", loss if weight is None else loss * weight, reduction)


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
    x, y = _pair("binary_cross_entropy_with_logits", input, target)
    positive, negative = -logsigmoid(x), -logsigmoid(-x)
    above = y * positive if pos_weight is None else y * pos_weight * positive
    loss = above + (1 - y) * negative
    return _reduced("binary_cross_entropy_with_logits", loss if weight is None else loss * weight, reduction)


def _pair(op: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both on one backend and in one dtype; their shapes must be equal, since a stretched target is a mistake."""
    need_tensor(op, "input", input)
    need_tensor(op, "target", target)
    x, y = together(op, input, target)
    if x.shape != y.shape:
        raise ShapeError(
            f"{op}: target must have the shape of input. Received: {x.shape} and {y.shape}; "
            "write target.expand(input.shape) where it is to be stretched"
        )
    if not x.dtype.is_floating:
        raise DTypeError(
            f"{op}: needs a floating-point tensor. Received: {x.dtype}; write input.to(eg.float32)"
        )
    return x, y


def _reduced(op: str, loss: Tensor, reduction: Reduction) -> Tensor:
    _known(op, reduction)
    return loss if reduction == "none" else mean(loss) if reduction == "mean" else sum(loss)


def _known(op: str, reduction: Reduction) -> None:
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{op}: reduction must be 'none', 'mean' or 'sum'. Received: {reduction!r}")


def _batched(b: Any, x: Any) -> Any:
    return b.reshape(x, (1, *b.shape(x)))
