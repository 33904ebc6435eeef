"""Transposed convolution on torch: its own kernels where both sides are padded alike; the default elsewhere."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.conv import check_backward
from everygrad_ops.conv_transpose import ConvTransposeOps
from everygrad_ops.norm import Three
from everygrad_ops.transposed import ConvTransposeOptions
from everygrad_torch.arrays import Array, kernel
from everygrad_torch.conv import narrow
from everygrad_torch.conv_small import Plan, may_be_small, small_conv, small_gradients, small_plan

_kernel: Callable[..., Three[Array]]
_kernel = kernel(torch.ops.aten.convolution_backward.default)
_default: Callable[..., Array] = Backend[Array].conv_transpose
_default_x_backward: Callable[..., Array] = Backend[Array].conv_transpose_x_backward
_default_weight_backward: Callable[..., Array] = Backend[Array].conv_transpose_weight_backward
_default_backward: Callable[..., Three[Array]] = Backend[Array].conv_transpose_backward


class TorchConvTranspose(ConvTransposeOps[Array]):
    """convolution and convolution_backward with transposed=True."""

    @override
    def conv_transpose(
        self, x: Array, weight: Array, bias: Array | None, options: ConvTransposeOptions
    ) -> Array:
        padding = _padding(options)
        if padding is None or narrow(x) or not x.is_floating_point() or 0 in (*x.shape, *weight.shape):
            return _default(self, x, weight, bias, options)
        if x.dtype is weight.dtype and may_be_small(x, x.shape, weight.shape):
            small = _small(options, x.shape, weight.shape)
            if small is not None and (
                bias is None or (bias.dtype is x.dtype and bias.shape == small[0][1:2])
            ):
                shape, plan = small
                out = small_gradients(x, None, weight, shape, weight.shape, plan, (True, False, False))[0]
                assert out is not None
                return out if bias is None else out.add_(bias.reshape(-1, *(1 for _ in shape[2:])))
        try:
            return torch.convolution(
                x,
                weight,
                bias,
                options.stride,
                padding,
                options.dilation,
                True,
                options.output_padding,
                options.groups,
            )
        except RuntimeError:
            return _default(self, x, weight, bias, options)  # it explains what does not fit

    @override
    def conv_transpose_x_backward(
        self, grad: Array, weight: Array, x_shape: tuple[int, ...], options: ConvTransposeOptions
    ) -> Array:
        options.check_grad("conv_transpose_x_backward", grad.shape, x_shape, weight.shape)
        found = _gradients(grad, None, weight, x_shape, weight.shape, options, (True, False, False))
        if found is None or found[0] is None:
            return _default_x_backward(self, grad, weight, x_shape, options)
        return found[0]

    @override
    def conv_transpose_weight_backward(
        self, x: Array, grad: Array, weight_shape: tuple[int, ...], options: ConvTransposeOptions
    ) -> Array:
        options.check_grad("conv_transpose_weight_backward", grad.shape, x.shape, weight_shape)
        found = _gradients(grad, x, None, x.shape, weight_shape, options, (False, True, False))
        if found is None or found[1] is None:
            return _default_weight_backward(self, x, grad, weight_shape, options)
        return found[1]

    @override
    def conv_transpose_backward(
        self,
        grad: Array,
        x: Array | None,
        weight: Array | None,
        x_shape: tuple[int, ...],
        weight_shape: tuple[int, ...],
        options: ConvTransposeOptions,
        needs: tuple[bool, bool, bool],
    ) -> Three[Array]:
        shapes = None if x is None else x.shape, None if weight is None else weight.shape
        check_backward("conv_transpose_backward", grad.shape, *shapes, x_shape, weight_shape, options, needs)
        found = _gradients(grad, x, weight, x_shape, weight_shape, options, needs)
        if found is None:
            return _default_backward(self, grad, x, weight, x_shape, weight_shape, options, needs)
        return found


def _gradients(
    grad: Array,
    x: Array | None,
    weight: Array | None,
    x_shape: tuple[int, ...],
    weight_shape: tuple[int, ...],
    options: ConvTransposeOptions,
    needs: tuple[bool, bool, bool],
) -> Three[Array] | None:
    """The kernel, None where it does not serve; of an operand it computes no gradient from, it reads the shape."""
    padding = _padding(options)
    sizes = (*grad.shape, *weight_shape, *x_shape)
    if padding is None or narrow(grad) or not grad.is_floating_point() or 0 in sizes:
        return None
    small = (
        _small(options, tuple(x_shape), tuple(weight_shape))
        if may_be_small(grad, x_shape, weight_shape)
        else None
    )
    if small is not None:
        return _small_gradients(grad, x, weight, tuple(weight_shape), small[1], needs)
    gx, gw, gb = _kernel(
        grad,
        grad.new_empty(1).expand(x_shape) if x is None else x,
        grad.new_empty(1).expand(weight_shape) if weight is None else weight,
        (weight_shape[1] * options.groups,),
        options.stride,
        padding,
        options.dilation,
        True,
        options.output_padding,
        options.groups,
        (needs[0], needs[1], False),
    )
    return gx, gw, torch.sum(grad, [0, *range(2, grad.dim())]) if needs[2] else gb


@functools.lru_cache(maxsize=1024)
def _small(
    options: ConvTransposeOptions, x_shape: tuple[int, ...], weight_shape: tuple[int, ...]
) -> tuple[tuple[int, ...], Plan] | None:
    """The result's shape, and how the convolution is called whose gradient in x this is; None if that is not small."""
    shape, (turned, over) = options.output_shape("conv_transpose", x_shape, weight_shape), options.reversed()
    if any(over) or 0 in shape or turned.output_size("conv_transpose", shape, weight_shape) != x_shape[2:]:
        return None
    plan = small_plan(turned, shape, weight_shape)
    return None if plan is None else (shape, plan)


def _small_gradients(
    grad: Array,
    x: Array | None,
    weight: Array | None,
    weight_shape: tuple[int, ...],
    plan: Plan,
    needs: tuple[bool, bool, bool],
) -> Three[Array]:
    gx = gw = None
    if needs[0] and weight is not None:
        gx = small_conv(grad, weight, None, plan)
    if needs[1] and x is not None:
        shape = tuple(grad.shape)
        gw = small_gradients(x, grad, None, shape, weight_shape, plan, (False, True, False))[1]
    return gx, gw, torch.sum(grad, [0, *range(2, grad.dim())]) if needs[2] else None


def _padding(options: ConvTransposeOptions) -> tuple[int, ...] | None:
    if any(left != right for left, right in options.padding):
        return None
    return tuple(left for left, _ in options.padding)
