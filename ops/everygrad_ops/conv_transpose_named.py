"""Transposed convolution under the names people know: thin methods over the N-dimensional ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.geometry import Ints, Padding
from everygrad_ops.transposed import conv_transpose_options

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ConvTransposeNamedOps(Protocol[A]):
    """conv_transpose1d, conv_transpose2d, conv_transpose3d and their gradients, as ops that can be called alone.

    x is (N, C, spatial...), weight (C, O / groups, kernel...), bias (O,), grad of the result's shape. In
    `_x_backward` x gives only its shape, in `_weight_backward` weight, in `_bias_backward` x and bias.
    """

    def conv_transpose1d(
        self: Backend[A],
        x: A,
        weight: A,
        bias: A | None = None,
        stride: Ints = 1,
        padding: Padding = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        dilation: Ints = 1,
    ) -> A:
        """1-D `conv_transpose`."""
        options = conv_transpose_options(
            stride, padding, output_padding, dilation, groups, op="conv_transpose1d", rank=1
        )
        return self.conv_transpose(x, weight, bias, options)

    def conv_transpose1d_x_backward(
        self: Backend[A],
        x: A,
        weight: A,
        grad: A,
        stride: Ints = 1,
        padding: Padding = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        dilation: Ints = 1,
    ) -> A:
        """The gradient of `conv_transpose1d` in x."""
        options = conv_transpose_options(
            stride, padding, output_padding, dilation, groups, op="conv_transpose1d_x_backward", rank=1
        )
        return self.conv_transpose_x_backward(grad, weight, self.shape(x), options)

    def conv_transpose1d_weight_backward(
        self: Backend[A],
        x: A,
        weight: A,
        grad: A,
        stride: Ints = 1,
        padding: Padding = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        dilation: Ints = 1,
    ) -> A:
        """The gradient of `conv_transpose1d` in its weight."""
        options = conv_transpose_options(
            stride, padding, output_padding, dilation, groups, op="conv_transpose1d_weight_backward", rank=1
        )
        return self.conv_transpose_weight_backward(x, grad, self.shape(weight), options)

    def conv_transpose1d_bias_backward(self: Backend[A], x: A, bias: A, grad: A) -> A:
        """The gradient of `conv_transpose1d` in its bias."""
        return self.conv_bias_backward(grad)

    def conv_transpose2d(
        self: Backend[A],
        x: A,
        weight: A,
        bias: A | None = None,
        stride: Ints = 1,
        padding: Padding = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        dilation: Ints = 1,
    ) -> A:
        """2-D `conv_transpose`."""
        options = conv_transpose_options(
            stride, padding, output_padding, dilation, groups, op="conv_transpose2d", rank=2
        )
        return self.conv_transpose(x, weight, bias, options)

    def conv_transpose2d_x_backward(
        self: Backend[A],
        x: A,
        weight: A,
        grad: A,
        stride: Ints = 1,
        padding: Padding = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        dilation: Ints = 1,
    ) -> A:
        """The gradient of `conv_transpose2d` in x."""
        options = conv_transpose_options(
            stride, padding, output_padding, dilation, groups, op="conv_transpose2d_x_backward", rank=2
        )
        return self.conv_transpose_x_backward(grad, weight, self.shape(x), options)

    def conv_transpose2d_weight_backward(
        self: Backend[A],
        x: A,
        weight: A,
        grad: A,
        stride: Ints = 1,
        padding: Padding = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        dilation: Ints = 1,
    ) -> A:
        """The gradient of `conv_transpose2d` in its weight."""
        options = conv_transpose_options(
            stride, padding, output_padding, dilation, groups, op="conv_transpose2d_weight_backward", rank=2
        )
        return self.conv_transpose_weight_backward(x, grad, self.shape(weight), options)

    def conv_transpose2d_bias_backward(self: Backend[A], x: A, bias: A, grad: A) -> A:
        """The gradient of `conv_transpose2d` in its bias."""
        return self.conv_bias_backward(grad)

    def conv_transpose3d(
        self: Backend[A],
        x: A,
        weight: A,
        bias: A | None = None,
        stride: Ints = 1,
        padding: Padding = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        dilation: Ints = 1,
    ) -> A:
        """3-D `conv_transpose`."""
        options = conv_transpose_options(
            stride, padding, output_padding, dilation, groups, op="conv_transpose3d", rank=3
        )
        return self.conv_transpose(x, weight, bias, options)

    def conv_transpose3d_x_backward(
        self: Backend[A],
        x: A,
        weight: A,
        grad: A,
        stride: Ints = 1,
        padding: Padding = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        dilation: Ints = 1,
    ) -> A:
        """The gradient of `conv_transpose3d` in x."""
        options = conv_transpose_options(
            stride, padding, output_padding, dilation, groups, op="conv_transpose3d_x_backward", rank=3
        )
        return self.conv_transpose_x_backward(grad, weight, self.shape(x), options)

    def conv_transpose3d_weight_backward(
        self: Backend[A],
        x: A,
        weight: A,
        grad: A,
        stride: Ints = 1,
        padding: Padding = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        dilation: Ints = 1,
    ) -> A:
        """The gradient of `conv_transpose3d` in its weight."""
        options = conv_transpose_options(
            stride, padding, output_padding, dilation, groups, op="conv_transpose3d_weight_backward", rank=3
        )
        return self.conv_transpose_weight_backward(x, grad, self.shape(weight), options)

    def conv_transpose3d_bias_backward(self: Backend[A], x: A, bias: A, grad: A) -> A:
        """The gradient of `conv_transpose3d` in its bias."""
        return self.conv_bias_backward(grad)
