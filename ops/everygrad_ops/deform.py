"""Deformable convolution: each tap of each window reads x at a place of its own, between the elements.

A tap reads bilinearly at its regular place plus its offset; beyond the image everything is 0. The derivative
in a coordinate is that of the cell to its right, as floor chooses it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.conv import check_bias
from everygrad_ops.deform_options import DeformOptions
from everygrad_ops.deform_parts import cells, corners, gradients, mixed, shares
from everygrad_ops.dtypes import LOW_PRECISION, DType
from everygrad_ops.errors import ShapeError
from everygrad_ops.marks import outputs

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class DeformOps(Protocol[A]):
    """deform_conv2d and all of its gradients; float16 and bfloat16 are computed in float32 and rounded once."""

    def deform_conv2d(
        self: Backend[A], x: A, offset: A, weight: A, mask: A | None, bias: A | None, options: DeformOptions
    ) -> A:
        """2-D deformable convolution of x (N, C, H, W) with weight (O, C / groups, kh, kw), plus bias (O,).

        offset (N, 2 * G * kh * kw, oh, ow) holds (down, right) of each tap for each of G groups of channels;
        mask (N, G * kh * kw, oh, ow) scales what each tap reads. NaN coordinates give NaN, inf ones read 0.
        Source: Zhu et al., "Deformable ConvNets v2", arXiv:1811.11168.
        """
        shape, kernel = self.shape(x), self.shape(weight)
        given = None if mask is None else self.shape(mask)
        size = options.output_size("deform_conv2d", shape, self.shape(offset), kernel, given)
        if bias is not None:
            check_bias("deform_conv2d", self.shape(bias), kernel[0])
        dtype = self.dtype(x)
        if dtype in LOW_PRECISION:
            f32 = DType.float32
            scale, added = (
                None if mask is None else self.cast(mask, f32),
                None if bias is None else self.cast(bias, f32),
            )
            operands = self.cast(x, f32), self.cast(offset, f32), self.cast(weight, f32)
            return self.cast(self.deform_conv2d(*operands, scale, added, options), dtype)
        where = cells(self, x, offset, kernel, size, options)
        columns = mixed(self, corners(self, where), shares(self, where))
        if mask is not None:
            columns = self.mul(
                columns, self.reshape(mask, (self.shape(columns)[0], 1, self.shape(columns)[2]))
            )
        n, o, groups = shape[0], kernel[0], options.groups
        inner = math.prod(kernel[1:])
        table = self.reshape(columns, (n, groups, inner, math.prod(size)))
        kernels = self.reshape(weight, (1, groups, o // groups, inner))
        out = self.reshape(self.matmul(kernels, table), (n, o, *size))
        return out if bias is None else self.add(out, self.reshape(bias, (o, 1, 1)))

    @outputs("grad_x", "grad_offset", "grad_weight", "grad_mask", "grad_bias")
    def deform_conv2d_backward(
        self: Backend[A],
        x: A,
        offset: A,
        weight: A,
        mask: A | None,
        grad: A,
        options: DeformOptions,
        needs: tuple[bool, bool, bool, bool, bool] = (True, True, True, True, True),
    ) -> tuple[A | None, A | None, A | None, A | None, A | None]:
        """The gradients of `deform_conv2d` in x, offset, weight, mask and bias; None where not in `needs`."""
        op, shape, kernel = "deform_conv2d_backward", self.shape(x), self.shape(weight)
        given = None if mask is None else self.shape(mask)
        size = options.output_size(op, shape, self.shape(offset), kernel, given)
        if self.shape(grad) != (shape[0], kernel[0], *size):
            raise ShapeError(
                f"{op}: grad must have the result's shape {(shape[0], kernel[0], *size)}. "
                f"Received: shape {self.shape(grad)}"
            )
        dtype = self.dtype(x)
        if dtype in LOW_PRECISION:
            f32 = DType.float32
            operands = self.cast(x, f32), self.cast(offset, f32), self.cast(weight, f32)
            scale, upstream = None if mask is None else self.cast(mask, f32), self.cast(grad, f32)
            found = self.deform_conv2d_backward(*operands, scale, upstream, options, needs)
            a, b, c, d, e = [None if v is None else self.cast(v, dtype) for v in found]
            return a, b, c, d, e
        return gradients(self, x, offset, weight, mask, grad, options, size, needs)
