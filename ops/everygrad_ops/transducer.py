"""The loss of a transducer: labels and frames read in turns, along every path of a lattice."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.ctc import check_blank, check_labels, check_lengths
from everygrad_ops.dtypes import DType
from everygrad_ops.errors import ShapeError
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")
_INF = math.inf


class TransducerOps(Protocol[A]):
    """log_probs is (N, T, U + 1, C), target (N, U) classes, input_lengths and target_lengths (N,), all int64."""

    def rnnt_loss(
        self: Backend[A], log_probs: A, target: A, input_lengths: A, target_lengths: A, blank: int
    ) -> A:
        """(N,): minus the log-probability of each target: from (t, u) a blank leads to t + 1, a label to u + 1.

        Loops over the T + U antidiagonals of the lattice, each at once. What lies beyond a length is not
        read; in no frames the empty target has loss 0 and any other inf, with gradient 0.
        Source: Graves, "Sequence transduction with recurrent neural networks", 2012.
        """
        _check(self, log_probs, target, input_lengths, target_lengths, blank)
        dtype, log_probs = self.dtype(log_probs), wide(self, log_probs)
        n, _, places, _ = self.shape(log_probs)
        steps = _diagonals(self, *_transitions(self, log_probs, target, input_lengths, target_lengths, blank))
        place = self.reshape(self.arange(0, places, 1, DType.int64), (1, places))
        first = self.where(self.eq(place, 0), self.full((), 0, self.dtype(log_probs)), -_INF)
        alpha = self.broadcast_to(first, (n, places))
        found = [alpha]
        for blanks, labels in steps:
            moved = self.pad(self.add(alpha, labels), ((0, 0), (1, 0)), -_INF)
            up = self.slice(moved, ((0, n, 1), (0, places, 1)))
            alpha = self.logsumexp(self.stack([self.add(alpha, blanks), up], 0), (0,))
            found.append(alpha)
        end = self.reshape(self.add(input_lengths, target_lengths), (1, n, 1))
        last = self.gather(self.stack(found, 0), 0, self.broadcast_to(end, (1, n, places)))
        corner = self.eq(place, self.reshape(target_lengths, (n, 1)))
        chosen = self.where(corner, self.reshape(last, (n, places)), -_INF)
        return narrow(self, self.neg(self.logsumexp(chosen, (1,))), dtype)


def _transitions(
    b: Backend[A], log_probs: A, target: A, input_lengths: A, target_lengths: A, blank: int
) -> tuple[A, A]:
    """(the log-probability of a blank, that of the next label), each (N, T, U + 1); -inf beyond the lengths."""
    n, frames, places, _ = b.shape(log_probs)
    sizes = (n, frames, places)
    time = b.reshape(b.arange(0, frames, 1, DType.int64), (1, frames, 1))
    place = b.reshape(b.arange(0, places, 1, DType.int64), (1, 1, places))
    length = b.reshape(target_lengths, (n, 1, 1))
    within = b.lt(time, b.reshape(input_lengths, (n, 1, 1)))
    here = b.logical_and(within, b.le(place, length))
    ahead = b.logical_and(within, b.lt(place, length))
    padded = b.reshape(b.pad(target, ((0, 0), (0, 1)), blank), (n, 1, places))
    index = b.reshape(b.where(ahead, padded, blank), (*sizes, 1))
    labels = b.reshape(b.gather(log_probs, 3, index), sizes)
    part = ((0, n, 1), (0, frames, 1), (0, places, 1), (blank, 1, 1))
    blanks = b.reshape(b.slice(log_probs, part), sizes)
    return b.where(here, blanks, -_INF), b.where(ahead, labels, -_INF)


def _diagonals(b: Backend[A], *lattices: A) -> list[tuple[A, ...]]:
    """The antidiagonals t + u = 0, 1, ... of each (N, T, U + 1), as (N, U + 1); -inf where they leave it."""
    n, frames, places = b.shape(lattices[0])
    count = frames + places - 1
    time = b.reshape(b.arange(0, count, 1, DType.int64), (1, count, 1))
    place = b.reshape(b.arange(0, places, 1, DType.int64), (1, 1, places))
    index = b.broadcast_to(b.add(b.sub(time, place), places - 1), (n, count, places))
    around = ((0, 0), (places - 1, places - 1), (0, 0))
    rows: list[list[A]] = []
    for lattice in lattices:
        skewed = b.gather(b.pad(lattice, around, -_INF), 1, index)
        rows.append([b.reshape(row, (n, places)) for row in b.split(skewed, (1,) * count, 1)])
    return list(zip(*rows, strict=True))


def _check(b: Backend[A], log_probs: A, target: A, input_lengths: A, target_lengths: A, blank: int) -> None:
    shape, targets = b.shape(log_probs), b.shape(target)
    lengths = b.shape(input_lengths), b.shape(target_lengths)
    if len(shape) != 4 or targets != (shape[0], shape[2] - 1) or {*lengths} != {(shape[0],)}:
        raise ShapeError(
            "rnnt_loss: needs log_probs (N, T, U + 1, C), target (N, U) and lengths (N,). Received: log_probs "
            f"of shape {shape}, target of shape {targets}, lengths of shapes {lengths[0]} and {lengths[1]}"
        )
    check_blank("rnnt_loss", blank, shape[3])
    check_lengths("rnnt_loss", "input_lengths", b.to_numpy(input_lengths).tolist(), shape[1])
    check_lengths("rnnt_loss", "target_lengths", b.to_numpy(target_lengths).tolist(), targets[1])
    check_labels("rnnt_loss", b, target, target_lengths, blank, shape[3])
