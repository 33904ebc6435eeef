"""Deformable convolution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.arguments import ready
from everygrad.tensor.wrap import wrap
from everygrad_ops import ShapeError
from everygrad_ops.deform_options import deform_options
from everygrad_ops.geometry import Ints, Padding

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["deform_conv2d"]


def deform_conv2d(
    input: Tensor,
    offset: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = (1, 1),
    padding: Padding = (0, 0),
    dilation: Ints = (1, 1),
    mask: Tensor | None = None,
) -> Tensor:
    """2-D convolution of input (N, C, H, W) whose taps read beside their regular places, between the elements.

    weight is (O, C / groups, kh, kw) and bias (O,). offset (N, 2 * G * kh * kw, oh, ow) holds (down, right) of each
    tap, for each of G groups of channels; mask (N, G * kh * kw, oh, ow) scales each tap. Outside of the image are
    zeros. The arguments are those of torchvision.ops.deform_conv2d. Raises `ShapeError` for sizes that do not fit.
    Source: Zhu et al., "Deformable ConvNets v2", arXiv:1811.11168.

    >>> import everygrad as eg
    >>> x = eg.arange(9.0).reshape(1, 1, 3, 3)
    >>> eg.functional.deform_conv2d(x, eg.full((1, 2, 2, 2), 0.5), eg.ones(1, 1, 1, 1), padding=0, stride=2).tolist()
    [[[[2.0, 1.75], [3.25, 2.0]]]]
    """
    op = "deform_conv2d"
    b, dtype, arrays = ready(op, input, offset, weight, bias, mask)
    kernel, channels = weight.shape, len(input.shape) == 4 and input.shape[1]
    if len(kernel) != 4 or len(input.shape) != 4 or len(offset.shape) != 4 or not kernel[1]:
        raise ShapeError(
            f"{op}: input, offset and weight must have 4 dims. Received: input of shape {input.shape}, "
            f"offset of shape {offset.shape}, weight of shape {kernel}"
        )
    taps = max(kernel[2] * kernel[3], 1)
    groups, shared = max(channels // kernel[1], 1), max(offset.shape[1] // (2 * taps), 1)
    options = deform_options(stride, padding, dilation, groups, shared)
    x, moved, kernels, added, scale = arrays
    return wrap(b.deform_conv2d(x, moved, kernels, scale, added, options), b, dtype)
