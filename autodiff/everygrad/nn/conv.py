"""Convolution in one to three dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from typing_extensions import override

from everygrad.functional.arrange import pad
from everygrad.functional.conv import conv1d, conv2d, conv3d, named_padding
from everygrad.nn.build import Place, draw_weight_and_bias, weight_and_bias
from everygrad.nn.module import Module
from everygrad.tensor import Tensor
from everygrad_ops import DType, ShapeError
from everygrad_ops.geometry import Ints, Padding, ints, pairs

__all__ = ["Conv1d", "Conv2d", "Conv3d"]

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _Conv(Module):
    """What the ranks share: x (N, C, spatial...), weight (out, in / groups, kernel...), bias (out,)."""

    rank: ClassVar[int]
    function: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Padding | str = 0,
        dilation: Ints = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ShapeError(
                "conv: in_channels and out_channels must both divide by groups. "
                f"Received: in_channels={in_channels}, out_channels={out_channels}, groups={groups}"
            )
        if padding_mode not in PADDING_MODES:
            raise ValueError(
                f"padding_mode must be one of {', '.join(PADDING_MODES)}. Received: {padding_mode!r}"
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = ints(kernel_size, self.rank, "kernel_size", 1)
        self.stride = ints(stride, self.rank, "stride", 1)
        self.padding: Any = (padding,) * self.rank if isinstance(padding, int) else padding
        self.dilation = ints(dilation, self.rank, "dilation", 1)
        self.groups = groups
        self.padding_mode = padding_mode
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight, self.bias = weight_and_bias(shape, bias, dtype, backend)

    def reset_parameters(self) -> None:
        """Draw new values, as for a new layer."""
        draw_weight_and_bias(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """(N, in_channels, spatial...) to (N, out_channels, spatial...)."""
        function, padding = type(self).function, self.padding
        if self.padding_mode != "zeros":
            sides = self._sides()
            if any(sides):
                input = pad(input, sides, mode=self.padding_mode)
            padding = 0
        return function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def _sides(self) -> list[int]:
        """The padding as `functional.pad` takes it: the last axis first."""
        given: Padding = self.padding
        if isinstance(given, str):
            op = f"conv{self.rank}d"
            given = named_padding(op, given, self.kernel_size, self.stride, self.dilation)
        return [side for pair in reversed(pairs(given, self.rank)) for side in pair]

    @override
    def extra_repr(self) -> str:
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"]
        parts.append(f"stride={self.stride}")
        if self.padding != (0,) * self.rank:
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * self.rank:
            parts.append(f"dilation={self.dilation}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class Conv1d(_Conv):
    """Convolution over sequences (N, C, L).

    `padding` is a number, one per spatial axis, pairs (left, right), "same" or "valid".

    >>> import everygrad as eg
    >>> eg.nn.Conv1d(3, 4, 5, padding="same")(eg.zeros(2, 3, 10)).shape
    (2, 4, 10)
    """

    rank = 1
    function = conv1d


class Conv2d(_Conv):
    """Convolution over images (N, C, H, W); see `Conv1d` for `padding`.

    >>> import everygrad as eg
    >>> layer = eg.nn.Conv2d(1, 6, kernel_size=5)
    >>> layer(eg.zeros(2, 1, 28, 28)).shape
    (2, 6, 24, 24)
    """

    rank = 2
    function = conv2d


class Conv3d(_Conv):
    """Convolution over volumes (N, C, D, H, W); see `Conv1d` for `padding`.

    >>> import everygrad as eg
    >>> eg.nn.Conv3d(1, 2, (1, 2, 3), stride=2)(eg.zeros(1, 1, 4, 4, 5)).shape
    (1, 2, 2, 2, 2)
    """

    rank = 3
    function = conv3d
