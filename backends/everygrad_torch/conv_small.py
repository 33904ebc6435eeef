"""Small convolutions on torch: its own loop over a matrix product, where oneDNN takes longer to start than to run.

One kernel forwards and one backwards, of rank 2; rank 1 runs as an image of one row.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch

from everygrad_ops import ConvOptions
from everygrad_ops.norm import Three
from everygrad_torch.arrays import Array, kernel
from everygrad_torch.looks import shape_only

_forward: Callable[..., Array] = kernel(torch.ops.aten._slow_conv2d_forward.default)
_backward: Callable[..., Three[Array]] = kernel(torch.ops.aten._slow_conv2d_backward.output_mask)
SMALL = 2**19
"""Products of two numbers, up to which a convolution is small."""


class Plan(NamedTuple):
    """How the kernels are called."""

    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]


@functools.lru_cache(maxsize=1024)
def small_plan(options: ConvOptions, x_shape: tuple[int, ...], weight_shape: tuple[int, ...]) -> Plan | None:
    """The plan of a convolution that the kernels serve, None for any other; shapes that do not fit raise."""
    out = options.output_size("conv", x_shape, weight_shape)
    even = all(left == right for left, right in options.padding)
    if len(out) > 2 or options.groups > 1 or max(options.dilation) > 1 or not even:
        return None
    if (
        not 0 < x_shape[0] * math.prod(out) * math.prod(weight_shape) <= SMALL
        or math.prod(weight_shape[2:]) == 1
    ):
        return None
    row = (1,) * (2 - len(out))
    padding = tuple(left for left, _ in options.padding)
    return Plan((*row, *weight_shape[2:]), (*row, *options.stride), (*(0 for _ in row), *padding))


def may_be_small(like: Array, x_shape: Sequence[int], weight_shape: Sequence[int]) -> bool:
    """Whether it is worth asking for a plan: without one look at the options."""
    return (
        like.dtype is torch.float32  # oneDNN leaves float64 to these kernels anyway
        and 2 < len(x_shape) == len(weight_shape) < 5
        and math.prod(x_shape) * math.prod(weight_shape) <= _SHRINK * SMALL * x_shape[1]
        and like.is_cpu
    )


_SHRINK = 16
"""So much larger than its result may x be."""


def small_conv(x: Array, weight: Array, bias: Array | None, plan: Plan) -> Array:
    """The convolution."""
    x, weight = x.contiguous(), weight.contiguous()  # strides are taken for granted
    bias = None if bias is None else bias.contiguous()
    if x.dim() == 4:
        return _forward(x, weight, plan.kernel_size, bias, plan.stride, plan.padding)
    x, weight = x.unsqueeze(2), weight.unsqueeze(2)
    return _forward(x, weight, plan.kernel_size, bias, plan.stride, plan.padding).squeeze(2)


def small_gradients(
    grad: Array,
    x: Array | None,
    weight: Array | None,
    x_shape: tuple[int, ...],
    weight_shape: tuple[int, ...],
    plan: Plan,
    needs: tuple[bool, bool, bool],
) -> Three[Array]:
    """The gradients wanted; of an operand that none is computed from, the kernel reads the shape.

    Strides it takes for granted.
    """
    grad = grad.contiguous()
    x = shape_only(x_shape, grad.dtype, grad.device) if x is None else x.contiguous()
    weight = shape_only(weight_shape, grad.dtype, grad.device) if weight is None else weight.contiguous()
    if grad.dim() == 4:
        gx, gw, gb = _backward(grad, x, weight, *plan, needs)
    else:
        gx, gw, gb = _backward(grad.unsqueeze(2), x.unsqueeze(2), weight.unsqueeze(2), *plan, needs)
        gx, gw = None if gx is None else gx.squeeze(2), None if gw is None else gw.squeeze(2)
    return gx if needs[0] else None, gw if needs[1] else None, gb if needs[2] else None
