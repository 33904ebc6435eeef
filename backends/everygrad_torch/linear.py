"""The affine map on torch."""

from __future__ import annotations

from collections.abc import Callable

import torch
from typing_extensions import override

from everygrad_ops.errors import misfit
from everygrad_ops.linear import LinearOps
from everygrad_torch.arrays import Array

_linear: Callable[[Array, Array, Array | None], Array] = torch.nn.functional.linear
_mm = torch.mm


class TorchLinear(LinearOps[Array]):
    """One kernel each: addmm forwards, mm backwards."""

    @override
    def linear(self, x: Array, weight: Array, bias: Array | None) -> Array:
        try:
            out = _linear(_rows(x), weight, bias)
        except RuntimeError as error:
            raise misfit("linear", error, x=x, weight=weight, bias=bias) from None
        if weight.dim() != 2 or (bias is not None and bias.shape != weight.shape[:1]):
            raise misfit("linear", ValueError("weight is (out, in), bias (out,)"), weight=weight, bias=bias)
        return out

    @override
    def linear_x_backward(self, weight: Array, grad: Array) -> Array:
        try:
            return _mm(grad, weight) if grad.dim() == 2 else torch.matmul(_rows(grad), weight)
        except RuntimeError as error:
            raise misfit("linear_x_backward", error, weight=weight, grad=grad) from None

    @override
    def linear_weight_backward(self, x: Array, grad: Array) -> Array:
        if x.shape[:-1] != grad.shape[:-1]:
            raise misfit("linear_weight_backward", ValueError("leading sizes differ"), x=x, grad=grad)
        if x.dim() != 2:
            rows = x.numel() // max(x.shape[-1], 1) if x.shape[-1] else grad.numel() // max(grad.shape[-1], 1)
            x, grad = x.reshape(rows, x.shape[-1]), grad.reshape(rows, grad.shape[-1])
        return _mm(grad.t(), x)

    @override
    def linear_bias_backward(self, grad: Array) -> Array:
        rank = grad.dim()
        if rank == 2:
            return torch.sum(grad, 0)
        return torch.sum(grad, list(range(rank - 1))) if rank > 1 else grad


def _rows(x: Array) -> Array:
    """One matrix of rows behind any leading dims: of strided ones torch makes a product each, a third slower."""
    return x if x.dim() < 3 or x.is_contiguous() else x.contiguous()
