"""Convolution under the names people know: thin methods over the N-dimensional ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.conv import check_backward
from everygrad_ops.geometry import ConvOptions, Ints, Padding, conv_options
from everygrad_ops.marks import outputs
from everygrad_ops.stand_in import stand_in

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ConvNamedOps(Protocol[A]):
    """conv1d, conv2d, conv3d and their gradients, as ops that can be called, and differentiated, alone.

    x is (N, C, spatial...), weight (O, C / groups, kernel...), bias (O,), grad of the result's shape. In
    `_x_backward` x gives only its shape, in `_weight_backward` weight, in `_bias_backward` x and bias;
    `_backward` gives all three, for a backend that has one kernel for them.
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

    @outputs("grad_x", "grad_weight", "grad_bias")
    def conv1d_backward(
        self: Backend[A],
        grad: A,
        x: A | None,
        weight: A | None,
        x_shape: tuple[int, ...],
        weight_shape: tuple[int, ...],
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
        needs: tuple[bool, bool, bool] = (True, True, True),
    ) -> tuple[A | None, A | None, A | None]:
        """The gradients of `conv1d` in x, weight and bias, as `conv_backward` gives them."""
        options = stride, padding, dilation, groups
        like_x, like_weight = _checked(self, 1, grad, x, weight, x_shape, weight_shape, options, needs)
        return (
            None
            if weight is None or not needs[0]
            else self.conv1d_x_backward(like_x, weight, grad, *options),
            None
            if x is None or not needs[1]
            else self.conv1d_weight_backward(x, like_weight, grad, *options),
            self.conv1d_bias_backward(like_x, stand_in(self, grad, weight_shape[:1]), grad)
            if needs[2]
            else None,
        )

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

    @outputs("grad_x", "grad_weight", "grad_bias")
    def conv2d_backward(
        self: Backend[A],
        grad: A,
        x: A | None,
        weight: A | None,
        x_shape: tuple[int, ...],
        weight_shape: tuple[int, ...],
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
        needs: tuple[bool, bool, bool] = (True, True, True),
    ) -> tuple[A | None, A | None, A | None]:
        """The gradients of `conv2d` in x, weight and bias, as `conv_backward` gives them."""
        options = stride, padding, dilation, groups
        like_x, like_weight = _checked(self, 2, grad, x, weight, x_shape, weight_shape, options, needs)
        return (
            None
            if weight is None or not needs[0]
            else self.conv2d_x_backward(like_x, weight, grad, *options),
            None
            if x is None or not needs[1]
            else self.conv2d_weight_backward(x, like_weight, grad, *options),
            self.conv2d_bias_backward(like_x, stand_in(self, grad, weight_shape[:1]), grad)
            if needs[2]
            else None,
        )

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

    @outputs("grad_x", "grad_weight", "grad_bias")
    def conv3d_backward(
        self: Backend[A],
        grad: A,
        x: A | None,
        weight: A | None,
        x_shape: tuple[int, ...],
        weight_shape: tuple[int, ...],
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
        needs: tuple[bool, bool, bool] = (True, True, True),
    ) -> tuple[A | None, A | None, A | None]:
        """The gradients of `conv3d` in x, weight and bias, as `conv_backward` gives them."""
        options = stride, padding, dilation, groups
        like_x, like_weight = _checked(self, 3, grad, x, weight, x_shape, weight_shape, options, needs)
        return (
            None
            if weight is None or not needs[0]
            else self.conv3d_x_backward(like_x, weight, grad, *options),
            None
            if x is None or not needs[1]
            else self.conv3d_weight_backward(x, like_weight, grad, *options),
            self.conv3d_bias_backward(like_x, stand_in(self, grad, weight_shape[:1]), grad)
            if needs[2]
            else None,
        )


def _checked(
    b: Backend[A],
    rank: int,
    grad: A,
    x: A | None,
    weight: A | None,
    x_shape: tuple[int, ...],
    weight_shape: tuple[int, ...],
    options: tuple[Ints, Padding, Ints, int],
    needs: tuple[bool, bool, bool],
) -> tuple[A, A]:
    """x and weight, or something of their shapes for those who only read these; what does not fit is refused."""
    op = f"conv{rank}d_backward"
    parsed: ConvOptions = conv_options(*options, rank=rank, op=op)
    given = None if x is None else b.shape(x), None if weight is None else b.shape(weight)
    check_backward(op, b.shape(grad), *given, x_shape, weight_shape, parsed, needs)
    like_x = stand_in(b, grad, x_shape) if x is None else x
    return like_x, stand_in(b, grad, weight_shape) if weight is None else weight
