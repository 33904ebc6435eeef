"""Running sums and products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.tensor.dims import one_dim
from everygrad.tensor.wrap import wrap

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


def cumsum(input: Tensor, dim: int) -> Tensor:
    """Sum of the elements up to and including each; integers give int64.

    >>> import everygrad as eg
    >>> eg.cumsum(eg.tensor([1.0, 2.0, 3.0]), 0).tolist()
    [1.0, 3.0, 6.0]
    """
    return _scan("cumsum", input, dim)


def cumprod(input: Tensor, dim: int) -> Tensor:
    """Product of the elements up to and including each; its gradient is right at zeros.

    >>> import everygrad as eg
    >>> eg.cumprod(eg.tensor([1.0, 2.0, 3.0]), 0).tolist()
    [1.0, 2.0, 6.0]
    """
    return _scan("cumprod", input, dim)


def _scan(op: str, x: Tensor, dim: int) -> Tensor:
    b, d = x.backend, one_dim(op, dim, x.ndim)
    array = x.array if x.ndim else b.reshape(x.array, (1,))
    result = (b.cumsum if op == "cumsum" else b.cumprod)(array, d)
    return wrap(result if x.ndim else b.reshape(result, ()), b)
