"""Max pooling turned around, and pooling by the p-norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from everygrad.functional.arguments import with_indices
from everygrad.functional.window import batched, unbatched
from everygrad_ops import ShapeError, pool_options
from everygrad_ops.geometry import Ints, ints

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["lp_pool1d", "lp_pool2d", "lp_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d"]


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: Ints,
    stride: Ints | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """(sum of x ** norm_type) ** (1 / norm_type) over each window of input (N, C, L).

    Where the sum is 0, so is the gradient; a norm_type of 1 gives plain sums, inf the largest values. What
    `ceil_mode` adds beyond the edge counts for nothing. The batch dim may be left out.

    >>> import everygrad as eg
    >>> eg.functional.lp_pool1d(eg.tensor([[[3.0, 4.0, 0.0, 2.0]]]), 2, 2).tolist()
    [[[5.0, 2.0]]]
    """
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Ints,
    stride: Ints | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """(sum of x ** norm_type) ** (1 / norm_type) over each window of input (N, C, H, W).

    Where the sum is 0, so is the gradient; a norm_type of 1 gives plain sums, inf the largest values. What
    `ceil_mode` adds beyond the edge counts for nothing. The batch dim may be left out.

    >>> import everygrad as eg
    >>> eg.functional.lp_pool2d(eg.ones(1, 1, 4, 4), 2, 2)[0, 0].tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: Ints,
    stride: Ints | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """(sum of x ** norm_type) ** (1 / norm_type) over each window of input (N, C, D, H, W).

    Where the sum is 0, so is the gradient; a norm_type of 1 gives plain sums, inf the largest values. What
    `ceil_mode` adds beyond the edge counts for nothing. The batch dim may be left out.

    >>> import everygrad as eg
    >>> eg.functional.lp_pool3d(eg.ones(1, 2, 4, 4, 4), 1, 2).shape
    (1, 2, 2, 2, 2)
    """
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Zeros, with the values of input (N, C, L) where `max_pool1d`'s `indices` say that they were.

    `output_size` settles the sizes that pooling leaves open, each within a stride of the plain one. Of values
    for one place the last stays. Raises `ShapeError` for other sizes, `IndexError` for indices beyond them.

    >>> import everygrad as eg
    >>> x = eg.tensor([[[1.0, 3.0, 4.0, 2.0]]])
    >>> values, indices = eg.functional.max_pool1d(x, 2, return_indices=True)
    >>> eg.functional.max_unpool1d(values, indices, 2).tolist()
    [[[0.0, 3.0, 4.0, 0.0]]]
    """
    return _max_unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Zeros, with the values of input (N, C, H, W) where `max_pool2d`'s `indices` say that they were.

    `output_size` settles the sizes that pooling leaves open, each within a stride of the plain one. Of values
    for one place the last stays. Raises `ShapeError` for other sizes, `IndexError` for indices beyond them.

    >>> import everygrad as eg
    >>> x = eg.tensor([[[1.0]]])
    >>> eg.functional.max_unpool2d(x, eg.tensor([[[2]]]), 2).tolist()
    [[[0.0, 0.0], [1.0, 0.0]]]
    """
    return _max_unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Zeros, with the values of input (N, C, D, H, W) where `max_pool3d`'s `indices` say that they were.

    `output_size` settles the sizes that pooling leaves open, each within a stride of the plain one. Of values
    for one place the last stays. Raises `ShapeError` for other sizes, `IndexError` for indices beyond them.

    >>> import everygrad as eg
    >>> values, indices = eg.functional.max_pool3d(eg.ones(1, 2, 4, 4, 4), 2, return_indices=True)
    >>> eg.functional.max_unpool3d(values, indices, 2).shape
    (1, 2, 4, 4, 4)
    """
    return _max_unpool(3, input, indices, kernel_size, stride, padding, output_size)


def _lp_pool(
    rank: int, input: Tensor, norm_type: float, kernel_size: Ints, stride: Ints | None, ceil_mode: bool
) -> Tensor:
    op = f"lp_pool{rank}d"
    x, alone = batched(op, input, rank)
    options = pool_options(kernel_size, stride, rank=rank, ceil_mode=ceil_mode, op=op)
    return unbatched(input.backend.lp_pool(x, norm_type, options), input, alone)


def _max_unpool(
    rank: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    output_size: Sequence[int] | None,
) -> Tensor:
    op = f"max_unpool{rank}d"
    input, _, index = with_indices(op, indices, "indices", input)
    kernel = ints(kernel_size, rank, "kernel_size", 1)
    steps = kernel if stride is None else ints(stride, rank, "stride", 1)
    pads = ints(padding, rank, "padding", 0)
    x, alone = batched(op, input, rank)
    b = input.backend
    plain = tuple(
        (length - 1) * s + k - 2 * p for length, s, k, p in zip(input.shape[-rank:], steps, kernel, pads)
    )
    size = plain if output_size is None else tuple(output_size)[-rank:]
    near = all(abs(asked - base) < s for asked, base, s in zip(size, plain, steps))
    if output_size is not None and (len(output_size) not in {rank, len(input.shape)} or not near):
        raise ShapeError(
            f"{op}: output_size must be within a stride, {steps}, of {plain}. Received: {tuple(output_size)}"
        )
    if alone:
        index = b.reshape(index, (1, *b.shape(index)))
    return unbatched(b.max_unpool(x, index, size), input, alone)
