"""Dropout, with seeds from the current generator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.arguments import ready
from everygrad.generator import current_generator
from everygrad.tensor.wrap import wrap

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["dropout"]


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element is 0 with probability `p`, else scaled by 1 / (1 - p); without `training`, the input.

    The seed is the next one of `everygrad.manual_seed`'s generator. `inplace` is torch's argument
    and changes nothing: tensors are values.

    >>> import everygrad as eg
    >>> _ = eg.manual_seed(0)
    >>> sorted(set(eg.functional.dropout(eg.ones(100)).tolist()))
    [0.0, 2.0]
    """
    if not 0 <= p <= 1:
        raise ValueError(f"dropout: p must be a probability, from 0 to 1. Received: p={p!r}")
    if not training or p == 0:
        return input
    b, dtype, (x,) = ready("dropout", input)
    return wrap(b.dropout(x, p, current_generator().next_seed()), b, dtype)
