"""Convolution at any spatial rank, its two other bilinear forms, and the names by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.geometry import ConvOptions

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ConvOps(Protocol[A]):
    """conv, conv_x_backward and conv_weight_backward: each is the gradient of the others."""

    def conv(self: Backend[A], x: A, weight: A, bias: A | None, options: ConvOptions) -> A:
        """Cross-correlation of x (N, C, spatial...) with weight (O, C / groups, kernel...), plus bias (O,)."""
        n = self.shape(x)[0]
        o, per_group = self.shape(weight)[:2]
        window = options.window(self.shape(weight))
        size = window.output_size("conv", self.shape(x))
        groups, taps = options.groups, _size(window.kernel_size)
        columns = self.reshape(self.unfold(x, window), (n, groups, per_group * taps, _size(size)))
        kernels = self.reshape(weight, (1, groups, o // groups, per_group * taps))
        out = self.reshape(self.matmul(kernels, columns), (n, o, *size))
        if bias is not None:
            out = self.add(out, self.reshape(bias, (o, *(1 for _ in size))))
        return out

    def conv_x_backward(
        self: Backend[A], grad: A, weight: A, x_shape: tuple[int, ...], options: ConvOptions
    ) -> A:
        """The gradient of `conv` in x, of shape `x_shape`, from the upstream gradient and the weight."""
        n, o = self.shape(grad)[:2]
        per_group = self.shape(weight)[1]
        window = options.window(self.shape(weight))
        groups, taps = options.groups, _size(window.kernel_size)
        kernels = self.reshape(weight, (1, groups, o // groups, per_group * taps))
        upstream = self.reshape(grad, (n, groups, o // groups, _size(self.shape(grad)[2:])))
        columns = self.matmul(self.permute(kernels, (0, 1, 3, 2)), upstream)
        return self.fold(
            self.reshape(columns, (n, x_shape[1] * taps, self.shape(columns)[3])), x_shape[2:], window
        )

    def conv_weight_backward(
        self: Backend[A], x: A, grad: A, weight_shape: tuple[int, ...], options: ConvOptions
    ) -> A:
        """The gradient of `conv` in its weight, of shape `weight_shape`."""
        n, o = self.shape(grad)[:2]
        groups, per_group = options.groups, weight_shape[1]
        window = options.window(weight_shape)
        count, taps = _size(self.shape(grad)[2:]), _size(window.kernel_size)
        columns = self.reshape(self.unfold(x, window), (n, groups, per_group * taps, count))
        columns = self.reshape(self.permute(columns, (1, 2, 0, 3)), (groups, per_group * taps, n * count))
        upstream = self.reshape(grad, (n, groups, o // groups, count))
        upstream = self.reshape(self.permute(upstream, (1, 2, 0, 3)), (groups, o // groups, n * count))
        return self.reshape(self.matmul(upstream, self.permute(columns, (0, 2, 1))), weight_shape)

    def conv_bias_backward(self: Backend[A], grad: A) -> A:
        """The gradient of `conv` in its bias: the upstream summed over all but the channels."""
        return self.sum(grad, (0, *range(2, len(self.shape(grad)))))


def _size(sizes: tuple[int, ...]) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total
