"""Losses over classes. Elementwise losses are compositions in `everygrad.functional`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from everygrad_ops.errors import ShapeError
from everygrad_ops.marks import caches, outputs
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")
Reduction = Literal["none", "mean", "sum"]


class LossOps(Protocol[A]):
    """log_probs and logits are (N, C, d...), class indices int64 (N, d...), class weights (C,).

    A target that is neither a class nor `ignore_index` raises `IndexError` naming it. Ignored
    positions have loss 0 and weight 0; "mean" divides by the sum of weights, so over nothing it is NaN
    with a zero gradient.
    """

    def nll_loss(
        self: Backend[A],
        log_probs: A,
        target: A,
        weight: A | None,
        ignore_index: int,
        reduction: Reduction,
    ) -> A:
        """-weight[target] * log_probs[target], reduced by "none", "mean" or "sum"."""
        return self.nll_loss_with_total(log_probs, target, weight, ignore_index, reduction)[0]

    @outputs("out", "total")
    def nll_loss_with_total(
        self: Backend[A],
        log_probs: A,
        target: A,
        weight: A | None,
        ignore_index: int,
        reduction: Reduction,
    ) -> tuple[A, A]:
        """(nll_loss, the sum of the weights of all targets: what "mean" divides by)."""
        check_target("nll_loss", self.shape(log_probs), self.shape(target))
        dtype = self.dtype(log_probs)
        log_probs = wide(self, log_probs)
        try:
            keep, weights = _target_weights(self, target, weight, ignore_index, log_probs)
            safe = self.where(keep, target, 0)
            picked = self.reshape(self.gather(log_probs, 1, _as_column(self, safe)), self.shape(target))
        except IndexError as error:
            raise _not_a_class("nll_loss", error) from None
        loss = self.where(keep, self.neg(self.mul(picked, weights)), 0)
        total = self.sum(weights, _all(self, weights))
        return narrow(self, _reduced(self, loss, total, reduction), dtype), total

    @caches("total")
    def nll_loss_backward(
        self: Backend[A],
        grad: A,
        target: A,
        weight: A | None,
        ignore_index: int,
        reduction: Reduction,
        shape: tuple[int, ...],
        total: A | None = None,
    ) -> A:
        """The gradient of `nll_loss` in log_probs, of the given shape: `grad` times -weight at each target.

        `total` saves summing the weights again.
        """
        check_target("nll_loss_backward", shape, self.shape(target))
        dtype = self.dtype(grad)
        grad = wide(self, grad)
        empty = self.full(shape, 0, self.dtype(grad))
        try:
            keep, weights = _target_weights(self, target, weight, ignore_index, grad, shape[1])
            if reduction == "mean":
                grad = self.div(grad, self.sum(weights, _all(self, weights)) if total is None else total)
            each = self.where(keep, self.neg(self.mul(weights, grad)), 0)
            safe = self.where(keep, target, 0)
            out = self.scatter_add(empty, 1, _as_column(self, safe), _as_column(self, each))
        except IndexError as error:
            raise _not_a_class("nll_loss_backward", error) from None
        return narrow(self, out, dtype)

    def cross_entropy(
        self: Backend[A],
        logits: A,
        target: A,
        weight: A | None,
        ignore_index: int,
        label_smoothing: float,
        reduction: Reduction,
    ) -> A:
        """`nll_loss` of log_softmax(logits); smoothing puts `label_smoothing` / C on each of the C classes.

        Source: Szegedy et al., "Rethinking the Inception architecture", 2016.
        """
        check_target("cross_entropy", self.shape(logits), self.shape(target))
        log_probs = self.log_softmax(logits, 1)
        try:
            hard = self.nll_loss(log_probs, target, weight, ignore_index, reduction)
        except IndexError as error:
            raise _not_a_class("cross_entropy", error) from None
        if label_smoothing == 0:
            return hard
        smooth = self.smoothing_loss(log_probs, target, weight, ignore_index, reduction)
        share = label_smoothing / self.shape(logits)[1]
        return self.add(self.mul(hard, 1 - label_smoothing), self.mul(smooth, share))

    def smoothing_loss(
        self: Backend[A],
        log_probs: A,
        target: A,
        weight: A | None,
        ignore_index: int,
        reduction: Reduction,
    ) -> A:
        """The part of cross entropy that falls on every class: -weight * log_probs summed over the classes.

        Where `target` is ignored it is 0; "mean" divides by what `nll_loss` divides by.
        """
        dtype, shape = self.dtype(log_probs), self.shape(log_probs)
        log_probs = wide(self, log_probs)
        keep, weights = _target_weights(self, target, weight, ignore_index, log_probs)
        if weight is not None:
            log_probs = self.mul(log_probs, self.reshape(wide(self, weight), _channels(shape)))
        loss = self.where(keep, self.neg(self.sum(log_probs, (1,))), 0)
        total = self.sum(weights, _all(self, weights))
        return narrow(self, _reduced(self, loss, total, reduction), dtype)

    def soft_cross_entropy(
        self: Backend[A],
        logits: A,
        probs: A,
        weight: A | None,
        label_smoothing: float,
        reduction: Reduction,
    ) -> A:
        """-weight * probs * log_softmax(logits), summed over the classes; 0 * log(0) is 0.

        `probs` has the shape of logits; "mean" divides by the number of positions.
        """
        shape = self.shape(logits)
        if len(shape) < 2 or self.shape(probs) != shape:
            raise ShapeError(
                "soft_cross_entropy: probs must have the shape of logits, (N, C, ...). "
                f"Received: logits of shape {shape}, probs of shape {self.shape(probs)}"
            )
        dtype = self.dtype(logits)
        logits, probs = wide(self, logits), wide(self, probs)
        if label_smoothing:
            probs = self.add(self.mul(probs, 1 - label_smoothing), label_smoothing / shape[1])
        if weight is not None:
            probs = self.mul(probs, self.reshape(wide(self, weight), _channels(shape)))
        loss = self.neg(self.sum(self.mul0(probs, self.log_softmax(logits, 1)), (1,)))
        if reduction == "mean":
            loss = self.mean(loss, _all(self, loss))
        elif reduction == "sum":
            loss = self.sum(loss, _all(self, loss))
        return narrow(self, loss, dtype)


def _target_weights(
    b: Backend[A], target: A, weight: A | None, ignore_index: int, like: A, classes: int | None = None
) -> tuple[A, A]:
    """(which positions count, the class weight at each of them: 0 where ignored), in the dtype of `like`."""
    keep = b.ne(target, ignore_index)
    if weight is None:
        return keep, b.cast(keep, b.dtype(like))
    classes = b.shape(like)[1] if classes is None else classes
    if b.shape(weight) != (classes,):
        raise ShapeError(
            f"nll_loss: weight must have one entry per class, shape ({classes},). "
            f"Received: weight of shape {b.shape(weight)}"
        )
    flat = b.reshape(b.where(keep, target, 0), (math.prod(b.shape(target)),))
    rows = b.reshape(b.index_select(wide(b, weight), 0, flat), b.shape(target))
    return keep, b.where(keep, rows, 0)


def _not_a_class(op: str, error: IndexError) -> IndexError:
    if "neither a class" in str(error):  # explained one op further in
        return IndexError(f"{op}:{str(error).partition(':')[2]}")
    return IndexError(f"{op}: a target is neither a class nor ignore_index ({error})")


def _reduced(b: Backend[A], loss: A, total: A, reduction: Reduction) -> A:
    if reduction == "none":
        return loss
    summed = b.sum(loss, _all(b, loss))
    return b.div(summed, total) if reduction == "mean" else summed


def _all(b: Backend[A], x: A) -> tuple[int, ...]:
    return tuple(range(len(b.shape(x))))


def _as_column(b: Backend[A], x: A) -> A:
    """(N, d...) seen as (N, 1, d...)."""
    n, *rest = b.shape(x)
    return b.reshape(x, (n, 1, *rest))


def _channels(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size if dim == 1 else 1 for dim, size in enumerate(shape))


def check_target(op: str, shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    """Refuse class indices that are not (N, d...) for an input (N, C, d...)."""
    if len(shape) < 2 or target != (shape[0], *shape[2:]):
        expected = (shape[0], *shape[2:]) if len(shape) >= 2 else "(N, d...)"
        raise ShapeError(
            f"{op}: target must have the shape {expected} for an input (N, C, d...). "
            f"Received: input of shape {shape}, target of shape {target}"
        )
