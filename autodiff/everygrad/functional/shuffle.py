"""Channels turned into pixels and back, and shuffled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.shape import permute, reshape
from everygrad.tensor.wrap import need_tensor
from everygrad_ops import ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["channel_shuffle", "pixel_shuffle", "pixel_unshuffle"]


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Channels spread out over pixels: (..., C r r, H, W) to (..., C, H r, W r).

    >>> import everygrad as eg
    >>> eg.functional.pixel_shuffle(eg.arange(4).reshape(4, 1, 1), 2).tolist()
    [[[0, 1], [2, 3]]]
    """
    shape, r = _image("pixel_shuffle", input), upscale_factor
    if r < 1 or shape[-3] % (r * r):
        raise ShapeError(
            f"pixel_shuffle: the channels must divide by upscale_factor ** 2. Received: shape {shape}, {r}"
        )
    front, (c, h, w) = shape[:-3], shape[-3:]
    apart = reshape(input, (*front, c // (r * r), r, r, h, w))
    n = len(front)
    turned = permute(apart, (*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return reshape(turned, (*front, c // (r * r), h * r, w * r))


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Pixels gathered into channels: (..., C, H r, W r) to (..., C r r, H, W); undoes `pixel_shuffle`.

    >>> import everygrad as eg
    >>> eg.functional.pixel_unshuffle(eg.arange(4).reshape(1, 2, 2), 2).shape
    (4, 1, 1)
    """
    shape, r = _image("pixel_unshuffle", input), downscale_factor
    if r < 1 or shape[-2] % r or shape[-1] % r:
        raise ShapeError(
            f"pixel_unshuffle: height and width must divide by downscale_factor. Received: shape {shape}, {r}"
        )
    front, (c, h, w) = shape[:-3], shape[-3:]
    apart = reshape(input, (*front, c, h // r, r, w // r, r))
    n = len(front)
    turned = permute(apart, (*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return reshape(turned, (*front, c * r * r, h // r, w // r))


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels of (N, C, ...) taken in turn from each of `groups` equal parts.

    >>> import everygrad as eg
    >>> eg.functional.channel_shuffle(eg.arange(4).reshape(1, 4, 1), 2).reshape(-1).tolist()
    [0, 2, 1, 3]
    """
    need_tensor("channel_shuffle", "input", input)
    shape = input.shape
    if len(shape) < 3 or groups < 1 or shape[1] % groups:
        raise ShapeError(
            "channel_shuffle: input must be (N, C, ...), with channels that divide by groups. "
            f"Received: shape {shape}, groups={groups}"
        )
    apart = reshape(input, (shape[0], groups, shape[1] // groups, *shape[2:]))
    return reshape(permute(apart, (0, 2, 1, *range(3, len(shape) + 1))), shape)


def _image(op: str, x: Tensor) -> tuple[int, ...]:
    need_tensor(op, "input", x)
    if x.ndim < 3:
        raise ShapeError(f"{op}: input must be (..., C, H, W). Received: shape {x.shape}")
    return x.shape
