"""Convolution under the names people know: thin methods over the N-dimensional ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.geometry import Ints, Padding, conv_options

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ConvNamedOps(Protocol[A]):
    """conv1d, conv2d, conv3d and their gradients, as ops that can be called, and differentiated, alone.

    x is (N, C, spatial...), weight (O, C / groups, kernel...), bias (O,), grad of the result's shape. In
    `_x_backward` x gives only its shape, in `_weight_backward` weight, in `_bias_backward` x and bias.
    """

    def conv1d(
        self: Backend[A],
        x: A,
        weight: A,
        bias: A | None = None,
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
    ) -> A:
        """1-D `conv`."""
        return self.conv(
            x, weight, bias, conv_options(stride, padding, dilation, groups, op="conv1d", rank=1)
        )

    def conv1d_x_backward(
        self: Backend[A],
        x: A,
        weight: A,
        grad: A,
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
    ) -> A:
        """The gradient of `conv1d` in x."""
        options = conv_options(stride, padding, dilation, groups, op="conv1d_x_backward", rank=1)
        return self.conv_x_backward(grad, weight, self.shape(x), options)

    def conv1d_weight_backward(
        self: Backend[A],
        x: A,
        weight: A,
        grad: A,
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
    ) -> A:
        """The gradient of `conv1d` in its weight."""
        options = conv_options(stride, padding, dilation, groups, op="conv1d_weight_backward", rank=1)
        return self.conv_weight_backward(x, grad, self.shape(weight), options)

    def conv1d_bias_backward(self: Backend[A], x: A, bias: A, grad: A) -> A:
        """The gradient of `conv1d` in its bias."""
        return self.conv_bias_backward(grad)

    def conv2d(
        self: Backend[A],
        x: A,
        weight: A,
        bias: A | None = None,
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
    ) -> A:
        """2-D `conv`."""
        return self.conv(
            x, weight, bias, conv_options(stride, padding, dilation, groups, op="conv2d", rank=2)
        )

    def conv2d_x_backward(
        self: Backend[A],
        x: A,
        weight: A,
        grad: A,
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
    ) -> A:
        """The gradient of `conv2d` in x."""
        options = conv_options(stride, padding, dilation, groups, op="conv2d_x_backward", rank=2)
        return self.conv_x_backward(grad, weight, self.shape(x), options)

    def conv2d_weight_backward(
        self: Backend[A],
        x: A,
        weight: A,
        grad: A,
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
    ) -> A:
        """The gradient of `conv2d` in its weight."""
        options = conv_options(stride, padding, dilation, groups, op="conv2d_weight_backward", rank=2)
        return self.conv_weight_backward(x, grad, self.shape(weight), options)

    def conv2d_bias_backward(self: Backend[A], x: A, bias: A, grad: A) -> A:
        """The gradient of `conv2d` in its bias."""
        return self.conv_bias_backward(grad)

    def conv3d(
        self: Backend[A],
        x: A,
        weight: A,
        bias: A | None = None,
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
    ) -> A:
        """3-D `conv`."""
        return self.conv(
            x, weight, bias, conv_options(stride, padding, dilation, groups, op="conv3d", rank=3)
        )

    def conv3d_x_backward(
        self: Backend[A],
        x: A,
        weight: A,
        grad: A,
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
    ) -> A:
        """The gradient of `conv3d` in x."""
        options = conv_options(stride, padding, dilation, groups, op="conv3d_x_backward", rank=3)
        return self.conv_x_backward(grad, weight, self.shape(x), options)

    def conv3d_weight_backward(
        self: Backend[A],
        x: A,
        weight: A,
        grad: A,
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
    ) -> A:
        """The gradient of `conv3d` in its weight."""
        options = conv_options(stride, padding, dilation, groups, op="conv3d_weight_backward", rank=3)
        return self.conv_weight_backward(x, grad, self.shape(weight), options)

    def conv3d_bias_backward(self: Backend[A], x: A, bias: A, grad: A) -> A:
        """The gradient of `conv3d` in its bias."""
        return self.conv_bias_backward(grad)
