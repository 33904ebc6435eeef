"""Convolution on torch: its own kernels, asymmetric padding applied first."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch
from typing_extensions import override

from everygrad_ops import Backend, ConvOptions
from everygrad_ops.conv import ConvOps, check_backward
from everygrad_ops.conv_named import ConvNamedOps
from everygrad_ops.geometry import Ints, Padding, Pairs, conv_options
from everygrad_ops.norm import Three
from everygrad_torch.arrays import LOW, Array, kernel
from everygrad_torch.conv_small import may_be_small, small_conv, small_gradients, small_plan

_kernel: Callable[..., Three[Array]]
_kernel = kernel(torch.ops.aten.convolution_backward.default)
_default_conv: Callable[..., Array] = Backend[Array].conv
_default_conv_x_backward: Callable[..., Array] = Backend[Array].conv_x_backward
_default_conv_weight_backward: Callable[..., Array] = Backend[Array].conv_weight_backward
_default_conv_backward: Callable[..., Three[Array]] = Backend[Array].conv_backward


class TorchConv(ConvOps[Array], ConvNamedOps[Array]):
    """convolution and convolution_backward; what they refuse, or round often, goes another way."""

    @override
    def conv(self, x: Array, weight: Array, bias: Array | None, options: ConvOptions) -> Array:
        if narrow(x):
            wide = None if bias is None else bias.float()
            return self.conv(x.float(), weight.float(), wide, options).to(x.dtype)
        if x.dim() != len(options.stride) + 2 or not x.numel() or not x.is_floating_point():
            return _default_conv(self, x, weight, bias, options)
        size = weight.shape
        if max(size[2:], default=1) > 1 and may_be_small(x, x.shape, size) and weight.dtype is x.dtype:
            plan = small_plan(options, x.shape, size)  # forwards, torch does kernels of size 1 without oneDNN
            if plan is not None and (bias is None or _fits(bias, weight)):
                return small_conv(x, weight, bias, plan)
        padding, ends = _padding(options.padding)
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
                (0,) * len(padding),
                options.groups,
            )
        except RuntimeError:
            return _default_conv(self, x, weight, bias, options)  # sizes of 0; it explains what does not fit

    @override
    def conv_x_backward(
        self, grad: Array, weight: Array, x_shape: tuple[int, ...], options: ConvOptions
    ) -> Array:
        if narrow(grad):
            return self.conv_x_backward(grad.float(), weight.float(), x_shape, options).to(grad.dtype)
        options.check_grad("conv_x_backward", grad.shape, x_shape, weight.shape)
        if not grad.is_floating_point() or 0 in (*grad.shape, *weight.shape, *x_shape):
            return _default_conv_x_backward(self, grad, weight, x_shape, options)
        out = _gradients(grad, None, weight, x_shape, weight.shape, options, (True, False, False))[0]
        assert out is not None
        return out

    @override
    def conv_weight_backward(
        self, x: Array, grad: Array, weight_shape: tuple[int, ...], options: ConvOptions
    ) -> Array:
        if narrow(grad):
            return self.conv_weight_backward(x.float(), grad.float(), weight_shape, options).to(grad.dtype)
        options.check_grad("conv_weight_backward", grad.shape, x.shape, weight_shape)
        if not grad.is_floating_point() or 0 in (*grad.shape, *weight_shape, *x.shape):
            return _default_conv_weight_backward(self, x, grad, weight_shape, options)
        out = _gradients(grad, x, None, x.shape, weight_shape, options, (False, True, False))[1]
        assert out is not None
        return out

    @override
    def conv_backward(
        self,
        grad: Array,
        x: Array | None,
        weight: Array | None,
        x_shape: tuple[int, ...],
        weight_shape: tuple[int, ...],
        options: ConvOptions,
        needs: tuple[bool, bool, bool],
    ) -> Three[Array]:
        return self._backward("conv_backward", grad, x, weight, x_shape, weight_shape, options, needs)

    def _backward(
        self,
        op: str,
        grad: Array,
        x: Array | None,
        weight: Array | None,
        x_shape: tuple[int, ...],
        weight_shape: tuple[int, ...],
        options: ConvOptions,
        needs: tuple[bool, bool, bool],
    ) -> Three[Array]:
        """All the gradients wanted from one call."""
        shapes = None if x is None else x.shape, None if weight is None else weight.shape
        check_backward(op, grad.shape, *shapes, x_shape, weight_shape, options, needs)
        if not grad.is_floating_point() or 0 in (*grad.shape, *weight_shape, *x_shape):
            return _default_conv_backward(self, grad, x, weight, x_shape, weight_shape, options, needs)
        if narrow(grad):
            wide = None if x is None else x.float(), None if weight is None else weight.float()
            found = _gradients(grad.float(), *wide, x_shape, weight_shape, options, needs)
            gx, gw, gb = [None if v is None else v.to(grad.dtype) for v in found]
            return gx, gw, gb
        return _gradients(grad, x, weight, x_shape, weight_shape, options, needs)

    @override
    def conv1d_backward(
        self,
        grad: Array,
        x: Array | None,
        weight: Array | None,
        x_shape: tuple[int, ...],
        weight_shape: tuple[int, ...],
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
        needs: tuple[bool, bool, bool] = (True, True, True),
    ) -> Three[Array]:
        options = conv_options(stride, padding, dilation, groups, op="conv1d_backward", rank=1)
        return self._backward("conv1d_backward", grad, x, weight, x_shape, weight_shape, options, needs)

    @override
    def conv2d_backward(
        self,
        grad: Array,
        x: Array | None,
        weight: Array | None,
        x_shape: tuple[int, ...],
        weight_shape: tuple[int, ...],
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
        needs: tuple[bool, bool, bool] = (True, True, True),
    ) -> Three[Array]:
        options = conv_options(stride, padding, dilation, groups, op="conv2d_backward", rank=2)
        return self._backward("conv2d_backward", grad, x, weight, x_shape, weight_shape, options, needs)

    @override
    def conv3d_backward(
        self,
        grad: Array,
        x: Array | None,
        weight: Array | None,
        x_shape: tuple[int, ...],
        weight_shape: tuple[int, ...],
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
        needs: tuple[bool, bool, bool] = (True, True, True),
    ) -> Three[Array]:
        options = conv_options(stride, padding, dilation, groups, op="conv3d_backward", rank=3)
        return self._backward("conv3d_backward", grad, x, weight, x_shape, weight_shape, options, needs)


def _gradients(
    grad: Array,
    x: Array | None,
    weight: Array | None,
    x_shape: tuple[int, ...],
    weight_shape: tuple[int, ...],
    options: ConvOptions,
    needs: tuple[bool, bool, bool],
) -> Three[Array]:
    """The kernel; of an operand that no gradient is computed from, it reads only the shape."""
    if may_be_small(grad, x_shape, weight_shape):
        plan = small_plan(options, tuple(x_shape), tuple(weight_shape))
        if plan is not None:
            return small_gradients(grad, x, weight, tuple(x_shape), tuple(weight_shape), plan, needs)
    if needs[2] and not needs[1]:  # oneDNN would compute the weight's gradient along with the bias's
        gx = None
        if needs[0]:
            gx = _gradients(grad, x, weight, x_shape, weight_shape, options, (True, False, False))[0]
        return gx, None, torch.sum(grad, [0, *range(2, grad.dim())])
    padding, ends = _padding(options.padding)
    if x is None:
        sides = options.padding if ends else ()
        sizes = [s + left + right for s, (left, right) in zip(x_shape[2:], sides)] or x_shape[2:]
        x = grad.new_empty((*x_shape[:2], *sizes))
    elif ends:
        x = torch.constant_pad_nd(x, ends)
    if weight is None:
        weight = grad.new_empty(weight_shape)
    gx, gw, gb = _kernel(
        grad,
        x,
        weight,
        weight_shape[:1],
        options.stride,
        padding,
        options.dilation,
        False,
        (0,) * len(padding),
        options.groups,
        needs,
    )
    if ends and gx is not None:
        for axis, (size, (left, _)) in enumerate(zip(x_shape[2:], options.padding)):
            gx = gx.narrow(2 + axis, left, size)
    return gx, gw, gb


def _fits(bias: Array, weight: Array) -> bool:
    return bias.dtype is weight.dtype and bias.shape == weight.shape[:1]


def narrow(x: Array) -> bool:
    """Whether the CPU kernels would round sums of this dtype on the way."""
    return x.dtype in LOW and x.device.type == "cpu"


@functools.lru_cache(maxsize=1024)
def _padding(sides: Pairs) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What the kernel pads by itself, and what must be added first (last axis first) where sides differ."""
    if all(left == right for left, right in sides):
        return tuple(left for left, _ in sides), ()
    return (0,) * len(sides), tuple(side for pair in reversed(sides) for side in pair)
