"""Average pooling under the names people know: thin methods over the N-dimensional ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.geometry import Ints, Padding, pool_options

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class AvgPoolNamedOps(Protocol[A]):
    """avg_pool1d, avg_pool2d, avg_pool3d and their gradients, as ops that can be called, and differentiated, alone.

    x is (N, C, spatial...) and gives only its shape to `_backward`: no gradient ever flows to it there.
    """

    def avg_pool1d(
        self: Backend[A],
        x: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        count_include_pad: bool = True,
        ceil_mode: bool = False,
        divisor_override: int | None = None,
    ) -> A:
        """1-D `avg_pool`; without a stride, windows do not overlap."""
        options = pool_options(
            kernel_size,
            stride,
            padding,
            op="avg_pool1d",
            rank=1,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )
        return self.avg_pool(x, options)

    def avg_pool1d_backward(
        self: Backend[A],
        x: A,
        grad: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        count_include_pad: bool = True,
        ceil_mode: bool = False,
        divisor_override: int | None = None,
    ) -> A:
        """The gradient of `avg_pool1d` in x, from the upstream gradient of the result's shape."""
        options = pool_options(
            kernel_size,
            stride,
            padding,
            op="avg_pool1d_backward",
            rank=1,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )
        return self.avg_pool_backward(grad, self.shape(x), options)

    def avg_pool2d(
        self: Backend[A],
        x: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        count_include_pad: bool = True,
        ceil_mode: bool = False,
        divisor_override: int | None = None,
    ) -> A:
        """2-D `avg_pool`; without a stride, windows do not overlap."""
        options = pool_options(
            kernel_size,
            stride,
            padding,
            op="avg_pool2d",
            rank=2,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )
        return self.avg_pool(x, options)

    def avg_pool2d_backward(
        self: Backend[A],
        x: A,
        grad: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        count_include_pad: bool = True,
        ceil_mode: bool = False,
        divisor_override: int | None = None,
    ) -> A:
        """The gradient of `avg_pool2d` in x, from the upstream gradient of the result's shape."""
        options = pool_options(
            kernel_size,
            stride,
            padding,
            op="avg_pool2d_backward",
            rank=2,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )
        return self.avg_pool_backward(grad, self.shape(x), options)

    def avg_pool3d(
        self: Backend[A],
        x: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        count_include_pad: bool = True,
        ceil_mode: bool = False,
        divisor_override: int | None = None,
    ) -> A:
        """3-D `avg_pool`; without a stride, windows do not overlap."""
        options = pool_options(
            kernel_size,
            stride,
            padding,
            op="avg_pool3d",
            rank=3,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )
        return self.avg_pool(x, options)

    def avg_pool3d_backward(
        self: Backend[A],
        x: A,
        grad: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        count_include_pad: bool = True,
        ceil_mode: bool = False,
        divisor_override: int | None = None,
    ) -> A:
        """The gradient of `avg_pool3d` in x, from the upstream gradient of the result's shape."""
        options = pool_options(
            kernel_size,
            stride,
            padding,
            op="avg_pool3d_backward",
            rank=3,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )
        return self.avg_pool_backward(grad, self.shape(x), options)
