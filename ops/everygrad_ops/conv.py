"""Convolution at any spatial rank, and its gradients: one by one, or all from one kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.dtypes import LOW_PRECISION, DType
from everygrad_ops.errors import ShapeError
from everygrad_ops.geometry import ConvOptions
from everygrad_ops.marks import outputs
from everygrad_ops.transposed import ConvTransposeOptions

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ConvOps(Protocol[A]):
    """conv, conv_x_backward and conv_weight_backward: each is the gradient of the others.

    float16 and bfloat16 accumulate in float32 and round once.
    """

    def conv(self: Backend[A], x: A, weight: A, bias: A | None, options: ConvOptions) -> A:
        """Cross-correlation of x (N, C, spatial...) with weight (O, C / groups, kernel...), plus bias (O,).

        out[n, o, i] = bias[o] + sum over c, t of x[n, c, i * stride - left + t * dilation] * weight[o, c, t],
        with c in the group of o and zeros outside x. Operands that do not fit raise `ShapeError`.
        """
        dtype = self.dtype(x)
        if dtype in LOW_PRECISION:
            wide = None if bias is None else self.cast(bias, DType.float32)
            args = self.cast(x, DType.float32), self.cast(weight, DType.float32)
            return self.cast(self.conv(*args, wide, options), dtype)
        n = self.shape(x)[0]
        o, per_group = self.shape(weight)[:2]
        size = options.output_size("conv", self.shape(x), self.shape(weight))
        window = options.window(self.shape(weight))
        groups, taps = options.groups, math.prod(window.kernel_size)
        columns = self.reshape(self.unfold(x, window), (n, groups, per_group * taps, math.prod(size)))
        kernels = self.reshape(weight, (1, groups, o // groups, per_group * taps))
        out = self.reshape(self.matmul(kernels, columns), (n, o, *size))
        if bias is not None:
            check_bias("conv", self.shape(bias), o)
            out = self.add(out, self.reshape(bias, (o, *(1 for _ in size))))
        return out

    def conv_x_backward(
        self: Backend[A], grad: A, weight: A, x_shape: tuple[int, ...], options: ConvOptions
    ) -> A:
        """The gradient of `conv` in x, of shape `x_shape`, from the upstream gradient and the weight."""
        dtype = self.dtype(grad)
        if dtype in LOW_PRECISION:
            args = self.cast(grad, DType.float32), self.cast(weight, DType.float32)
            return self.cast(self.conv_x_backward(*args, x_shape, options), dtype)
        options.check_grad("conv_x_backward", self.shape(grad), x_shape, self.shape(weight))
        n, o = self.shape(grad)[:2]
        per_group = self.shape(weight)[1]
        window = options.window(self.shape(weight))
        groups, taps, count = options.groups, math.prod(window.kernel_size), math.prod(self.shape(grad)[2:])
        kernels = self.reshape(weight, (1, groups, o // groups, per_group * taps))
        upstream = self.reshape(grad, (n, groups, o // groups, count))
        columns = self.matmul(self.permute(kernels, (0, 1, 3, 2)), upstream)
        return self.fold(self.reshape(columns, (n, x_shape[1] * taps, count)), x_shape[2:], window)

    def conv_weight_backward(
        self: Backend[A], x: A, grad: A, weight_shape: tuple[int, ...], options: ConvOptions
    ) -> A:
        """The gradient of `conv` in its weight, of shape `weight_shape`."""
        options.check_grad("conv_weight_backward", self.shape(grad), self.shape(x), weight_shape)
        n, o = self.shape(grad)[:2]
        groups, per_group = options.groups, weight_shape[1]
        window = options.window(weight_shape)
        count, taps = math.prod(self.shape(grad)[2:]), math.prod(window.kernel_size)
        columns = self.reshape(self.unfold(x, window), (n, groups, per_group * taps, count))
        columns = self.reshape(self.permute(columns, (1, 2, 0, 3)), (groups, per_group * taps, n * count))
        upstream = self.reshape(grad, (n, groups, o // groups, count))
        upstream = self.reshape(self.permute(upstream, (1, 2, 0, 3)), (groups, o // groups, n * count))
        return self.reshape(self.matmul(upstream, self.permute(columns, (0, 2, 1))), weight_shape)

    def conv_bias_backward(self: Backend[A], grad: A) -> A:
        """The gradient of `conv` in its bias: the upstream summed over all but the channels."""
        return self.sum(grad, (0, *range(2, len(self.shape(grad)))))

    @outputs("grad_x", "grad_weight", "grad_bias")
    def conv_backward(
        self: Backend[A],
        grad: A,
        x: A | None,
        weight: A | None,
        x_shape: tuple[int, ...],
        weight_shape: tuple[int, ...],
        options: ConvOptions,
        needs: tuple[bool, bool, bool],
    ) -> tuple[A | None, A | None, A | None]:
        """The gradients of `conv` in x, weight and bias; those not in `needs` are None.

        The weight's gradient needs `x`, that of x needs `weight`; either may be None where nothing needs it.
        """
        given = None if x is None else self.shape(x), None if weight is None else self.shape(weight)
        check_backward("conv_backward", self.shape(grad), *given, x_shape, weight_shape, options, needs)
        return (
            self.conv_x_backward(grad, weight, x_shape, options) if needs[0] and weight is not None else None,
            self.conv_weight_backward(x, grad, weight_shape, options) if needs[1] and x is not None else None,
            self.conv_bias_backward(grad) if needs[2] else None,
        )


def check_bias(op: str, shape: tuple[int, ...], channels: int) -> None:
    """Refuse a bias that is not one value per out channel."""
    if tuple(shape) != (channels,):
        raise ShapeError(f"{op}: bias must have shape ({channels},). Received: shape {tuple(shape)}")


def check_backward(
    op: str,
    grad: Sequence[int],
    x: Sequence[int] | None,
    weight: Sequence[int] | None,
    x_shape: tuple[int, ...],
    weight_shape: tuple[int, ...],
    options: ConvOptions | ConvTransposeOptions,
    needs: tuple[bool, bool, bool],
) -> None:
    """Refuse shapes that are not those of one convolution, and the lack of an operand that a gradient needs."""
    if (needs[0] and weight is None) or (needs[1] and x is None):
        name = "weight" if needs[0] and weight is None else "x"
        raise TypeError(
            f"{op}: a gradient in `needs` is computed from {name}. Received: {name}=None, needs={needs}; "
            f"write {name}, or leave that gradient out"
        )
    if (x is not None and tuple(x) != x_shape) or (weight is not None and tuple(weight) != weight_shape):
        raise ShapeError(
            f"{op}: x_shape and weight_shape must be the shapes of x and weight. Received: x_shape={x_shape} "
            f"for x of shape {x}, weight_shape={weight_shape} for weight of shape {weight}"
        )
    options.check_grad(op, grad, x_shape, weight_shape)
