"""Special functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.tensor.operands import floating
from everygrad.tensor.wrap import wrap

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["erf"]


def erf(input: Tensor) -> Tensor:
    """Error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to input.

    >>> import everygrad as eg
    >>> eg.functional.erf(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.erf(x.array), x.backend, x.known_dtype)
