"""Losses over classes on torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend, ShapeError
from everygrad_ops.errors import bad_index, misfit
from everygrad_ops.loss import LossOps, Reduction, check_target
from everygrad_torch.arrays import LOW, Array, kernel

_aten: Any = torch.ops.aten
_forward: Callable[..., tuple[Array, Array]] = kernel(_aten.nll_loss_forward.default)
_forward_2d: Callable[..., tuple[Array, Array]] = kernel(_aten.nll_loss2d_forward.default)
_backward: Callable[..., Array] = kernel(_aten.nll_loss_backward.default)
_backward_2d: Callable[..., Array] = kernel(_aten.nll_loss2d_backward.default)
_REDUCTIONS = {"mean": 1, "sum": 2}


class TorchLoss(LossOps[Array]):
    """nll_loss and nll_loss2d; low precision takes the default, which adds in float32."""

    @override
    def nll_loss_with_total(
        self: Backend[Array],
        log_probs: Array,
        target: Array,
        weight: Array | None,
        ignore_index: int,
        reduction: Reduction,
    ) -> tuple[Array, Array]:
        shape = log_probs.shape
        if log_probs.dtype in LOW or reduction == "none":
            return _default(self, log_probs, target, weight, ignore_index, reduction)
        how = _REDUCTIONS[reduction]
        try:
            if len(shape) == 2:
                return _forward(log_probs, target, weight, how, ignore_index)
            check_target("nll_loss", tuple(shape), tuple(target.shape))
            if 0 in shape:
                return _default(self, log_probs, target, weight, ignore_index, reduction)
            rows = target.reshape(shape[0], 1, -1)
            return _forward_2d(log_probs.reshape(*shape[:2], 1, -1), rows, weight, how, ignore_index)
        except (RuntimeError, IndexError) as error:
            raise _explain("nll_loss", error, shape, target, weight, ignore_index) from None

    @override
    def nll_loss_backward(
        self: Backend[Array],
        grad: Array,
        target: Array,
        weight: Array | None,
        ignore_index: int,
        reduction: Reduction,
        shape: tuple[int, ...],
        total: Array | None = None,
    ) -> Array:
        if total is None or grad.dtype in LOW or reduction == "none" or 0 in shape:
            return _default_backward(self, grad, target, weight, ignore_index, reduction, shape, total)
        how = _REDUCTIONS[reduction]  # a total comes from a forward call, which has checked the targets
        if len(shape) == 2:
            like = grad.new_empty(shape)
            return _backward(grad, like, target, weight, how, ignore_index, total)
        like = grad.new_empty((*shape[:2], 1, target.numel() // shape[0]))
        rows = target.reshape(shape[0], 1, -1)
        return _backward_2d(grad, like, rows, weight, how, ignore_index, total).reshape(shape)


_default: Callable[..., tuple[Array, Array]] = Backend[Array].nll_loss_with_total
_default_backward: Callable[..., Array] = Backend[Array].nll_loss_backward


def _explain(
    op: str,
    error: Exception,
    shape: Sequence[int],
    target: Array,
    weight: Array | None,
    ignore_index: int,
) -> Exception:
    if isinstance(error, ShapeError):
        return error
    used = target[target != ignore_index]
    if used.numel():
        low, high = int(used.min()), int(used.max())
        if low < 0 or high >= shape[1]:
            return bad_index(op, low, high, shape[1])
    return misfit(op, error, log_probs=torch.empty(shape, device="meta"), target=target, weight=weight)
