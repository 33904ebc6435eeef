"""Transposed convolution at any spatial rank, and its gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.conv import check_backward, check_bias
from everygrad_ops.dtypes import LOW_PRECISION, DType
from everygrad_ops.marks import outputs
from everygrad_ops.transposed import ConvTransposeOptions

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ConvTransposeOps(Protocol[A]):
    """conv_transpose is the x-gradient of a convolution, so that its own gradients are convolutions again.

    float16 and bfloat16 accumulate in float32 and round once.
    """

    def conv_transpose(self: Backend[A], x: A, weight: A, bias: A | None, options: ConvTransposeOptions) -> A:
        """Each element of x (N, C, spatial...) spread by weight (C, O / groups, kernel...), plus bias (O,).

        out[n, o, i * stride - left + t * dilation] = bias[o] + sum over c, i, t of x[n, c, i] * weight[c, o, t],
        with c in the group of o. Operands that do not fit raise `ShapeError`.
        """
        dtype = self.dtype(x)
        if dtype in LOW_PRECISION:
            wide = None if bias is None else self.cast(bias, DType.float32)
            args = self.cast(x, DType.float32), self.cast(weight, DType.float32)
            return self.cast(self.conv_transpose(*args, wide, options), dtype)
        shape = options.output_shape("conv_transpose", self.shape(x), self.shape(weight))
        plain, over = options.reversed()
        reached = (*shape[:2], *(size - more for size, more in zip(shape[2:], over)))
        out = self.conv_x_backward(x, weight, reached, plain)
        if any(over):
            out = self.pad(out, ((0, 0), (0, 0), *((0, more) for more in over)))
        if bias is None:
            return out
        check_bias("conv_transpose", self.shape(bias), shape[1])
        return self.add(out, self.reshape(bias, (shape[1], *(1 for _ in over))))

    def conv_transpose_x_backward(
        self: Backend[A], grad: A, weight: A, x_shape: tuple[int, ...], options: ConvTransposeOptions
    ) -> A:
        """The gradient of `conv_transpose` in x, of shape `x_shape`, from the upstream gradient and the weight."""
        options.check_grad("conv_transpose_x_backward", self.shape(grad), x_shape, self.shape(weight))
        return self.conv(_reached(self, grad, options), weight, None, options.reversed()[0])

    def conv_transpose_weight_backward(
        self: Backend[A], x: A, grad: A, weight_shape: tuple[int, ...], options: ConvTransposeOptions
    ) -> A:
        """The gradient of `conv_transpose` in its weight, of shape `weight_shape`."""
        options.check_grad("conv_transpose_weight_backward", self.shape(grad), self.shape(x), weight_shape)
        plain = options.reversed()[0]
        return self.conv_weight_backward(_reached(self, grad, options), x, weight_shape, plain)

    @outputs("grad_x", "grad_weight", "grad_bias")
    def conv_transpose_backward(
        self: Backend[A],
        grad: A,
        x: A | None,
        weight: A | None,
        x_shape: tuple[int, ...],
        weight_shape: tuple[int, ...],
        options: ConvTransposeOptions,
        needs: tuple[bool, bool, bool],
    ) -> tuple[A | None, A | None, A | None]:
        """The gradients of `conv_transpose` in x, weight and bias; those not in `needs` are None.

        The weight's gradient needs `x`, that of x needs `weight`; either may be None where nothing needs it.
        """
        given = None if x is None else self.shape(x), None if weight is None else self.shape(weight)
        op = "conv_transpose_backward"
        check_backward(op, self.shape(grad), *given, x_shape, weight_shape, options, needs)
        gx = gw = None
        if needs[0] and weight is not None:
            gx = self.conv_transpose_x_backward(grad, weight, x_shape, options)
        if needs[1] and x is not None:
            gw = self.conv_transpose_weight_backward(x, grad, weight_shape, options)
        return gx, gw, self.conv_bias_backward(grad) if needs[2] else None


def _reached(b: Backend[A], grad: A, options: ConvTransposeOptions) -> A:
    """The upstream gradient without the cells at the ends that nothing reaches."""
    over = options.reversed()[1]
    if not any(over):
        return grad
    shape = b.shape(grad)
    sizes = (*shape[:2], *(size - more for size, more in zip(shape[2:], over)))
    return b.slice(grad, tuple((0, size, 1) for size in sizes))
