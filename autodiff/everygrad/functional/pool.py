"""Pooling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from everygrad.functional.window import batched, unbatched
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType
from everygrad_ops.geometry import Ints, Padding

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["avg_pool1d", "avg_pool2d", "avg_pool3d", "max_pool1d", "max_pool2d", "max_pool3d"]


def avg_pool1d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of input (N, C, L); the batch dim may be left out.

    Windows do not overlap unless `stride` says so. A window's sum is divided by its size inside the padded
    input, without `count_include_pad` inside the input alone, or by `divisor_override`.

    >>> import everygrad as eg
    >>> eg.functional.avg_pool1d(eg.tensor([[[1.0, 2.0, 3.0, 4.0]]]), 2).tolist()
    [[[1.5, 3.5]]]
    """
    rest = count_include_pad, ceil_mode, divisor_override
    return _avg_pool(1, input, kernel_size, stride, padding, *rest)


def avg_pool2d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of input (N, C, H, W); the batch dim may be left out.

    Windows do not overlap unless `stride` says so. A window's sum is divided by its size inside the padded
    input, without `count_include_pad` inside the input alone, or by `divisor_override`.

    >>> import everygrad as eg
    >>> eg.functional.avg_pool2d(eg.arange(16.0).reshape(1, 1, 4, 4), 3, 2, ceil_mode=True)[0, 0].tolist()
    [[5.0, 6.5], [11.0, 12.5]]
    """
    rest = count_include_pad, ceil_mode, divisor_override
    return _avg_pool(2, input, kernel_size, stride, padding, *rest)


def avg_pool3d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of input (N, C, D, H, W); the batch dim may be left out.

    Windows do not overlap unless `stride` says so. A window's sum is divided by its size inside the padded
    input, without `count_include_pad` inside the input alone, or by `divisor_override`.

    >>> import everygrad as eg
    >>> eg.functional.avg_pool3d(eg.ones(1, 2, 4, 4, 4), 2).shape
    (1, 2, 2, 2, 2)
    """
    rest = count_include_pad, ceil_mode, divisor_override
    return _avg_pool(3, input, kernel_size, stride, padding, *rest)


def _avg_pool(rank: int, input: Tensor, *options: Any) -> Tensor:
    op = f"avg_pool{rank}d"
    x, alone = batched(op, input, rank)
    return unbatched(getattr(input.backend, op)(x, *options), input, alone)


@overload
def max_pool1d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool1d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
def max_pool1d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest value of each window of input (N, C, L); the batch dim may be left out.

    NaN wins, padding never does, and of equals the first gets the gradient. With `return_indices`,
    (values, flat indices into the unpadded plane).

    >>> import everygrad as eg
    >>> eg.functional.max_pool1d(eg.tensor([[[1.0, 3.0, 2.0, 4.0]]]), 2).tolist()
    [[[3.0, 4.0]]]
    """
    return _max_pool(1, return_indices, input, kernel_size, stride, padding, dilation, ceil_mode)


@overload
def max_pool2d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool2d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
def max_pool2d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest value of each window of input (N, C, H, W); the batch dim may be left out.

    NaN wins, padding never does, and of equals the first gets the gradient. With `return_indices`,
    (values, flat indices into the unpadded plane).

    >>> import everygrad as eg
    >>> x = eg.arange(16.0).reshape(1, 1, 4, 4)
    >>> values, indices = eg.functional.max_pool2d(x, 2, return_indices=True)
    >>> indices[0, 0].tolist()
    [[5, 7], [13, 15]]
    """
    return _max_pool(2, return_indices, input, kernel_size, stride, padding, dilation, ceil_mode)


@overload
def max_pool3d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool3d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
def max_pool3d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest value of each window of input (N, C, D, H, W); the batch dim may be left out.

    NaN wins, padding never does, and of equals the first gets the gradient. With `return_indices`,
    (values, flat indices into the unpadded plane).

    >>> import everygrad as eg
    >>> eg.functional.max_pool3d(eg.ones(1, 2, 4, 4, 4), 2).shape
    (1, 2, 2, 2, 2)
    """
    return _max_pool(3, return_indices, input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool(
    rank: int, return_indices: bool, input: Tensor, *options: Any
) -> Tensor | tuple[Tensor, Tensor]:
    op = f"max_pool{rank}d"
    x, alone = batched(op, input, rank)
    b = input.backend
    if not return_indices:
        return unbatched(getattr(b, op)(x, *options), input, alone)
    values, indices = getattr(b, f"{op}_with_indices")(x, *options)
    whole = wrap(indices, b, DType.int64)
    return unbatched(values, input, alone), unbatched(indices, whole, alone)
