"""Geometry of transposed convolutions: the options, parsed once, and the convolution that they turn around.

Per spatial axis: size L, kernel k, stride s, padding (left, right), dilation d. The output has
(L - 1) * s - left - right + d * (k - 1) + output_padding + 1 places.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from everygrad_ops.errors import ShapeError
from everygrad_ops.geometry import ConvOptions, Ints, Padding, Pairs, hashable, ints, pairs


@dataclass(frozen=True, slots=True)
class ConvTransposeOptions:
    """How a transposed convolution slides; `output_padding` keeps that many more cells at the end of each axis."""

    stride: tuple[int, ...]
    padding: Pairs
    output_padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int = 1

    def output_size(self, op: str, x_shape: Sequence[int], weight_shape: Sequence[int]) -> tuple[int, ...]:
        """The spatial sizes of the result; operands that do not fit raise `ShapeError`."""
        return _size(self, op, tuple(x_shape), tuple(weight_shape))

    def output_shape(self, op: str, x_shape: Sequence[int], weight_shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of the result."""
        size = self.output_size(op, x_shape, weight_shape)
        return (x_shape[0], weight_shape[1] * self.groups, *size)

    def check_grad(
        self, op: str, grad_shape: Sequence[int], x_shape: Sequence[int], weight_shape: Sequence[int]
    ) -> None:
        """Refuse an upstream gradient that is not of the result's shape."""
        expected = self.output_shape(op, x_shape, weight_shape)
        if tuple(grad_shape) != expected:
            raise ShapeError(
                f"{op}: grad must have the result's shape {expected}. Received: shape {tuple(grad_shape)}"
            )

    def reversed(self) -> tuple[ConvOptions, tuple[int, ...]]:
        """The convolution whose gradient in x this is, and how many cells at each end nothing reaches.

        An output padding below the stride is what that convolution's stride drops. A longer one first takes
        back what the padding cut off at the right; beyond that there are only zeros.
        """
        return _reversed(self)


@functools.lru_cache(maxsize=1024)
def _reversed(options: ConvTransposeOptions) -> tuple[ConvOptions, tuple[int, ...]]:
    sides: list[tuple[int, int]] = []
    over: list[int] = []
    for (left, right), more, s in zip(options.padding, options.output_padding, options.stride):
        sides.append((left, right) if more < s else (left, max(right - more, 0)))
        over.append(0 if more < s else max(more - right, 0))
    return ConvOptions(options.stride, tuple(sides), options.dilation, options.groups), tuple(over)


@functools.lru_cache(maxsize=1024)
def _size(
    options: ConvTransposeOptions, op: str, x_shape: tuple[int, ...], weight_shape: tuple[int, ...]
) -> tuple[int, ...]:
    rank, groups = len(options.stride), options.groups
    if len(x_shape) != rank + 2:
        raise ShapeError(
            f"{op}: x must have {rank + 2} dims (N, C and {rank} spatial). Received: shape {x_shape}"
        )
    if len(weight_shape) != rank + 2 or any(k < 1 for k in weight_shape[2:]):
        raise ShapeError(
            f"{op}: weight must have {rank + 2} dims (in, out / groups and {rank} kernel sizes of at least 1). "
            f"Received: shape {weight_shape}"
        )
    if x_shape[1] != weight_shape[0] or x_shape[1] % groups:
        raise ShapeError(
            f"{op}: the channels of x must be those of weight's first dim, and divide by groups={groups}. "
            f"Received: x of shape {x_shape}, weight of shape {weight_shape}"
        )
    sides = zip(options.stride, options.padding, options.dilation, options.output_padding)
    size = tuple(
        (length - 1) * s - left - right + d * (k - 1) + more + 1
        for length, k, (s, (left, right), d, more) in zip(x_shape[2:], weight_shape[2:], sides)
    )
    if any(v - over < 1 for v, over in zip(size, options.reversed()[1])) or 0 in x_shape[2:]:
        raise ShapeError(
            f"{op}: input of spatial size {x_shape[2:]} gives an output of size {size}; "
            f"kernel_size={weight_shape[2:]}, stride={options.stride}, padding={options.padding}, "
            f"output_padding={options.output_padding}, dilation={options.dilation}"
        )
    return size


def conv_transpose_options(
    stride: Ints = 1,
    padding: Padding = 0,
    output_padding: Ints = 0,
    dilation: Ints = 1,
    groups: int = 1,
    *,
    rank: int,
    op: str = "conv_transpose",
) -> ConvTransposeOptions:
    """A `ConvTransposeOptions` from what users write; a refusal names `op`."""
    args = hashable(stride), hashable(padding), hashable(output_padding), hashable(dilation)
    try:
        return _options(*args, groups, rank)
    except ShapeError as error:
        raise ShapeError(f"{op}: {error}") from None


@functools.lru_cache(maxsize=1024)
def _options(
    stride: Ints, padding: Padding, output_padding: Ints, dilation: Ints, groups: int, rank: int
) -> ConvTransposeOptions:
    if type(groups) is not int or groups < 1:
        raise ShapeError(f"groups must be an integer, at least 1. Received: groups={groups!r}")
    steps, spread = ints(stride, rank, "stride", 1), ints(dilation, rank, "dilation", 1)
    more = ints(output_padding, rank, "output_padding", 0)
    if any(m >= max(s, d) for m, s, d in zip(more, steps, spread)):
        raise ShapeError(
            "output_padding must be smaller than the stride or the dilation. "
            f"Received: output_padding={more}, stride={steps}, dilation={spread}"
        )
    return ConvTransposeOptions(steps, pairs(padding, rank), more, spread, groups)
