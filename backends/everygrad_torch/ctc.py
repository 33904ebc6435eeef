"""Connectionist temporal classification on torch: its kernels run the recursions over the frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.ctc import CtcOps, check_ctc
from everygrad_torch.arrays import LOW, Array, kernel

_aten: Any = torch.ops.aten
_forward: Callable[..., tuple[Array, Array]] = kernel(_aten._ctc_loss.default)
_backward: Callable[..., Array] = kernel(_aten._ctc_loss_backward.default)


class TorchCtc(CtcOps[Array]):
    """The kernels leave memory beyond the lengths unset, and give the gradient in logits."""

    @override
    def ctc_loss_with_alphas(
        self: Backend[Array],
        log_probs: Array,
        target: Array,
        input_lengths: Array,
        target_lengths: Array,
        blank: int,
    ) -> tuple[Array, Array]:
        if 0 in log_probs.shape or 0 in target.shape:
            return _default(self, log_probs, target, input_lengths, target_lengths, blank)
        check_ctc("ctc_loss", self, log_probs, target, input_lengths, target_lengths, blank)
        wide = log_probs.float() if log_probs.dtype in LOW else log_probs
        frames, labels = _lists(input_lengths, target_lengths)
        loss, alphas = _forward(wide, target, frames, labels, blank, False)
        used = _used(wide, target, input_lengths, target_lengths)
        whole = wide.new_full(used.shape, -torch.inf)
        whole[:, :, : alphas.shape[2]] = alphas
        return loss.to(log_probs.dtype), whole.masked_fill_(~used, -torch.inf)

    @override
    def ctc_loss_backward(
        self: Backend[Array],
        grad: Array,
        log_probs: Array,
        target: Array,
        input_lengths: Array,
        target_lengths: Array,
        blank: int,
        loss: Array | None = None,
        alphas: Array | None = None,
    ) -> Array:
        if loss is None or alphas is None or 0 in log_probs.shape or 0 in target.shape:
            return _default_backward(
                self, grad, log_probs, target, input_lengths, target_lengths, blank, loss, alphas
            )
        wide = log_probs.float() if log_probs.dtype in LOW else log_probs
        upstream, total = grad.to(wide.dtype), loss.to(wide.dtype)
        frames, labels = _lists(input_lengths, target_lengths)
        states = alphas[:, :, : 2 * max(labels) + 1].contiguous()
        both = _backward(upstream, wide, target, frames, labels, total, states, blank, True)
        out = both - wide.exp() * upstream.reshape(
            1, -1, 1
        )  # the kernel adds what log_softmax would take away
        time = torch.arange(wide.shape[0], device=wide.device).reshape(-1, 1)
        used = (time < input_lengths) & total.isfinite()
        out = torch.where(used.unsqueeze(2) & (wide > -torch.inf), out, 0)
        return out.to(log_probs.dtype)


_default: Callable[..., tuple[Array, Array]] = Backend[Array].ctc_loss_with_alphas
_default_backward: Callable[..., Array] = Backend[Array].ctc_loss_backward


def _lists(input_lengths: Array, target_lengths: Array) -> tuple[list[int], list[int]]:
    frames: Any = input_lengths
    labels: Any = target_lengths
    return frames.tolist(), labels.tolist()


def _used(log_probs: Array, target: Array, input_lengths: Array, target_lengths: Array) -> Array:
    """(N, T, L): which frames and states lie within the lengths."""
    time = torch.arange(log_probs.shape[0], device=target.device).reshape(1, -1, 1)
    place = torch.arange(2 * target.shape[1] + 1, device=target.device)
    rows = (-1, 1, 1)
    return (time < input_lengths.reshape(rows)) & (place <= 2 * target_lengths.reshape(rows))
