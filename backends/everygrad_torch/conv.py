"""Convolution on torch: its own kernels, asymmetric padding applied first."""

from __future__ import annotations

from collections.abc import Callable

import torch
from typing_extensions import override

from everygrad_ops import Backend, ConvOptions
from everygrad_ops.conv import ConvOps
from everygrad_torch.arrays import LOW, Array

_backward: Callable[..., tuple[Array | None, Array | None, Array | None]]
_backward = torch.ops.aten.convolution_backward.default
_default_conv: Callable[..., Array] = Backend[Array].conv
_default_conv_x_backward: Callable[..., Array] = Backend[Array].conv_x_backward
_default_conv_weight_backward: Callable[..., Array] = Backend[Array].conv_weight_backward


class TorchConv(ConvOps[Array]):
    """convolution and convolution_backward; what they refuse, or round often, goes another way."""

    @override
    def conv(self, x: Array, weight: Array, bias: Array | None, options: ConvOptions) -> Array:
        if _narrow(x):
            wide = None if bias is None else bias.float()
            return self.conv(x.float(), weight.float(), wide, options).to(x.dtype)
        if x.dim() != len(options.stride) + 2 or not x.numel() or not x.is_floating_point():
            return _default_conv(self, x, weight, bias, options)
        padding, ends = _padding(options)
        try:
            read = torch.constant_pad_nd(x, ends) if ends else x
            return torch.convolution(
                read,
                weight,
                bias,
                options.stride,
                padding,
                options.dilation,
                False,
                [0] * len(padding),
                options.groups,
            )
        except RuntimeError:
            return _default_conv(self, x, weight, bias, options)  # sizes of 0; it explains what does not fit

    @override
    def conv_x_backward(
        self, grad: Array, weight: Array, x_shape: tuple[int, ...], options: ConvOptions
    ) -> Array:
        if _narrow(grad):
            return self.conv_x_backward(grad.float(), weight.float(), x_shape, options).to(grad.dtype)
        options.check_grad("conv_x_backward", grad.shape, x_shape, weight.shape)
        if not grad.is_floating_point() or 0 in (*grad.shape, *weight.shape, *x_shape):
            return _default_conv_x_backward(self, grad, weight, x_shape, options)
        padding, ends = _padding(options)
        sizes = (
            [s + left + right for s, (left, right) in zip(x_shape[2:], options.padding)]
            if ends
            else x_shape[2:]
        )
        x = grad.new_empty((*x_shape[:2], *sizes))  # only its shape is read
        out = _gradients(grad, x, weight, padding, options, [True, False, False])[0]
        assert out is not None
        if ends:
            for axis, (size, (left, _)) in enumerate(zip(x_shape[2:], options.padding)):
                out = out.narrow(2 + axis, left, size)
        return out

    @override
    def conv_weight_backward(
        self, x: Array, grad: Array, weight_shape: tuple[int, ...], options: ConvOptions
    ) -> Array:
        if _narrow(grad):
            return self.conv_weight_backward(x.float(), grad.float(), weight_shape, options).to(grad.dtype)
        options.check_grad("conv_weight_backward", grad.shape, x.shape, weight_shape)
        if not grad.is_floating_point() or 0 in (*grad.shape, *weight_shape, *x.shape):
            return _default_conv_weight_backward(self, x, grad, weight_shape, options)
        padding, ends = _padding(options)
        weight = grad.new_empty(weight_shape)  # only its shape is read
        read = torch.constant_pad_nd(x, ends) if ends else x
        out = _gradients(grad, read, weight, padding, options, [False, True, False])[1]
        assert out is not None
        return out


def _gradients(
    grad: Array, x: Array, weight: Array, padding: list[int], options: ConvOptions, mask: list[bool]
) -> tuple[Array | None, Array | None, Array | None]:
    nothing = [0] * len(padding)
    return _backward(
        grad,
        x,
        weight,
        [0],
        options.stride,
        padding,
        options.dilation,
        False,
        nothing,
        options.groups,
        mask,
    )


def _narrow(x: Array) -> bool:
    """Whether the CPU kernels would round sums of this dtype on the way."""
    return x.dtype in LOW and x.device.type == "cpu"


def _padding(options: ConvOptions) -> tuple[list[int], list[int]]:
    """What the kernel pads by itself, and what must be added first (last axis first) where sides differ."""
    if all(left == right for left, right in options.padding):
        return [left for left, _ in options.padding], []
    return [0] * len(options.padding), [side for pair in reversed(options.padding) for side in pair]
