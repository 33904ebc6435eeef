"""Sequences of unequal lengths, padded or packed, as in torch.nn.utils.rnn."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from everygrad.functional.creation import full, tensor
from everygrad.functional.indexing import index_select
from everygrad.functional.shape import cat, stack
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import is_tensor
from everygrad_ops import DType, ShapeError

__all__ = ["PackedSequence", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence"]


class PackedSequence(NamedTuple):
    """Sequences step by step, each step holding those that have not ended: data (sum of lengths, ...)."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None


def pad_sequence(
    sequences: Sequence[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences (length, ...) as one tensor (T, N, ...), or (N, T, ...), with `padding_value` behind them.

    >>> import everygrad as eg
    >>> eg.nn.pad_sequence([eg.tensor([1, 2]), eg.tensor([3])], batch_first=True).tolist()
    [[1, 2], [3, 0]]
    """
    if not sequences:
        raise ShapeError("pad_sequence: needs at least one sequence. Received: none")
    if padding_side not in ("left", "right"):
        raise ValueError(f"padding_side: must be 'left' or 'right'. Received: {padding_side!r}")
    steps = max(s.shape[0] for s in sequences)
    whole: list[Tensor] = []
    for s in sequences:
        parts = [s]
        if s.shape[0] < steps:
            shape = (steps - s.shape[0], *s.shape[1:])
            parts.append(full(shape, padding_value, dtype=s.dtype, backend=s.backend))
        whole.append(cat(parts if padding_side == "right" else parts[::-1], 0))
    return stack(whole, 0 if batch_first else 1)


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """A padded batch (T, N, ...) without its padding; sequences go from long to short, or are sorted so.

    >>> import everygrad as eg
    >>> packed = eg.nn.pack_padded_sequence(eg.tensor([[1, 2], [3, 0]]), [2, 1], batch_first=True)
    >>> packed.data.tolist(), packed.batch_sizes.tolist()
    ([1, 3, 2], [2, 1])
    """
    x = input.transpose(0, 1) if batch_first else input
    counts = [int(n) for n in (lengths.tolist() if is_tensor(lengths) else lengths)]
    if len(counts) != x.shape[1] or not all(0 < n <= x.shape[0] for n in counts):
        raise ShapeError(
            f"pack_padded_sequence: there must be one length per sequence, from 1 to {x.shape[0]}. Received: {counts} "
            f"for {x.shape[1]} sequences"
        )
    order = sorted(range(len(counts)), key=lambda n: -counts[n])
    if enforce_sorted and any(a < b for a, b in itertools.pairwise(counts)):
        raise ShapeError(
            f"pack_padded_sequence: lengths must fall. Received: {counts}; write enforce_sorted=False"
        )
    rows, steps = len(counts), max(counts)
    sizes = [sum(n > t for n in counts) for t in range(steps)]
    flat = x.reshape(x.shape[0] * rows, *x.shape[2:])
    places = [t * rows + order[at] for t in range(steps) for at in range(sizes[t])]
    data = index_select(flat, 0, _integers(places, x))
    if enforce_sorted:
        return PackedSequence(data, _integers(sizes, x))
    back = sorted(range(rows), key=lambda at: order[at])
    return PackedSequence(data, _integers(sizes, x), _integers(order, x), _integers(back, x))


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """(the padded batch (T, N, ...), or (N, T, ...), the lengths (N,)): the inverse of `pack_padded_sequence`.

    >>> import everygrad as eg
    >>> packed = eg.nn.pack_padded_sequence(eg.tensor([[1, 2], [3, 0]]), [2, 1], batch_first=True)
    >>> eg.nn.pad_packed_sequence(packed, batch_first=True)[0].tolist()
    [[1, 2], [3, 0]]
    """
    data, sizes = sequence.data, [int(n) for n in sequence.batch_sizes.tolist()]
    steps, rows = len(sizes), sizes[0]
    total = steps if total_length is None else total_length
    if total < steps:
        raise ShapeError(
            f"pad_packed_sequence: total_length must be at least {steps}, the longest. Received: {total_length}"
        )
    order = list(range(rows))
    if sequence.unsorted_indices is not None:
        order = [int(n) for n in sequence.unsorted_indices.tolist()]
    starts = [sum(sizes[:t]) for t in range(steps)]
    nothing = data.shape[0]  # the place of one row of padding
    places = [
        starts[t] + at if t < steps and at < sizes[t] else nothing for t in range(total) for at in order
    ]
    padding = full((1, *data.shape[1:]), padding_value, dtype=data.dtype, backend=data.backend)
    padded = index_select(cat([data, padding], 0), 0, _integers(places, data))
    padded = padded.reshape(total, rows, *data.shape[1:])
    lengths = _integers([sum(size > at for size in sizes) for at in order], data)
    return (padded.transpose(0, 1) if batch_first else padded), lengths


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences (length, ...) packed: `pack_padded_sequence` of `pad_sequence`.

    >>> import everygrad as eg
    >>> eg.nn.pack_sequence([eg.tensor([1, 2]), eg.tensor([3])]).data.tolist()
    [1, 3, 2]
    """
    return pack_padded_sequence(
        pad_sequence(sequences), [s.shape[0] for s in sequences], False, enforce_sorted
    )


def _integers(values: Sequence[int], like: Tensor) -> Tensor:
    return tensor(list(values), dtype=DType.int64, backend=like.backend)
