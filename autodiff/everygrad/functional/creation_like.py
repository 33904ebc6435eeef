"""New tensors next to a given one: on its backend, in its dtype unless another is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everygrad.functional.creation import Like, full_like, shape_of, tensor, zeros
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType, as_dtype

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["empty", "empty_like"]


def empty(size: Any = (), *more: int, dtype: DType | None = None, backend: Like = None) -> Tensor:
    """A tensor whose values do not matter: zeros, so that a program that reads them is repeatable.

    >>> import everygrad as eg
    >>> eg.empty(2, 3).shape
    (2, 3)
    """
    return zeros(size, *more, dtype=dtype, backend=backend)


def empty_like(input: Tensor, *, dtype: DType | None = None) -> Tensor:
    """The same, in the shape, dtype and backend of a tensor.

    >>> import everygrad as eg
    >>> eg.empty_like(eg.ones(2, 3)).shape
    (2, 3)
    """
    return full_like(input, 0, dtype=dtype)


def new_full(self: Tensor, size: Sequence[int], fill_value: float, *, dtype: DType | None = None) -> Tensor:
    """One value, in the dtype and backend of this tensor.

    >>> import everygrad as eg
    >>> eg.ones(3).new_full((2,), 7).tolist()
    [7.0, 7.0]
    """
    return _filled("new_full", self, (size,), fill_value, dtype)


def new_zeros(self: Tensor, size: Any = (), *more: int, dtype: DType | None = None) -> Tensor:
    """Zeros, in the dtype and backend of this tensor.

    >>> import everygrad as eg
    >>> eg.ones(3).new_zeros(2).tolist()
    [0.0, 0.0]
    """
    return _filled("new_zeros", self, (size, *more), 0, dtype)


def new_ones(self: Tensor, size: Any = (), *more: int, dtype: DType | None = None) -> Tensor:
    """Ones, in the dtype and backend of this tensor.

    >>> import everygrad as eg
    >>> eg.zeros(3, dtype=eg.int32).new_ones(2).tolist()
    [1, 1]
    """
    return _filled("new_ones", self, (size, *more), 1, dtype)


def new_empty(self: Tensor, size: Any = (), *more: int, dtype: DType | None = None) -> Tensor:
    """A tensor whose values do not matter (zeros), in the dtype and backend of this tensor.

    >>> import everygrad as eg
    >>> eg.zeros(3).new_empty(2, 2).shape
    (2, 2)
    """
    return _filled("new_empty", self, (size, *more), 0, dtype)


def new_tensor(self: Tensor, data: Any, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of the data, in the dtype and backend of this tensor.

    >>> import everygrad as eg
    >>> eg.zeros(1, dtype=eg.float64).new_tensor([1, 2]).dtype
    everygrad.float64
    """
    return tensor(data, dtype or self.dtype, requires_grad=requires_grad, backend=self.backend)


def _filled(op: str, like: Tensor, size: Sequence[Any], value: float, dtype: DType | None) -> Tensor:
    b, chosen = like.backend, like.dtype if dtype is None else as_dtype(dtype)
    return wrap(b.full(shape_of(op, size), value, chosen), b, chosen)
