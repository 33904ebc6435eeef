"""Making tensors, for the functions that the Tensor class takes as its methods.

They cannot import the class, which imports them; it registers itself here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from everygrad_ops import Backend, DType

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

Make = Callable[[Any, Backend[Any], DType | None], "Tensor"]

_make: Make


def register(make: Make) -> None:
    """Say how a tensor is made: called once, by the class."""
    global _make
    _make = make


def wrap(array: Any, backend: Backend[Any], dtype: DType | None = None) -> Tensor:
    """A tensor around an array of `backend`; `dtype` where it is already known."""
    return _make(array, backend, dtype)
