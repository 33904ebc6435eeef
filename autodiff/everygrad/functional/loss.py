"""Losses over classes, under torch's names. `reduction` is "mean", "sum" or "none"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from everygrad.functional.arguments import ready, with_indices
from everygrad.functional.loss_parts import known, mul0, pair, reduced
from everygrad.functional.reduction import sum
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import ShapeError
from everygrad_ops.loss import Reduction

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "cross_entropy",
    "kl_div",
    "nll_loss",
]

Divergence = Literal["none", "batchmean", "mean", "sum"]


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
    known("cross_entropy", reduction)
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
        x, index = _batched(b, x), _alone("cross_entropy", b, index)
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
    known("nll_loss", reduction)
    log_probs, classes, index = with_indices("nll_loss", target, "target", input, weight)
    b, dtype, (x, w) = ready("nll_loss", log_probs, classes)
    single = len(b.shape(x)) == 1
    if single:
        x, index = _batched(b, x), _alone("nll_loss", b, index)
    out = b.nll_loss(x, index, w, ignore_index, reduction)
    return wrap(b.reshape(out, ()) if single else out, b, dtype)


def kl_div(
    input: Tensor,
    target: Tensor,
    reduction: Divergence = "mean",
    log_target: bool = False,
) -> Tensor:
    """target * (log(target) - input), with 0 log 0 = 0: input holds log-probabilities.

    With `log_target`, target holds them too. "batchmean" divides the sum by the size of the first dim, which makes
    it the divergence of Kullback and Leibler; "mean" divides it by the number of elements.

    >>> import everygrad as eg
    >>> log_probs = eg.log(eg.tensor([[0.5, 0.5]]))
    >>> round(eg.functional.kl_div(log_probs, eg.tensor([[0.0, 1.0]]), reduction="batchmean").item(), 6)
    0.693147
    """
    if reduction != "batchmean":
        known("kl_div", reduction)
    x, y = pair("kl_div", input, target)
    if log_target:
        loss = mul0(y.exp(), y - x)
    else:
        loss = wrap(y.backend.xlogy(y.array, y.array), y.backend) - mul0(y, x)
    if reduction != "batchmean":
        return reduced("kl_div", loss, reduction)
    if not x.ndim:
        raise ShapeError("kl_div: 'batchmean' needs a first dim. Received: shape (); write reduction='sum'")
    return sum(loss) / x.shape[0] if x.shape[0] else sum(loss) * float("nan")


def _alone(op: str, b: Any, index: Any) -> Any:
    """The one target of an input (C,), with a batch dim."""
    if b.shape(index) != ():
        raise ShapeError(
            f"{op}: an input (C,) has one target, of rank 0. Received: target of shape {b.shape(index)}; "
            "write input[None] for a batch of one"
        )
    return _batched(b, index)


def _batched(b: Any, x: Any) -> Any:
    return b.reshape(x, (1, *b.shape(x)))
