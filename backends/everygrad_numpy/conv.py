"""Convolution on NumPy: blocked columns and BLAS; shifted multiply-adds where a group has one channel."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, hushed
from everygrad_numpy.conv_products import forward, weight_gradient, x_gradient
from everygrad_ops import ConvOptions, Window
from everygrad_ops.conv import ConvOps, check_bias
from everygrad_ops.linalg import no_booleans


@hushed
class NumpyConv(ConvOps[Array]):
    """The three bilinear forms. Rank 1 runs as rank 2 with one column."""

    @override
    def conv(self, x: Array, weight: Array, bias: Array | None, options: ConvOptions) -> Array:
        size = options.output_size("conv", x.shape, weight.shape)
        if bias is not None:
            check_bias("conv", bias.shape, weight.shape[0])
        if not weight.size:  # no channels in, or none out
            out = np.zeros((x.shape[0], weight.shape[0], *size), x.dtype)
            return out if bias is None else out + bias.reshape(-1, *[1] * len(size))
        window = _rows(options.window(weight.shape))
        wide = _wide(x.dtype)
        out = forward(
            _image(x.astype(wide, copy=False)),
            _image(weight.astype(wide, copy=False)),
            None if bias is None else bias.astype(wide, copy=False),
            window,
            (*size, 1) if len(size) == 1 else size,
            options.groups,
        )
        return out.reshape(x.shape[0], weight.shape[0], *size).astype(x.dtype, copy=False)

    @override
    def conv_x_backward(
        self, grad: Array, weight: Array, x_shape: tuple[int, ...], options: ConvOptions
    ) -> Array:
        options.check_grad("conv_x_backward", grad.shape, x_shape, weight.shape)
        if not weight.size:
            return np.zeros(x_shape, grad.dtype)
        window = _rows(options.window(weight.shape))
        wide = _wide(grad.dtype)
        sizes = (x_shape[2], 1) if len(x_shape) == 3 else tuple(x_shape[2:])
        out = x_gradient(
            _image(grad.astype(wide, copy=False)),
            _image(weight.astype(wide, copy=False)),
            sizes,
            window,
            options.groups,
        )
        return out.reshape(x_shape).astype(grad.dtype, copy=False)

    @override
    def conv_weight_backward(
        self, x: Array, grad: Array, weight_shape: tuple[int, ...], options: ConvOptions
    ) -> Array:
        options.check_grad("conv_weight_backward", grad.shape, x.shape, weight_shape)
        if 0 in weight_shape:
            return np.zeros(weight_shape, x.dtype)
        window = _rows(options.window(weight_shape))
        wide = _wide(x.dtype)
        out = weight_gradient(
            _image(x.astype(wide, copy=False)),
            _image(grad.astype(wide, copy=False)),
            window,
            options.groups,
        )
        return out.reshape(weight_shape).astype(x.dtype, copy=False)


def _wide(dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    if dtype.kind == "b":
        raise no_booleans("matmul")  # which a convolution is
    return np.dtype(np.float32) if dtype in LOW else dtype


def _image(x: Array) -> Array:
    """An array of rank 1 as rows of one element; other ranks as they are."""
    return x[..., None] if x.ndim == 3 else x


def _rows(window: Window) -> Window:
    if window.rank > 1:
        return window
    return Window(
        (*window.kernel_size, 1), (*window.stride, 1), (*window.padding, (0, 0)), (*window.dilation, 1)
    )
