"""Losses of sequences whose alignment is not known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from everygrad.functional.activation import log_softmax
from everygrad.functional.comparison import eq, where
from everygrad.functional.elementwise import maximum
from everygrad.functional.loss_parts import known, need_floats, reduced
from everygrad.tensor.operands import floating, on_one_backend
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import Backend, DType, DTypeError, ShapeError
from everygrad_ops.loss import Reduction

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["ctc_loss", "rnnt_loss"]

Lengths = Any
"""A tensor of integers, or a sequence of them."""


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Lengths,
    target_lengths: Lengths,
    blank: int = 0,
    reduction: Reduction = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Minus the log-probability that the frames spell the targets, blanks and repeats left out.

    log_probs is (T, N, C), from log_softmax, or (T, C); targets (N, S), or one after another in a vector. Lengths
    may be 0. Where the frames are too few, the loss is inf and its gradient 0; `zero_infinity` makes the loss 0
    too. "mean" divides each loss by the length of its target, at least 1, and then takes the mean.

    >>> import everygrad as eg
    >>> log_probs = eg.zeros(2, 1, 2) - eg.log(eg.tensor(2.0))
    >>> round(eg.functional.ctc_loss(log_probs, eg.tensor([[1]]), [2], [1]).item(), 6)
    0.287682
    """
    known("ctc_loss", reduction)
    need_tensor("ctc_loss", "log_probs", log_probs)
    need_tensor("ctc_loss", "targets", targets)
    x, single = log_probs, log_probs.ndim == 2
    frames, labels = (_host("ctc_loss", n, v) for n, v in _named(input_lengths, target_lengths))
    if single:
        x, targets = x.reshape(x.shape[0], 1, x.shape[1]), targets.reshape(1, -1)
        frames, labels = frames.reshape(-1), labels.reshape(-1)
    loss, lengths = _run("ctc_loss", x, _padded(targets, labels), frames, labels, blank)
    if zero_infinity:
        loss = where(eq(loss, float("inf")), 0.0, loss)
    if reduction == "mean":
        loss = loss / floating(maximum(lengths, 1)).to(loss.dtype)
    return reduced("ctc_loss", loss.reshape(()) if single else loss, reduction)


def rnnt_loss(
    logits: Tensor,
    targets: Tensor,
    logit_lengths: Lengths,
    target_lengths: Lengths,
    blank: int = 0,
    reduction: Reduction = "mean",
    fused_log_softmax: bool = True,
) -> Tensor:
    """Minus the log-probability of the targets under a transducer.

    logits is (N, T, U + 1, C) and targets (N, U); without `fused_log_softmax`, logits are log-probabilities already.
    The arguments are torchaudio's, but for `blank`, which is its last class by default.

    >>> import everygrad as eg
    >>> loss = eg.functional.rnnt_loss(eg.zeros(1, 2, 2, 2), eg.tensor([[1]]), [2], [1])
    >>> round(loss.item(), 6)
    1.386294
    """
    known("rnnt_loss", reduction)
    need_tensor("rnnt_loss", "logits", logits)
    need_tensor("rnnt_loss", "targets", targets)
    x = log_softmax(logits, -1) if fused_log_softmax else logits
    frames, labels = (_host("rnnt_loss", n, v) for n, v in _named(logit_lengths, target_lengths))
    return reduced("rnnt_loss", _run("rnnt_loss", x, targets, frames, labels, blank)[0], reduction)


def _named(frames: Lengths, labels: Lengths) -> Sequence[tuple[str, Lengths]]:
    return ("input_lengths", frames), ("target_lengths", labels)


def _host(op: str, name: str, lengths: Lengths) -> Any:
    """Lengths as a NumPy array of int64."""
    values = lengths.detach().numpy() if is_tensor(lengths) else np.asarray(lengths)
    if values.dtype.kind not in "iu" and values.size:
        raise DTypeError(f"{op}: {name} must be integers. Received: {values.dtype}")
    return values.astype(np.int64)


def _padded(targets: Tensor, labels: Any) -> Tensor:
    """Targets (N, S) of those that lie one after another in a vector."""
    if targets.ndim != 1 or labels.ndim != 1:
        return targets
    if int(labels.sum()) != targets.shape[0] or (labels < 0).any():
        raise ShapeError(
            "ctc_loss: targets in one vector must be as many as target_lengths add up to. "
            f"Received: targets of shape {targets.shape}, target_lengths {labels.tolist()}"
        )
    if not targets.shape[0]:
        return targets.reshape(labels.shape[0], 0)
    place = np.arange(int(labels.max(initial=0)))
    starts = np.cumsum(labels) - labels
    index = np.where(place < labels[:, None], starts[:, None] + place, 0)
    b = targets.backend
    flat = b.index_select(targets.array, 0, _lifted(b, index.ravel()))
    return wrap(b.reshape(flat, index.shape), b)


def _lifted(b: Backend[Any], values: Any) -> Any:
    from everygrad.functional.creation import tensor

    return tensor(values, dtype=DType.int64, backend=b).array


def _run(op: str, x: Tensor, targets: Tensor, frames: Any, labels: Any, blank: int) -> tuple[Tensor, Tensor]:
    """(the losses of the sequences, the lengths of their targets)."""
    need_floats(op, x)
    if targets.dtype.category != 1:
        raise DTypeError(
            f"{op}: targets must be integers. Received: {targets.dtype}; write targets.to(eg.int64)"
        )
    x, targets = on_one_backend(op, x, targets)
    b = x.backend
    index = b.cast(targets.array, DType.int64)
    lengths = _lifted(b, labels)
    call: Any = getattr(b, op)
    return wrap(call(x.array, index, _lifted(b, frames), lengths, blank), b, x.known_dtype), wrap(lengths, b)
