"""Diagonals read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.shape import permute, reshape
from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import cast_to, on_one_backend
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DTypeError, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["diag", "diag_embed", "diagflat", "diagonal", "diagonal_scatter", "trace"]


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The elements where the place in dim2 is that in dim1 plus the offset, as one dim at the end.

    >>> import everygrad as eg
    >>> eg.diagonal(eg.arange(6).reshape(2, 3), 1).tolist()
    [1, 5]
    """
    x = permute(input, _behind("diagonal", input, dim1, dim2))
    return wrap(x.backend.diagonal(x.array, offset), x.backend, x.known_dtype)


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The input with src in the place of `diagonal(input, ...)`.

    >>> import everygrad as eg
    >>> eg.diagonal_scatter(eg.zeros(2, 2), eg.tensor([1.0, 2.0])).tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    order = _behind("diagonal_scatter", input, dim1, dim2)
    x, s = on_one_backend("diagonal_scatter", permute(input, order), src)
    if s.dtype.category > x.dtype.category:
        raise DTypeError(f"diagonal_scatter: {s.dtype} does not go into {x.dtype}. Write src.to({x.dtype})")
    out = x.backend.diagonal_scatter(x.array, cast_to(s, x.dtype).array, offset)
    return permute(wrap(out, x.backend, x.known_dtype), _inverse(order))


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dim as the diagonal of two new dims, 0 elsewhere.

    >>> import everygrad as eg
    >>> eg.diag_embed(eg.tensor([[1, 2]]), 1).tolist()
    [[[0, 1, 0], [0, 0, 2], [0, 0, 0]]]
    """
    need_tensor("diag_embed", "input", input)
    if not input.ndim:
        raise ShapeError("diag_embed: needs a tensor with dims. Received: shape ()")
    rank, b = input.ndim + 1, input.backend
    size = input.shape[-1] + abs(offset)
    zeros = b.full((*input.shape[:-1], size, size), 0, input.dtype)
    made = wrap(b.diagonal_scatter(zeros, input.array, offset), b, input.known_dtype)
    return permute(made, _inverse(_order("diag_embed", rank, dim1, dim2)))


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A vector as the diagonal of a matrix; of a matrix, its diagonal.

    >>> import everygrad as eg
    >>> eg.diag(eg.tensor([1, 2])).tolist(), eg.diag(eg.tensor([[1, 2], [3, 4]])).tolist()
    ([[1, 0], [0, 2]], [1, 4])
    """
    need_tensor("diag", "input", input)
    if input.ndim not in (1, 2):
        raise ShapeError(f"diag: takes a vector or a matrix. Received: shape {input.shape}")
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    return wrap(input.backend.diagonal(input.array, diagonal), input.backend, input.known_dtype)


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """All elements as the diagonal of a matrix.

    >>> import everygrad as eg
    >>> eg.diagflat(eg.tensor([[1], [2]])).tolist()
    [[1, 0], [0, 2]]
    """
    need_tensor("diagflat", "input", input)
    return diag_embed(reshape(input, (input.numel(),)), offset)


def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix; of integers in int64.

    >>> import everygrad as eg
    >>> eg.trace(eg.tensor([[1.0, 2.0], [3.0, 4.0]])).item()
    5.0
    """
    need_tensor("trace", "input", input)
    if input.ndim != 2:
        raise ShapeError(f"trace: takes a matrix. Received: shape {input.shape}")
    b = input.backend
    return wrap(b.sum(b.diagonal(input.array), (0,)), b)


def _order(op: str, rank: int, dim1: int, dim2: int) -> tuple[int, ...]:
    """The dims, with dim1 and dim2 moved to the end."""
    first, second = one_dim(op, dim1, rank), one_dim(op, dim2, rank)
    if first == second:
        raise ShapeError(f"{op}: dim1 and dim2 must differ. Received: {dim1} and {dim2}")
    return (*(d for d in range(rank) if d not in (first, second)), first, second)


def _behind(op: str, x: Tensor, dim1: int, dim2: int) -> tuple[int, ...]:
    need_tensor(op, "input", x)
    if x.ndim < 2:
        raise ShapeError(f"{op}: needs at least 2 dims. Received: shape {x.shape}")
    return _order(op, x.ndim, dim1, dim2)


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(range(len(order)), key=order.__getitem__))
