"""How layers make their parameters."""

from __future__ import annotations

import math
from typing import Any

from everygrad.functional.creation import zeros
from everygrad.nn.init import kaiming_uniform_, ones_, uniform_, zeros_
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
    offset = parameter(shape[:1] if outs is None else (outs,), dtype, backend) if bias else None
    draw_weight_and_bias(weight, offset)
    return weight, offset


def draw_weight_and_bias(weight: Parameter, bias: Parameter | None) -> None:
    """New values for what `weight_and_bias` made."""
    fan_in = math.prod(weight.shape[1:])
    if fan_in:
        kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
        uniform_(bias, -bound, bound)


def reset_scale_and_shift(weight: Parameter | None, bias: Parameter | None = None) -> None:
    """Ones and zeros, as a norm starts."""
    if weight is not None:
        ones_(weight)
    if bias is not None:
        zeros_(bias)
