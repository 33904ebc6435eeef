"""Running sums and products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import cast_to
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["cumprod", "cumsum"]


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


def _scan(op: str, x: Tensor, dim: int, dtype: DType | None) -> Tensor:
    x = x if dtype is None else cast_to(x, dtype)
    b, d = x.backend, one_dim(op, dim, x.ndim)
    array = x.array if x.ndim else b.reshape(x.array, (1,))
    result = (b.cumsum if op == "cumsum" else b.cumprod)(array, d)
    return wrap(result if x.ndim else b.reshape(result, ()), b)
