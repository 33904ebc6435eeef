"""Order: extrema with their places, sorting."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from everygrad.functional.elementwise import maximum, minimum
from everygrad.functional.reduction import amax, amin
from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import rank_of
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DType

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["argmax", "argmin", "argsort", "max", "min", "sort", "topk"]


class ValuesIndices(NamedTuple):
    """Values and where they were found."""

    values: Tensor
    indices: Tensor


def max(
    input: Tensor,
    dim: int | Tensor | None = None,
    keepdim: bool = False,
    *,
    other: Tensor | None = None,
) -> Tensor | ValuesIndices:
    """Largest value of all; with a dim, (values, indices); with a tensor, the larger of the two.

    With indices, ties take the lowest index, which gets the gradient.

    >>> import everygrad as eg
    >>> eg.max(eg.tensor([[1.0, 5.0], [4.0, 3.0]]), dim=1).indices.tolist()
    [1, 0]
    """
    return _extreme("max", input, dim if other is None else other, keepdim)


def min(
    input: Tensor,
    dim: int | Tensor | None = None,
    keepdim: bool = False,
    *,
    other: Tensor | None = None,
) -> Tensor | ValuesIndices:
    """Smallest value of all; with a dim, (values, indices); with a tensor, the smaller of the two.

    >>> import everygrad as eg
    >>> eg.min(eg.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1).values.tolist()
    [1.0, 3.0]
    """
    return _extreme("min", input, dim if other is None else other, keepdim)


def _extreme(op: str, x: Tensor, dim: int | Tensor | None, keepdim: bool) -> Tensor | ValuesIndices:
    if dim is None:
        return (amax if op == "max" else amin)(x)
    if not isinstance(dim, int):
        return (maximum if op == "max" else minimum)(x, dim)
    d, b = one_dim(op, dim, rank_of(op, x)), x.backend
    if x.ndim == 0:
        return ValuesIndices(x, wrap(b.full((), 0, DType.int64), b, DType.int64))
    index = (b.argmax if op == "max" else b.argmin)(b.detach(x.array), d, True)
    values = b.gather(x.array, d, index)
    if not keepdim:
        shape = x.shape[:d] + x.shape[d + 1 :]
        values, index = b.reshape(values, shape), b.reshape(index, shape)
    return ValuesIndices(wrap(values, b, x.dtype), wrap(index, b, DType.int64))


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Index of the largest value, the lowest of equals; without a dim, in the flattened tensor.

    >>> import everygrad as eg
    >>> eg.argmax(eg.tensor([1.0, 5.0, 5.0])).item()
    1
    """
    return _arg("argmax", input, dim, keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Index of the smallest value, the lowest of equals; without a dim, in the flattened tensor.

    >>> import everygrad as eg
    >>> eg.argmin(eg.tensor([4.0, 1.0, 5.0])).item()
    1
    """
    return _arg("argmin", input, dim, keepdim)


def _arg(op: str, x: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    rank, b = rank_of(op, x), x.backend
    array = b.detach(x.array)
    if dim is None or rank == 0:
        flat = b.reshape(array, (x.numel(),))
        index = (b.argmax if op == "argmax" else b.argmin)(flat, 0, False)
        return wrap(b.reshape(index, (1,) * rank) if keepdim else index, b, DType.int64)
    d = one_dim(op, dim, rank)
    return wrap((b.argmax if op == "argmax" else b.argmin)(array, d, keepdim), b, DType.int64)


def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = True) -> ValuesIndices:
    """(values, indices) in order; NaN is the largest. Always stable: `stable=False` asks for nothing more.

    >>> import everygrad as eg
    >>> eg.sort(eg.tensor([3.0, 1.0, 2.0])).indices.tolist()
    [1, 2, 0]
    """
    d = one_dim("sort", dim, rank_of("sort", input))
    b = input.backend
    if input.ndim == 0:
        return ValuesIndices(input, wrap(b.full((), 0, DType.int64), b, DType.int64))
    values, indices = b.sort(input.array, d, descending)
    return ValuesIndices(wrap(values, b, input.dtype), wrap(indices, b, DType.int64))


def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = True) -> Tensor:
    """The indices that sort, always stable.

    >>> import everygrad as eg
    >>> eg.argsort(eg.tensor([3.0, 1.0, 2.0]), descending=True).tolist()
    [0, 2, 1]
    """
    need_tensor("argsort", "input", input)
    return sort(input.detach(), dim, descending).indices


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> ValuesIndices:
    """(values, indices) of the k largest (or smallest) along a dim, in order; of equals the lowest indices.

    >>> import everygrad as eg
    >>> eg.topk(eg.tensor([3.0, 1.0, 3.0]), 2).indices.tolist()
    [0, 2]
    """
    d = one_dim("topk", dim, rank_of("topk", input))
    b = input.backend
    array = input.array if input.ndim else b.reshape(input.array, (1,))
    values, indices = b.topk(array, k, d, largest)
    if not input.ndim and k:
        values, indices = b.reshape(values, ()), b.reshape(indices, ())
    return ValuesIndices(wrap(values, b, input.dtype), wrap(indices, b, DType.int64))
