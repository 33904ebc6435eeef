"""Python's square brackets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


def getitem(input: Tensor, key: Any) -> Tensor:
    """input[key]."""
    raise NotImplementedError


def setitem(input: Tensor, key: Any, value: Any) -> NoReturn:
    """A tensor is a value: nothing is written into it."""
    raise TypeError(
        "tensors are values: x[i] = v is not possible. Write x = x.index_put(...) or x.slice_assign(...)"
    )
