"""Max pooling turned around, and pooling by the p-norm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.dtypes import LOW_PRECISION, DType
from everygrad_ops.errors import ShapeError
from everygrad_ops.geometry import PoolOptions
from everygrad_ops.pool import check_floating

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class UnpoolOps(Protocol[A]):
    """max_unpool and lp_pool, at any rank."""

    def max_unpool(self: Backend[A], x: A, indices: A, output_size: tuple[int, ...]) -> A:
        """Zeros of (N, C, *output_size), with each value of x (N, C, spatial...) at its flat index in the plane.

        Repeats: the last in row-major order wins, and it alone gets gradient.
        """
        shape = self.shape(x)
        check_unpool(shape, self.shape(indices), output_size)
        plane = self.full((*shape[:2], math.prod(output_size)), 0, self.dtype(x))
        flat = (*shape[:2], math.prod(shape[2:]))
        try:
            out = self.scatter(plane, 2, self.reshape(indices, flat), self.reshape(x, flat))
        except IndexError as error:
            raise IndexError(f"max_unpool: {error}") from None
        return self.reshape(out, (*shape[:2], *output_size))

    def lp_pool(self: Backend[A], x: A, norm_type: float, options: PoolOptions) -> A:
        """(sum of x ** norm_type) ** (1 / norm_type) over each window of x (N, C, spatial...), of floats.

        Where the sum is 0 so is the gradient, unless norm_type is 1; inf gives `max_pool`. Padding adds nothing.
        """
        dtype = self.dtype(x)
        check_floating("lp_pool", dtype)
        if not norm_type > 0:
            raise ValueError(f"lp_pool: norm_type must be above 0. Received: norm_type={norm_type!r}")
        options.output_size("lp_pool", self.shape(x))
        if norm_type == math.inf:
            return self.max_pool(x, options)
        if dtype in LOW_PRECISION:
            return self.cast(self.lp_pool(self.cast(x, DType.float32), norm_type, options), dtype)
        powers = x if norm_type == 1 else self.pow(x, norm_type)
        total = self.avg_pool(powers, replace(options, divisor_override=1))
        if norm_type == 1:
            return total
        nothing = self.eq(total, 0)
        root = self.pow(self.where(nothing, 1, total), 1 / norm_type)
        return self.where(nothing, 0, root)


def check_unpool(shape: Sequence[int], indices: Sequence[int], output_size: Sequence[int]) -> None:
    """Refuse indices that do not go with x, and an output of another rank."""
    if min(output_size, default=0) < 0 or max(output_size, default=0) >= 2**31:
        raise ShapeError(
            f"max_unpool: sizes of the output must lie from 0 to 2**31 - 1. Received: output_size={tuple(output_size)}; "
            "write a smaller padding or kernel_size"
        )
    if tuple(indices) != tuple(shape) or len(shape) != len(output_size) + 2:
        raise ShapeError(
            f"max_unpool: x and indices must have one shape (N, C and {len(output_size)} spatial). "
            f"Received: x of shape {tuple(shape)}, indices of shape {tuple(indices)}, "
            f"output_size={tuple(output_size)}"
        )
