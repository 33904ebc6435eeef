"""How layers make their parameters."""

from __future__ import annotations

import math
from typing import Any

from everygrad.functional.creation import zeros
from everygrad.nn.init import kaiming_uniform_, uniform_
from everygrad.nn.parameter import Buffer, Parameter
from everygrad_ops import Backend, DType

Place = str | Backend[Any] | None


def parameter(shape: tuple[int, ...], dtype: DType | None, backend: Place) -> Parameter:
    """A parameter of zeros."""
    return Parameter(zeros(shape, dtype=dtype, backend=backend))


def buffer(shape: tuple[int, ...], dtype: DType | None, backend: Place) -> Buffer:
    """A buffer of zeros."""
    return Buffer(zeros(shape, dtype=dtype, backend=backend))


def weight_and_bias(
    shape: tuple[int, ...], bias: bool, dtype: DType | None, backend: Place, outs: int | None = None
) -> tuple[Parameter, Parameter | None]:
    """A weight (out, in, ...) and a bias (out,), both evenly within 1 / sqrt(fan_in): torch's choice.

    `outs` is the length of the bias where it is not the weight's first size.
    """
    weight = parameter(shape, dtype, backend)
    fan_in = math.prod(shape[1:])
    if fan_in:
        kaiming_uniform_(weight, a=math.sqrt(5))
    if not bias:
        return weight, None
    offset = parameter(shape[:1] if outs is None else (outs,), dtype, backend)
    bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
    return weight, uniform_(offset, -bound, bound)
