"""Rows of a table chosen by index, one by one or in bags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.functional.arguments import with_indices
from everygrad.tensor.operands import on_one_backend
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["embedding", "embedding_bag"]


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, *, scale_grad_by_freq: bool = False
) -> Tensor:
    """The rows of weight (num_weights, width) at the integers of input (...): (..., width).

    Row `padding_idx` is read like any other, but gets no gradient. With `scale_grad_by_freq` the gradient of a
    row is divided by how often it was read. Raises `IndexError` for an index that names no row.

    >>> import everygrad as eg
    >>> table = eg.tensor([[0.0, 1.0], [2.0, 3.0]])
    >>> eg.functional.embedding(eg.tensor([1, 0, 1]), table).tolist()
    [[2.0, 3.0], [0.0, 1.0], [2.0, 3.0]]
    """
    table, _, indices = with_indices("embedding", input, "input", weight)
    if table.ndim != 2:
        raise ShapeError(
            f"embedding: weight must be a matrix (num_weights, width). Received: shape {table.shape}"
        )
    padding_idx = _row("embedding", padding_idx, table.shape[0])
    b = table.backend
    return wrap(b.embedding(table.array, indices, padding_idx, scale_grad_by_freq), b, table.known_dtype)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The rows of weight (num_weights, width) at the integers of input, reduced bag by bag: (bags, width).

    Each row of a matrix of indices is a bag; of a vector, bag i holds those from offsets[i] to before
    offsets[i + 1], the last one all that are left (with `include_last_offset` a last offset closes it).
    `mode` is "sum", "mean" or "max"; `per_sample_weights`, of the shape of input, multiply the rows of a sum.
    Indices equal to `padding_idx` take no part; a bag of nothing gives zeros.

    >>> import everygrad as eg
    >>> table = eg.tensor([[0.0, 1.0], [2.0, 3.0]])
    >>> bags = eg.functional.embedding_bag(eg.tensor([0, 1, 1]), table, eg.tensor([0, 2]), mode="sum")
    >>> bags.tolist()
    [[2.0, 4.0], [2.0, 3.0]]
    """
    table, weights, indices = with_indices("embedding_bag", input, "input", weight, per_sample_weights)
    b, shape = table.backend, input.shape
    starts = _starts(table, shape, offsets, include_last_offset)
    if weights is not None and weights.shape != shape:
        raise ShapeError(
            f"embedding_bag: per_sample_weights must have the shape of input, {shape}. Received: {weights.shape}"
        )
    count = (input.numel(),)
    each = None
    if weights is not None:
        values = weights.array if weights.dtype is table.dtype else b.cast(weights.array, table.dtype)
        each = b.reshape(values, count)
    row = _row("embedding_bag", padding_idx, table.shape[0])
    out = b.embedding_bag(table.array, b.reshape(indices, count), starts, mode, each, row, scale_grad_by_freq)
    return wrap(out, b, table.known_dtype)


def _starts(table: Tensor, shape: tuple[int, ...], offsets: Tensor | None, closed: bool) -> Any:
    """Where each bag begins."""
    b = table.backend
    if len(shape) == 2:
        if offsets is not None:
            raise ShapeError(
                "embedding_bag: offsets go with a vector of indices. "
                f"Received: offsets and an input of shape {shape}; write input.reshape(-1)"
            )
        return b.mul(b.arange(0, shape[0], 1, DType.int64), shape[1])
    if offsets is None or len(shape) != 1:
        raise ShapeError(
            "embedding_bag: input must be a matrix, or a vector with offsets. "
            f"Received: shape {shape}, offsets={'None' if offsets is None else 'a tensor'}"
        )
    found, _, starts = with_indices("embedding_bag", offsets, "offsets", table)
    if found.backend is not b:
        starts = on_one_backend("embedding_bag", wrap(starts, offsets.backend), table)[0].array
    size = b.shape(starts)
    if closed:
        if size == (0,) or int(b.to_numpy(starts)[-1]) != shape[0]:
            raise ShapeError(
                f"embedding_bag: with include_last_offset the last offset is {shape[0]}, the number of indices. "
                f"Received: {b.to_numpy(starts).tolist()}"
            )
        starts = b.slice(starts, ((0, size[0] - 1, 1),))
    return starts


def _row(op: str, padding_idx: int | None, rows: int) -> int | None:
    """The row that is padding, counted from the start."""
    if padding_idx is None:
        return None
    if not -rows <= padding_idx < rows:
        raise IndexError(f"{op}: padding_idx must name a row. Received: {padding_idx} for {rows} rows")
    return padding_idx % rows
