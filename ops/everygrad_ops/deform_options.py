"""Geometry of deformable convolution, parsed once."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from everygrad_ops.errors import ShapeError
from everygrad_ops.geometry import ConvOptions, Ints, Padding, Pairs, conv_options


@dataclass(frozen=True, slots=True)
class DeformOptions:
    """How a deformable convolution slides; `groups` split the weight, `offset_groups` share offsets and masks."""

    stride: tuple[int, ...]
    padding: Pairs
    dilation: tuple[int, ...]
    groups: int = 1
    offset_groups: int = 1

    def output_size(
        self,
        op: str,
        x_shape: Sequence[int],
        offset_shape: Sequence[int],
        weight_shape: Sequence[int],
        mask_shape: Sequence[int] | None,
    ) -> tuple[int, ...]:
        """The spatial sizes of the result; operands that do not fit raise `ShapeError`."""
        masked = None if mask_shape is None else tuple(mask_shape)
        return _size(self, op, tuple(x_shape), tuple(offset_shape), tuple(weight_shape), masked)


@functools.lru_cache(maxsize=256)
def _size(
    options: DeformOptions,
    op: str,
    x: tuple[int, ...],
    offset: tuple[int, ...],
    weight: tuple[int, ...],
    mask: tuple[int, ...] | None,
) -> tuple[int, ...]:
    plain = ConvOptions(options.stride, options.padding, options.dilation, options.groups)
    size = plain.output_size(op, x, weight)
    if x[1] % options.offset_groups:
        raise ShapeError(
            f"{op}: the channels of x must divide by offset_groups={options.offset_groups}. "
            f"Received: x of shape {x}"
        )
    taps = options.offset_groups * weight[2] * weight[3]
    for name, given, channels in (("offset", offset, 2 * taps), ("mask", mask, taps)):
        if given is not None and given != (x[0], channels, *size):
            raise ShapeError(
                f"{op}: {name} must have shape {(x[0], channels, *size)}, for offset_groups="
                f"{options.offset_groups} and a kernel of {weight[2:]}. Received: shape {given}"
            )
    return size


def deform_options(
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int = 1,
    offset_groups: int = 1,
    *,
    op: str = "deform_conv2d",
) -> DeformOptions:
    """A `DeformOptions` from what users write; a refusal names `op`."""
    plain = conv_options(stride, padding, dilation, groups, rank=2, op=op)
    if type(offset_groups) is not int or offset_groups < 1:
        raise ShapeError(
            f"{op}: offset_groups must be an integer, at least 1. Received: offset_groups={offset_groups!r}"
        )
    return DeformOptions(plain.stride, plain.padding, plain.dilation, plain.groups, offset_groups)
