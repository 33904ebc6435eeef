"""Maxima and minima in which NaN gives way to a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.comparison import isnan, where
from everygrad.functional.elementwise import maximum, minimum
from everygrad.tensor.operands import together
from everygrad.tensor.wrap import need_tensor

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["fmax", "fmin"]


def fmax(input: Tensor, other: Tensor) -> Tensor:
    """The larger of two; where one is NaN the other one. A tie's gradient is shared half and half.

    >>> import everygrad as eg
    >>> eg.fmax(eg.tensor([1.0, float("nan")]), eg.tensor([2.0, 3.0])).tolist()
    [2.0, 3.0]
    """
    x, y = _both("fmax", input, other)
    return where(isnan(x), y, where(isnan(y), x, maximum(x, y)))


def fmin(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of two; where one is NaN the other one. A tie's gradient is shared half and half.

    >>> import everygrad as eg
    >>> eg.fmin(eg.tensor([1.0, float("nan")]), eg.tensor([2.0, 3.0])).tolist()
    [1.0, 3.0]
    """
    x, y = _both("fmin", input, other)
    return where(isnan(x), y, where(isnan(y), x, minimum(x, y)))


def _both(op: str, input: Tensor, other: Tensor) -> tuple[Tensor, ...]:
    need_tensor(op, "input", input)
    need_tensor(op, "other", other)
    return together(op, input, other)
