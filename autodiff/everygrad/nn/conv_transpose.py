"""Transposed convolutions in one to three dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from typing_extensions import override

from everygrad.functional.conv_transpose import conv_transpose1d, conv_transpose2d, conv_transpose3d
from everygrad.nn.build import Place, draw_weight_and_bias, weight_and_bias
from everygrad.nn.module import Module
from everygrad.tensor import Tensor
from everygrad_ops import DType, ShapeError
from everygrad_ops.geometry import Ints, ints

__all__ = ["ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]


class _ConvTranspose(Module):
    """What the ranks share: x (N, C, spatial...), weight (in, out / groups, kernel...), bias (out,)."""

    rank: ClassVar[int]
    function: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Ints = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Ints = 1,
        padding_mode: str = "zeros",
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ShapeError(
                "conv_transpose: in_channels and out_channels must both divide by groups. "
                f"Received: in_channels={in_channels}, out_channels={out_channels}, groups={groups}"
            )
        if padding_mode != "zeros":
            raise ValueError(
                f"padding_mode: transposed convolutions know zeros alone. Received: {padding_mode!r}; "
                'write padding_mode="zeros"'
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = ints(kernel_size, self.rank, "kernel_size", 1)
        self.stride = ints(stride, self.rank, "stride", 1)
        self.padding = ints(padding, self.rank, "padding", 0)
        self.output_padding = ints(output_padding, self.rank, "output_padding", 0)
        self.dilation = ints(dilation, self.rank, "dilation", 1)
        self.groups = groups
        shape = (in_channels, out_channels // groups, *self.kernel_size)
        self.weight, self.bias = weight_and_bias(shape, bias, dtype, backend, out_channels)

    def reset_parameters(self) -> None:
        """Draw new values, as for a new layer."""
        draw_weight_and_bias(self.weight, self.bias)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """(N, in_channels, spatial...) to (N, out_channels, spatial...), of spatial `output_size` if given."""
        more = self.output_padding if output_size is None else self._extra(input, output_size)
        function = type(self).function
        rest = self.stride, self.padding, more, self.groups, self.dilation
        return function(input, self.weight, self.bias, *rest)

    def _extra(self, input: Tensor, output_size: Sequence[int]) -> tuple[int, ...]:
        """The output padding that gives `output_size`: spatial, or the whole shape."""
        lead = len(input.shape) - self.rank
        asked = tuple(output_size)[lead if len(output_size) == len(input.shape) else 0 :]
        least = tuple(
            (length - 1) * s - 2 * p + d * (k - 1) + 1
            for length, s, p, d, k in zip(
                input.shape[lead:], self.stride, self.padding, self.dilation, self.kernel_size
            )
        )
        most = tuple(v + max(s, d) - 1 for v, s, d in zip(least, self.stride, self.dilation))
        if len(asked) != self.rank or any(not low <= v <= high for v, low, high in zip(asked, least, most)):
            raise ShapeError(
                f"conv_transpose: output_size must be from {least} to {most} for an input of shape {input.shape}. "
                f"Received: output_size={tuple(output_size)}"
            )
        return tuple(v - low for v, low in zip(asked, least))

    @override
    def extra_repr(self) -> str:
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"]
        parts.append(f"stride={self.stride}")
        if any(self.padding):
            parts.append(f"padding={self.padding}")
        if any(d != 1 for d in self.dilation):
            parts.append(f"dilation={self.dilation}")
        if any(self.output_padding):
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        return ", ".join(parts)


class ConvTranspose1d(_ConvTranspose):
    """Transposed convolution over sequences (N, C, L).

    >>> import everygrad as eg
    >>> layer = eg.nn.ConvTranspose1d(3, 4, 3, stride=2, padding=1)
    >>> layer(eg.zeros(2, 3, 5)).shape, layer(eg.zeros(2, 3, 5), output_size=(10,)).shape
    ((2, 4, 9), (2, 4, 10))
    """

    rank = 1
    function = conv_transpose1d


class ConvTranspose2d(_ConvTranspose):
    """Transposed convolution over images (N, C, H, W).

    >>> import everygrad as eg
    >>> eg.nn.ConvTranspose2d(8, 3, 4, stride=2, padding=1)(eg.zeros(2, 8, 5, 6)).shape
    (2, 3, 10, 12)
    """

    rank = 2
    function = conv_transpose2d


class ConvTranspose3d(_ConvTranspose):
    """Transposed convolution over volumes (N, C, D, H, W).

    >>> import everygrad as eg
    >>> eg.nn.ConvTranspose3d(2, 1, (1, 2, 3), stride=2)(eg.zeros(1, 2, 2, 2, 2)).shape
    (1, 1, 3, 4, 5)
    """

    rank = 3
    function = conv_transpose3d
