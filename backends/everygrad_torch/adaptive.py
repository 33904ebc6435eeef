"""Adaptive pools on torch: its own kernels; rank 1 runs as rank 2 with one row."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.adaptive import AdaptivePoolOps, check_adaptive, check_adaptive_grad
from everygrad_ops.errors import bad_index
from everygrad_ops.pool import check_floating, check_indices
from everygrad_torch.arrays import LOW, Array, dtype_of, kernel
from everygrad_torch.looks import binding, is_vouched, may_hold_nan, shape_only, vouch

_aten = torch.ops.aten
_AVG: dict[int, Callable[..., Array]] = {
    2: binding("_adaptive_avg_pool2d"),
    3: binding("_adaptive_avg_pool3d"),
}
_AVG_BACKWARD: dict[int, Callable[..., Array]] = {
    2: kernel(_aten._adaptive_avg_pool2d_backward.default),
    3: kernel(_aten._adaptive_avg_pool3d_backward.default),
}
_MAX: dict[int, Callable[..., tuple[Array, Array]]] = {
    2: binding("adaptive_max_pool2d"),
    3: binding("adaptive_max_pool3d"),
}
_MAX_BACKWARD: dict[int, Callable[..., Array]] = {
    2: kernel(_aten.adaptive_max_pool2d_backward.default),
    3: kernel(_aten.adaptive_max_pool3d_backward.default),
}
_default_avg: Callable[..., Array] = Backend[Array].adaptive_avg_pool
_default_avg_backward: Callable[..., Array] = Backend[Array].adaptive_avg_pool_backward
_default_max: Callable[..., tuple[Array, Array]] = Backend[Array].adaptive_max_pool_with_indices
_default_max_backward: Callable[..., Array] = Backend[Array].adaptive_max_pool_with_indices_backward


class TorchAdaptive(AdaptivePoolOps[Array]):
    """_adaptive_avg_pool2d/3d, adaptive_max_pool2d/3d and their backwards."""

    @override
    def adaptive_avg_pool(self, x: Array, output_size: tuple[int, ...]) -> Array:
        if not x.dtype.is_floating_point:
            check_floating("adaptive_avg_pool", dtype_of(x))
        ones = _only_ones("adaptive_avg_pool", x.shape, output_size)
        if x.dtype in LOW:
            return self.adaptive_avg_pool(x.float(), output_size).to(x.dtype)
        rank = x.dim() - 2
        if not x.numel() or rank > 3:
            return _default_avg(self, x, output_size)
        if ones:
            return torch.mean(x, tuple(range(2, rank + 2)), True)
        if rank == 1:
            return _AVG[2](x.unsqueeze(2), [1, *output_size]).squeeze(2)
        return _AVG[rank](x, output_size)

    @override
    def adaptive_avg_pool_backward(self, grad: Array, x_shape: tuple[int, ...]) -> Array:
        if not grad.dtype.is_floating_point:
            check_floating("adaptive_avg_pool_backward", dtype_of(grad))
        ones = _only_ones_back("adaptive_avg_pool_backward", grad.shape, x_shape)
        if grad.dtype in LOW:
            return self.adaptive_avg_pool_backward(grad.float(), x_shape).to(grad.dtype)
        rank = grad.dim() - 2
        if not grad.numel() or rank > 3:
            return _default_avg_backward(self, grad, x_shape)
        if ones:
            return torch.div(grad, math.prod(x_shape[2:])).expand(x_shape)
        x = shape_only(tuple(x_shape), grad.dtype, grad.device)
        if rank == 1:
            return _AVG_BACKWARD[2](grad.unsqueeze(2), x.unsqueeze(2)).squeeze(2)
        return _AVG_BACKWARD[rank](grad, x)

    @override
    def adaptive_max_pool_with_indices(self, x: Array, output_size: tuple[int, ...]) -> tuple[Array, Array]:
        check_adaptive("adaptive_max_pool_with_indices", x.shape, output_size)
        if not x.numel() or x.dim() > 5 or not x.is_floating_point():
            return _default_max(self, x, output_size)
        size = _rows(output_size)
        values, indices = _MAX[len(size)](_image(x), size)
        if may_hold_nan(values):  # of several NaN torch takes the last
            return _default_max(self, x, output_size)
        if x.dim() == 3:
            values, indices = values.squeeze(2), indices.squeeze(2)
        vouch(indices, math.prod(x.shape[2:]))
        return values, indices

    @override
    def adaptive_max_pool_with_indices_backward(
        self, grad: Array, indices: Array, x_shape: tuple[int, ...]
    ) -> Array:
        op = "adaptive_max_pool_with_indices_backward"
        check_adaptive_grad(op, grad.shape, x_shape)
        check_indices(indices.shape, grad.shape, op)
        if not grad.numel() or grad.dtype in LOW or not grad.is_cpu or grad.dim() > 5:
            return _default_max_backward(self, grad, indices, x_shape)
        check_range(op, indices, math.prod(x_shape[2:]))
        x = _image(shape_only(tuple(x_shape), grad.dtype, grad.device))
        at = _image(indices).contiguous()  # at rank 3 the kernel reads them as if they were
        out = _MAX_BACKWARD[x.dim() - 2](_image(grad), x, at)
        return out.squeeze(2) if grad.dim() == 3 else out


def _image(x: Array) -> Array:
    """An array of rank 1 with a row axis of size 1; other ranks as they are."""
    return x.unsqueeze(2) if x.dim() == 3 else x


def _rows(size: tuple[int, ...]) -> list[int]:
    return [1, *size] if len(size) == 1 else list(size)


@functools.lru_cache(maxsize=1024)
def _only_ones(op: str, x_shape: tuple[int, ...], output_size: tuple[int, ...]) -> bool:
    """Whether all is one window; sizes that do not fit are refused."""
    check_adaptive(op, x_shape, output_size)
    return all(count == 1 for count in output_size)


@functools.lru_cache(maxsize=1024)
def _only_ones_back(op: str, grad_shape: tuple[int, ...], x_shape: tuple[int, ...]) -> bool:
    """The same of an upstream gradient."""
    check_adaptive_grad(op, grad_shape, x_shape)
    return all(count == 1 for count in grad_shape[2:])


def check_range(op: str, indices: Array, size: int) -> None:
    """Refuse indices where the kernel would read or write beyond the plane."""
    if not is_vouched(indices, size):
        low, high = (int(end) for end in torch.aminmax(indices))
        if low < 0 or high >= size:
            raise bad_index(op, low, high, size)
