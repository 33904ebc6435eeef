"""Each value once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from everygrad.tensor.dims import one_dim
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import Backend, DType

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["unique", "unique_consecutive"]


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """Each value once, in order; along a dim, each slice once, in lexicographic order. Each NaN is a value.

    Also, where asked for: which of them each element is, and how often each occurs. The gradient of a value
    goes to its first occurrence. Always sorted: `sorted=False` asks for nothing more.

    >>> import everygrad as eg
    >>> [v.tolist() for v in eg.unique(eg.tensor([3, 1, 3]), return_inverse=True, return_counts=True)]
    [[1, 3], [1, 0, 1], [1, 2]]
    """
    need_tensor("unique", "input", input)
    b, rows, d = _rows("unique", input, dim)
    keys = b.detach(rows)
    count, width = b.shape(keys)
    rank = _rank(b, keys) if width else b.full((count, 1), 0, DType.int64)
    while b.shape(rank)[1] > 1:  # neighbouring columns become one, in the order of the first, then the second
        if b.shape(rank)[1] % 2:
            rank = b.pad(rank, ((0, 0), (0, 1)))
        half = b.shape(rank)[1] // 2
        first, second = (b.slice(rank, ((0, count, 1), (at, half, 2))) for at in (0, 1))
        rank = _rank(b, b.add(b.mul(first, count + 1), second))
    ordered, order = b.sort(b.reshape(rank, (count,)), 0)
    new = _changes(b, b.reshape(ordered, (count, 1)))
    return _answer(b, input, rows, order, new, d, return_inverse, return_counts)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Tensor | tuple[Tensor, ...]:
    """The first of each run of equal values, or along a dim of equal slices; else as `unique`.

    >>> import everygrad as eg
    >>> eg.unique_consecutive(eg.tensor([1, 1, 2, 1])).tolist()
    [1, 2, 1]
    """
    need_tensor("unique_consecutive", "input", input)
    b, rows, d = _rows("unique_consecutive", input, dim)
    new = _changes(b, b.detach(rows))
    order = b.arange(0, b.shape(rows)[0], 1, DType.int64)
    return _answer(b, input, rows, order, new, d, return_inverse, return_counts)


def _rows(op: str, x: Tensor, dim: int | None) -> tuple[Backend[Any], Any, int | None]:
    """(backend, what is to be told apart as the rows of a matrix, the dim it lies along; None: each element)."""
    b = x.backend
    if dim is None:
        return b, b.reshape(x.array, (x.numel(), 1)), None
    d = one_dim(op, dim, x.ndim)
    shape = x.shape or (1,)
    front = b.permute(b.reshape(x.array, shape), (d, *(i for i in range(len(shape)) if i != d)))
    return b, b.reshape(front, (shape[d], math.prod(shape[:d] + shape[d + 1 :]))), d


def _rank(b: Backend[Any], x: Any) -> Any:
    """The place of each element among the different values of its column."""
    ordered, order = b.sort(x, 0)
    count, width = b.shape(x)
    if count < 2:
        return b.full((count, width), 0, DType.int64)
    late, early = (b.slice(ordered, ((at, count - 1, 1), (0, width, 1))) for at in (1, 0))
    steps = b.pad(b.cast(b.ne(late, early), DType.int64), ((1, 0), (0, 0)))
    return b.scatter_add(b.full((count, width), 0, DType.int64), 0, order, b.cumsum(steps, 0))


def _changes(b: Backend[Any], rows: Any) -> Any:
    """Where a row differs from the one before it; the first does."""
    count, width = b.shape(rows)
    if count == 0:
        return b.full((0,), 1, DType.bool_)
    late, early = (b.slice(rows, ((at, count - 1, 1), (0, width, 1))) for at in (1, 0))
    return b.cat([b.full((1,), 1, DType.bool_), b.any(b.ne(late, early), (1,))], 0)


def _answer(
    b: Backend[Any],
    x: Tensor,
    rows: Any,
    order: Any,
    new: Any,
    dim: int | None,
    return_inverse: bool,
    return_counts: bool,
) -> Tensor | tuple[Tensor, ...]:
    """The rows that are `new` in `order`, shaped back; then what else is asked for."""
    count = b.shape(order)[0]
    starts = b.nonzero(new)
    found = b.shape(starts)[0]
    starts = b.reshape(starts, (found,))
    values = b.index_select(rows, 0, b.index_select(order, 0, starts))
    if dim is None:
        values = b.reshape(values, (found,))
    else:
        shape = x.shape or (1,)
        rest = [i for i in range(len(shape)) if i != dim]
        values = b.reshape(values, (found, *(shape[i] for i in rest)))
        values = b.permute(values, (*range(1, dim + 1), 0, *range(dim + 1, len(shape))))
    answers = [wrap(values, b, x.dtype)]
    if return_inverse:
        group = b.sub(b.cumsum(b.cast(new, DType.int64), 0), 1)
        inverse = b.scatter_add(b.full((count,), 0, DType.int64), 0, order, group)
        answers.append(wrap(b.reshape(inverse, x.shape) if dim is None else inverse, b, DType.int64))
    if return_counts:
        ends = b.cat(
            [
                b.slice(starts, ((1 if found > 1 else 0, max(found - 1, 0), 1),)),
                b.full((min(found, 1),), count, DType.int64),
            ],
            0,
        )
        answers.append(wrap(b.sub(ends, starts), b, DType.int64))
    return answers[0] if len(answers) == 1 else tuple(answers)
