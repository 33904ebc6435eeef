"""Max pooling under the names people know: thin methods over the N-dimensional ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.geometry import Ints, Padding, pool_options
from everygrad_ops.marks import outputs

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class MaxPoolNamedOps(Protocol[A]):
    """max_pool1d, max_pool2d, max_pool3d, with indices or without, and their gradients.

    x is (N, C, spatial...) and gives only its shape to `_backward`; indices are flat, into its plane.
    """

    def max_pool1d(
        self: Backend[A],
        x: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        dilation: Ints = 1,
        ceil_mode: bool = False,
    ) -> A:
        """1-D `max_pool`; without a stride, windows do not overlap."""
        options = pool_options(
            kernel_size, stride, padding, dilation, op="max_pool1d", rank=1, ceil_mode=ceil_mode
        )
        return self.max_pool(x, options)

    @outputs("values", "indices", integer=("indices",))
    def max_pool1d_with_indices(
        self: Backend[A],
        x: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        dilation: Ints = 1,
        ceil_mode: bool = False,
    ) -> tuple[A, A]:
        """1-D `max_pool_with_indices`."""
        options = pool_options(
            kernel_size, stride, padding, dilation, op="max_pool1d_with_indices", rank=1, ceil_mode=ceil_mode
        )
        return self.max_pool_with_indices(x, options)

    def max_pool1d_with_indices_backward(
        self: Backend[A],
        x: A,
        grad: A,
        indices: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        dilation: Ints = 1,
        ceil_mode: bool = False,
    ) -> A:
        """The gradient of `max_pool1d` in x: each upstream value goes to its index."""
        options = pool_options(
            kernel_size,
            stride,
            padding,
            dilation,
            op="max_pool1d_with_indices_backward",
            rank=1,
            ceil_mode=ceil_mode,
        )
        return self.max_pool_with_indices_backward(grad, indices, self.shape(x), options)

    def max_pool2d(
        self: Backend[A],
        x: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        dilation: Ints = 1,
        ceil_mode: bool = False,
    ) -> A:
        """2-D `max_pool`; without a stride, windows do not overlap."""
        options = pool_options(
            kernel_size, stride, padding, dilation, op="max_pool2d", rank=2, ceil_mode=ceil_mode
        )
        return self.max_pool(x, options)

    @outputs("values", "indices", integer=("indices",))
    def max_pool2d_with_indices(
        self: Backend[A],
        x: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        dilation: Ints = 1,
        ceil_mode: bool = False,
    ) -> tuple[A, A]:
        """2-D `max_pool_with_indices`."""
        options = pool_options(
            kernel_size, stride, padding, dilation, op="max_pool2d_with_indices", rank=2, ceil_mode=ceil_mode
        )
        return self.max_pool_with_indices(x, options)

    def max_pool2d_with_indices_backward(
        self: Backend[A],
        x: A,
        grad: A,
        indices: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        dilation: Ints = 1,
        ceil_mode: bool = False,
    ) -> A:
        """The gradient of `max_pool2d` in x: each upstream value goes to its index."""
        options = pool_options(
            kernel_size,
            stride,
            padding,
            dilation,
            op="max_pool2d_with_indices_backward",
            rank=2,
            ceil_mode=ceil_mode,
        )
        return self.max_pool_with_indices_backward(grad, indices, self.shape(x), options)

    def max_pool3d(
        self: Backend[A],
        x: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        dilation: Ints = 1,
        ceil_mode: bool = False,
    ) -> A:
        """3-D `max_pool`; without a stride, windows do not overlap."""
        options = pool_options(
            kernel_size, stride, padding, dilation, op="max_pool3d", rank=3, ceil_mode=ceil_mode
        )
        return self.max_pool(x, options)

    @outputs("values", "indices", integer=("indices",))
    def max_pool3d_with_indices(
        self: Backend[A],
        x: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        dilation: Ints = 1,
        ceil_mode: bool = False,
    ) -> tuple[A, A]:
        """3-D `max_pool_with_indices`."""
        options = pool_options(
            kernel_size, stride, padding, dilation, op="max_pool3d_with_indices", rank=3, ceil_mode=ceil_mode
        )
        return self.max_pool_with_indices(x, options)

    def max_pool3d_with_indices_backward(
        self: Backend[A],
        x: A,
        grad: A,
        indices: A,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        dilation: Ints = 1,
        ceil_mode: bool = False,
    ) -> A:
        """The gradient of `max_pool3d` in x: each upstream value goes to its index."""
        options = pool_options(
            kernel_size,
            stride,
            padding,
            dilation,
            op="max_pool3d_with_indices_backward",
            rank=3,
            ceil_mode=ceil_mode,
        )
        return self.max_pool_with_indices_backward(grad, indices, self.shape(x), options)
