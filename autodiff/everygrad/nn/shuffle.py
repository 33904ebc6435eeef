"""Layers that turn channels into pixels, and windows into columns."""

from __future__ import annotations

from typing_extensions import override

from everygrad.functional.shuffle import channel_shuffle, pixel_shuffle, pixel_unshuffle
from everygrad.functional.window import fold, unfold
from everygrad.nn.module import Module
from everygrad.tensor import Tensor
from everygrad_ops.geometry import Ints

__all__ = ["ChannelShuffle", "Fold", "PixelShuffle", "PixelUnshuffle", "Unfold"]


class PixelShuffle(Module):
    """Channels spread out over pixels: (..., C r r, H, W) to (..., C, H r, W r).

    >>> import everygrad as eg
    >>> eg.nn.PixelShuffle(2)(eg.zeros(1, 8, 3, 4)).shape
    (1, 2, 6, 8)
    """

    def __init__(self, upscale_factor: int) -> None:
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The input with fewer channels and more pixels."""
        return pixel_shuffle(input, self.upscale_factor)

    @override
    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixels gathered into channels: (..., C, H r, W r) to (..., C r r, H, W).

    >>> import everygrad as eg
    >>> eg.nn.PixelUnshuffle(2)(eg.zeros(1, 2, 6, 8)).shape
    (1, 8, 3, 4)
    """

    def __init__(self, downscale_factor: int) -> None:
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The input with more channels and fewer pixels."""
        return pixel_unshuffle(input, self.downscale_factor)

    @override
    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """The channels taken in turn from each of `groups` equal parts.

    >>> import everygrad as eg
    >>> eg.nn.ChannelShuffle(2)(eg.arange(4.0).reshape(1, 4, 1)).reshape(-1).tolist()
    [0.0, 2.0, 1.0, 3.0]
    """

    def __init__(self, groups: int) -> None:
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """The input with its channels in another order."""
        return channel_shuffle(input, self.groups)

    @override
    def extra_repr(self) -> str:
        return f"groups={self.groups}"


class Unfold(Module):
    """The windows of images as columns: (N, C, H, W) to (N, C * K, L).

    >>> import everygrad as eg
    >>> eg.nn.Unfold(2)(eg.zeros(1, 3, 4, 5)).shape
    (1, 12, 12)
    """

    def __init__(self, kernel_size: Ints, dilation: Ints = 1, padding: Ints = 0, stride: Ints = 1) -> None:
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """One column per window."""
        return unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    @override
    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )


class Fold(Module):
    """Columns (N, C * K, L) added up into images (N, C, *output_size): the adjoint of `Unfold`.

    >>> import everygrad as eg
    >>> eg.nn.Fold((4, 5), 2)(eg.zeros(1, 12, 12)).shape
    (1, 3, 4, 5)
    """

    def __init__(
        self, output_size: Ints, kernel_size: Ints, dilation: Ints = 1, padding: Ints = 0, stride: Ints = 1
    ) -> None:
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """The images."""
        return fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    @override
    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )
