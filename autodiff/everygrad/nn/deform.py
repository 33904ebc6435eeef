"""Deformable convolution as a layer."""

from __future__ import annotations

from typing_extensions import override

from everygrad.functional.deform import deform_conv2d
from everygrad.nn.build import Place, weight_and_bias
from everygrad.nn.module import Module
from everygrad.tensor import Tensor
from everygrad_ops import DType, ShapeError
from everygrad_ops.geometry import Ints, ints

__all__ = ["DeformConv2d"]


class DeformConv2d(Module):
    """Convolution over (N, C, H, W) whose taps read at `offset` from their places; torchvision's arguments.

    >>> import everygrad as eg
    >>> layer = eg.nn.DeformConv2d(3, 4, 3, padding=1)
    >>> layer(eg.zeros(2, 3, 5, 6), eg.zeros(2, 18, 5, 6), eg.ones(2, 9, 5, 6)).shape
    (2, 4, 5, 6)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Ints = 0,
        dilation: Ints = 1,
        groups: int = 1,
        bias: bool = True,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ShapeError(
                "deform_conv2d: in_channels and out_channels must both divide by groups. "
                f"Received: in_channels={in_channels}, out_channels={out_channels}, groups={groups}"
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = ints(kernel_size, 2, "kernel_size", 1)
        self.stride = ints(stride, 2, "stride", 1)
        self.padding = ints(padding, 2, "padding", 0)
        self.dilation = ints(dilation, 2, "dilation", 1)
        self.groups = groups
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight, self.bias = weight_and_bias(shape, bias, dtype, backend)

    def forward(self, input: Tensor, offset: Tensor, mask: Tensor | None = None) -> Tensor:
        """(N, in_channels, H, W) and (N, 2 * G * taps, oh, ow) to (N, out_channels, oh, ow)."""
        rest = self.stride, self.padding, self.dilation, mask
        return deform_conv2d(input, offset, self.weight, self.bias, *rest)

    @override
    def extra_repr(self) -> str:
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"]
        parts.append(f"stride={self.stride}")
        if any(self.padding):
            parts.append(f"padding={self.padding}")
        if any(d != 1 for d in self.dilation):
            parts.append(f"dilation={self.dilation}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        return ", ".join(parts)
