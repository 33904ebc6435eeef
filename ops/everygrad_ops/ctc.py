"""Connectionist temporal classification: a sequence of labels somewhere in a longer one of frames."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from everygrad_ops.dtypes import DType
from everygrad_ops.errors import ShapeError
from everygrad_ops.marks import caches, outputs
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")
_INF = math.inf


class CtcOps(Protocol[A]):
    """log_probs is (T, N, C), target (N, S) classes, input_lengths and target_lengths (N,), all int64.

    What lies beyond a length is not read. With L = 2 S + 1 the states of a sequence are its labels
    with a blank before, between and behind them. The recursions run over the T frames one by one, all
    sequences and states at a time. Source: Graves, Fernandez, Gomez, Schmidhuber, "Connectionist
    temporal classification", 2006, whose formulas are used in their logarithms.
    """

    def ctc_loss(
        self: Backend[A], log_probs: A, target: A, input_lengths: A, target_lengths: A, blank: int
    ) -> A:
        """(N,): minus the log-probability of each target, over all alignments; loops over the T frames.

        An empty target is all blanks, and has loss 0 in no frames. Where no alignment fits, the loss is
        inf and its gradient 0.
        """
        return self.ctc_loss_with_alphas(log_probs, target, input_lengths, target_lengths, blank)[0]

    @outputs("out", "alphas")
    def ctc_loss_with_alphas(
        self: Backend[A], log_probs: A, target: A, input_lengths: A, target_lengths: A, blank: int
    ) -> tuple[A, A]:
        """(ctc_loss, alphas): alphas (N, T, L) are the log-probabilities to have come to each state.

        They are -inf beyond the lengths, and float32 where log_probs is of low precision.
        """
        check_ctc("ctc_loss", self, log_probs, target, input_lengths, target_lengths, blank)
        dtype, log_probs = self.dtype(log_probs), wide(self, log_probs)
        states = _States(self, log_probs, target, input_lengths, target_lengths, blank)
        alphas = states.alphas()
        return narrow(self, self.neg(states.total(alphas)), dtype), self.permute(
            self.slice(alphas, states.frames_after_the_first()), (1, 0, 2)
        )

    @caches("loss", "alphas")
    def ctc_loss_backward(
        self: Backend[A],
        grad: A,
        log_probs: A,
        target: A,
        input_lengths: A,
        target_lengths: A,
        blank: int,
        loss: A | None = None,
        alphas: A | None = None,
    ) -> A:
        """The gradient of ctc_loss in log_probs: -grad times the probability of each class at each frame.

        `loss` and `alphas` save the forward recursion; that of the backward one loops over the T frames.
        """
        check_ctc("ctc_loss_backward", self, log_probs, target, input_lengths, target_lengths, blank)
        dtype, log_probs = self.dtype(log_probs), wide(self, log_probs)
        grad = self.reshape(wide(self, grad), (1, self.shape(grad)[0], 1))
        states = _States(self, log_probs, target, input_lengths, target_lengths, blank)
        if alphas is None or loss is None:
            before = states.alphas()
            total = states.total(before)
            reached = self.slice(before, states.frames_after_the_first())
        else:
            total, reached = self.neg(wide(self, loss)), self.permute(alphas, (1, 0, 2))
        total = self.reshape(self.where(self.eq(total, -_INF), 0, total), (1, states.n, 1))
        posterior = self.exp(self.sub(self.add(reached, states.betas()), total))
        out = self.scatter_add(
            self.full(self.shape(log_probs), 0, self.dtype(log_probs)),
            2,
            states.classes,
            self.neg(self.mul(posterior, grad)),
        )
        return narrow(self, out, dtype)


class _States(Generic[A]):
    """The trellis of a batch: T frames, N sequences, L states each."""

    def __init__(
        self, b: Backend[A], log_probs: A, target: A, input_lengths: A, target_lengths: A, blank: int
    ) -> None:
        self.b = b
        self.t, self.n, _ = b.shape(log_probs)
        s = b.shape(target)[1]
        self.size = 2 * s + 1
        labels = b.where(b.lt(_row(b, s), b.reshape(target_lengths, (self.n, 1))), target, blank)
        pairs = b.stack([b.full((self.n, s), blank, DType.int64), labels], 2)
        last = b.full((self.n, 1), blank, DType.int64)
        row = b.cat([b.reshape(pairs, (self.n, 2 * s)), last], 1)
        self.classes = b.broadcast_to(b.reshape(row, (1, self.n, self.size)), (self.t, self.n, self.size))
        two_back = b.slice(b.pad(row, ((0, 0), (2, 0)), blank), ((0, self.n, 1), (0, self.size, 1)))
        may_skip = b.logical_and(b.ne(row, blank), b.ne(row, two_back))
        dtype = b.dtype(log_probs)
        self.skip = b.where(may_skip, b.full((), 0, dtype), -_INF)
        place, end = _row(b, self.size), b.reshape(b.mul(target_lengths, 2), (self.n, 1))
        self.ends = b.logical_and(b.le(place, end), b.ge(place, b.sub(end, 1)))
        frames = b.reshape(b.arange(0, self.t, 1, DType.int64), (self.t, 1, 1))
        self.lengths = b.reshape(input_lengths, (1, self.n, 1))
        self.is_last = b.eq(frames, b.sub(self.lengths, 1))
        used = b.logical_and(b.lt(frames, self.lengths), b.reshape(b.le(place, end), (1, self.n, self.size)))
        self.emitted = b.where(used, b.gather(log_probs, 2, self.classes), -_INF)
        self.start = b.where(b.eq(b.broadcast_to(place, (self.n, self.size)), 0), b.full((), 0, dtype), -_INF)
        self.final = b.where(self.ends, b.full((), 0, dtype), -_INF)

    def frames_after_the_first(self) -> tuple[tuple[int, int, int], ...]:
        """What cuts off the state before any frame."""
        return ((1, self.t, 1), (0, self.n, 1), (0, self.size, 1))

    def alphas(self) -> A:
        """(T + 1, N, L): the log-probability to have come to each state, before any frame and after each."""
        b, alpha = self.b, self.start
        found = [alpha]
        for emitted in self._rows():
            wide = b.pad(alpha, ((0, 0), (2, 0)), -_INF)
            one, two = self._cut(wide, 1), b.add(self._cut(wide, 0), self.skip)
            alpha = b.add(b.logsumexp(b.stack([alpha, one, two], 0), (0,)), emitted)
            found.append(alpha)
        return b.stack(found, 0)

    def betas(self) -> A:
        """(T, N, L): the log-probability to end well after each frame, from each state."""
        b = self.b
        beta = b.full((self.n, self.size), -_INF, b.dtype(self.emitted))
        found: list[A] = []
        ahead = self._cut(b.pad(self.skip, ((0, 0), (0, 2)), -_INF), 2)
        last = b.split(self.is_last, (1,) * self.t, 0)
        following = [beta, *self._rows()[:0:-1]]
        for at, emitted in zip(reversed(last), following):
            wide = b.pad(b.add(beta, emitted), ((0, 0), (0, 2)), -_INF)
            stay, one, two = (self._cut(wide, k) for k in range(3))
            onwards = b.logsumexp(b.stack([stay, one, b.add(two, ahead)], 0), (0,))
            beta = b.where(b.reshape(at, (self.n, 1)), self.final, onwards)
            found.append(beta)
        return b.stack(found[::-1], 0) if found else self.emitted

    def total(self, alphas: A) -> A:
        """(N,): the log-probability of the target, where its frames end."""
        b = self.b
        index = b.broadcast_to(self.lengths, (1, self.n, self.size))
        end = b.reshape(b.gather(alphas, 0, index), (self.n, self.size))
        return b.logsumexp(b.where(self.ends, end, -_INF), (1,))

    def _rows(self) -> list[A]:
        shape = (self.n, self.size)
        return [self.b.reshape(row, shape) for row in self.b.split(self.emitted, (1,) * self.t, 0)]

    def _cut(self, x: A, start: int) -> A:
        return self.b.slice(x, ((0, self.n, 1), (start, self.size, 1)))


def _row(b: Backend[A], size: int) -> A:
    """(1, size): 0, 1, 2, ..."""
    return b.reshape(b.arange(0, size, 1, DType.int64), (1, size))


def check_ctc(
    op: str, b: Backend[A], log_probs: A, target: A, input_lengths: A, target_lengths: A, blank: int
) -> None:
    """Refuse sizes that do not belong together, lengths beyond them, labels that are no class."""
    shape, targets = b.shape(log_probs), b.shape(target)
    lengths = b.shape(input_lengths), b.shape(target_lengths)
    if len(shape) != 3 or len(targets) != 2 or targets[0] != shape[1] or {*lengths} != {(shape[1],)}:
        raise ShapeError(
            f"{op}: needs log_probs (T, N, C), target (N, S) and lengths (N,). Received: log_probs of shape "
            f"{shape}, target of shape {targets}, lengths of shapes {lengths[0]} and {lengths[1]}"
        )
    check_blank(op, blank, shape[2])
    check_lengths(op, "input_lengths", b.to_numpy(input_lengths).tolist(), shape[0])
    check_lengths(op, "target_lengths", b.to_numpy(target_lengths).tolist(), targets[1])
    check_labels(op, b, target, target_lengths, blank, shape[2])


def check_blank(op: str, blank: int, classes: int) -> None:
    """Refuse a blank that is no class."""
    if not 0 <= blank < classes:
        raise IndexError(f"{op}: blank must be a class, from 0 to {classes - 1}. Received: blank={blank}")


def check_lengths(op: str, name: str, lengths: list[int], most: int) -> None:
    """Refuse lengths below 0 or beyond the sizes."""
    for length in lengths:
        if not 0 <= length <= most:
            raise ShapeError(f"{op}: {name} must be from 0 to {most}. Received: {length}")


def check_labels(op: str, b: Backend[A], target: A, target_lengths: A, blank: int, classes: int) -> None:
    """Refuse labels within the lengths that are no class."""
    count, size = b.shape(target)
    inside = b.lt(_row(b, size), b.reshape(target_lengths, (count, 1)))
    for label in b.to_numpy(b.where(inside, target, blank)).ravel().tolist():
        if not 0 <= label < classes:
            raise IndexError(f"{op}: a target must be a class, from 0 to {classes - 1}. Received: {label}")
