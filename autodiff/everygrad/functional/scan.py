"""Running sums, products and extrema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.order import ValuesIndices
from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import cast_to, floating, rank_of
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["cummax", "cummin", "cumprod", "cumsum", "logcumsumexp"]


def cumsum(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """Sum of the elements up to and including each; integers give int64.

    >>> import everygrad as eg
    >>> eg.cumsum(eg.tensor([1.0, 2.0, 3.0]), 0).tolist()
    [1.0, 3.0, 6.0]
    """
    return _scan("cumsum", input, dim, dtype)


def cumprod(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """Product of the elements up to and including each; its gradient is right at zeros.

    >>> import everygrad as eg
    >>> eg.cumprod(eg.tensor([1.0, 2.0, 3.0]), 0).tolist()
    [1.0, 2.0, 6.0]
    """
    return _scan("cumprod", input, dim, dtype)


def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """log of the running sum of exp(input), without overflow; of -inf alone it is -inf with a zero gradient.

    >>> import everygrad as eg
    >>> [round(v, 3) for v in eg.logcumsumexp(eg.tensor([1000.0, 1000.0]), 0).tolist()]
    [1000.0, 1000.693]
    """
    x = floating(input)
    b, d = x.backend, one_dim("logcumsumexp", dim, x.ndim)
    return wrap(b.logcumsumexp(x.array, d) if x.ndim else x.array, b, x.dtype)


def cummax(input: Tensor, dim: int) -> ValuesIndices:
    """(largest element up to each, its index); NaN wins; the lowest of equals, which gets the gradient.

    >>> import everygrad as eg
    >>> [v.tolist() for v in eg.cummax(eg.tensor([1.0, 3.0, 2.0, 3.0]), 0)]
    [[1.0, 3.0, 3.0, 3.0], [0, 1, 1, 1]]
    """
    return _extreme("cummax", input, dim)


def cummin(input: Tensor, dim: int) -> ValuesIndices:
    """(smallest element up to each, its index); NaN wins; the lowest of equals, which gets the gradient.

    >>> import everygrad as eg
    >>> [v.tolist() for v in eg.cummin(eg.tensor([2.0, 1.0, 3.0, 1.0]), 0)]
    [[2.0, 1.0, 1.0, 1.0], [0, 1, 1, 1]]
    """
    return _extreme("cummin", input, dim)


def _extreme(op: str, x: Tensor, dim: int) -> ValuesIndices:
    d, b = one_dim(op, dim, rank_of(op, x)), x.backend
    if x.ndim == 0:
        return ValuesIndices(x, wrap(b.full((), 0, DType.int64), b, DType.int64))
    values, indices = (b.cummax if op == "cummax" else b.cummin)(x.array, d)
    return ValuesIndices(wrap(values, b, x.dtype), wrap(indices, b, DType.int64))


def _scan(op: str, x: Tensor, dim: int, dtype: DType | None) -> Tensor:
    d = one_dim(op, dim, rank_of(op, x))
    x = x if dtype is None else cast_to(x, dtype)
    b = x.backend
    array = x.array if x.ndim else b.reshape(x.array, (1,))
    result = (b.cumsum if op == "cumsum" else b.cumprod)(array, d)
    out = wrap(result if x.ndim else b.reshape(result, ()), b)
    return out if dtype is None else cast_to(out, dtype)
