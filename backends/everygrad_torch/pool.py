"""Pooling on torch: its own kernels where they mean the same; the default elsewhere."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from operator import gt
from typing import NamedTuple

import torch
from torch.nn import functional
from typing_extensions import override

from everygrad_ops import Backend, PoolOptions, Window
from everygrad_ops.errors import bad_index
from everygrad_ops.pool import PoolOps, check_floating, check_indices, divisors
from everygrad_torch.arrays import LOW, Array, dtype_of, kernel
from everygrad_torch.looks import binding, is_vouched, may_hold_nan, shape_only, vouch

_aten = torch.ops.aten
_AVG: dict[int, Callable[..., Array]] = {2: functional.avg_pool2d, 3: functional.avg_pool3d}
_AVG_BACKWARD: dict[int, Callable[..., Array]] = {
    2: kernel(_aten.avg_pool2d_backward.default),
    3: kernel(_aten.avg_pool3d_backward.default),
}
_MAX: dict[int, Callable[..., tuple[Array, Array]]] = {
    2: binding("max_pool2d_with_indices"),
    3: binding("max_pool3d_with_indices"),
}
_MAX_BACKWARD: dict[int, Callable[..., Array]] = {
    2: kernel(_aten.max_pool2d_with_indices_backward.default),
    3: kernel(_aten.max_pool3d_with_indices_backward.default),
}
_default_avg_pool: Callable[..., Array] = Backend[Array].avg_pool
_default_avg_pool_backward: Callable[..., Array] = Backend[Array].avg_pool_backward
_default_max_pool_with_indices: Callable[..., tuple[Array, Array]] = Backend[Array].max_pool_with_indices
_default_max_pool_with_indices_backward: Callable[..., Array] = Backend[Array].max_pool_with_indices_backward


class TorchPool(PoolOps[Array]):
    """avg_pool2d/3d, max_pool2d/3d_with_indices and their backwards; rank 1 runs as rank 2 with one row."""

    @override
    def max_pool_with_indices(self, x: Array, options: PoolOptions) -> tuple[Array, Array]:
        plan = _max_plan("max_pool_with_indices", options, x.shape)
        if plan.given is None or not x.numel() or not (x.is_floating_point() or x.dtype in _WHOLE):
            return _default_max_pool_with_indices(self, x, options)
        values, indices = plan.kernel(_image(x), *plan.given)
        if x.is_floating_point() and may_hold_nan(values):  # of several NaN torch takes the last
            return _default_max_pool_with_indices(self, x, options)
        if x.dim() == 3:
            values, indices = values.squeeze(2), indices.squeeze(2)
        vouch(indices, plan.plane)
        return values, indices

    @override
    def max_pool_with_indices_backward(
        self, grad: Array, indices: Array, x_shape: tuple[int, ...], options: PoolOptions
    ) -> Array:
        plan = _max_plan("max_pool_with_indices_backward", options, x_shape)
        if grad.shape != plan.out:
            options.check_grad("max_pool_with_indices_backward", grad.shape, x_shape)
        check_indices(indices.shape, grad.shape)
        if plan.given is None or not grad.numel() or grad.dtype in LOW or not grad.is_cpu:
            return _default_max_pool_with_indices_backward(self, grad, indices, x_shape, options)
        if not is_vouched(indices, plan.plane):
            low, high = (int(end) for end in torch.aminmax(indices))
            if low < 0 or high >= plan.plane:  # the kernel would write there
                raise bad_index("max_pool_with_indices_backward", low, high, plan.plane)
        x = shape_only(plan.image, grad.dtype, grad.device)
        out = plan.backward(_image(grad), x, *plan.given, _image(indices))
        return out.squeeze(2) if grad.dim() == 3 else out

    @override
    def avg_pool(self, x: Array, options: PoolOptions) -> Array:
        if not x.dtype.is_floating_point:
            check_floating("avg_pool", dtype_of(x))
        size, given, _ = _avg_plan("avg_pool", options, x.shape)
        if given is None or not x.numel():
            return _default_avg_pool(self, x, options)
        if x.dtype in LOW:
            return self.avg_pool(x.float(), options).to(x.dtype)
        padded, rest = given
        read = torch.constant_pad_nd(x, padded) if padded else x
        try:
            out = _AVG[len(rest[0])](_image(read), *rest)
            if x.dim() == 3:
                out = out.squeeze(2)
        except RuntimeError:  # avg_pool3d refuses a kernel larger than the unpadded input
            return _default_avg_pool(self, x, options)
        return torch.div(out, _table(x, options, size)) if padded else out

    @override
    def avg_pool_backward(self, grad: Array, x_shape: tuple[int, ...], options: PoolOptions) -> Array:
        if not grad.dtype.is_floating_point:
            check_floating("avg_pool_backward", dtype_of(grad))
        size, given, small = _avg_plan("avg_pool_backward", options, x_shape)
        if grad.shape != (*x_shape[:2], *size):
            options.check_grad("avg_pool_backward", grad.shape, x_shape)
        if given is None or not grad.numel() or small:
            return _default_avg_pool_backward(self, grad, x_shape, options)
        if grad.dtype in LOW:
            return self.avg_pool_backward(grad.float(), x_shape, options).to(grad.dtype)
        padded, rest = given
        sizes = x_shape[2:]
        if padded:
            grad = torch.div(grad, _table(grad, options, tuple(grad.shape[2:]), x_shape))
            sides = options.covering(x_shape).padding
            sizes = tuple(s + left + right for s, (left, right) in zip(sizes, sides))
        x = _image(shape_only((*x_shape[:2], *sizes), grad.dtype, grad.device))
        out = _AVG_BACKWARD[len(rest[0])](_image(grad), x, *rest)
        if grad.dim() == 3:
            out = out.squeeze(2)
        if padded:
            for axis, (length, (left, _)) in enumerate(zip(x_shape[2:], options.covering(x_shape).padding)):
                out = out.narrow(2 + axis, left, length)
        return out


_WHOLE = frozenset({torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8})


def _image(x: Array) -> Array:
    """An array of rank 1 with a row axis of size 1; other ranks as they are."""
    return x.unsqueeze(2) if x.dim() == 3 else x


def _rows(values: Sequence[int], fill: int) -> list[int]:
    return [fill, *values] if len(values) == 1 else list(values)


def _symmetric(window: Window) -> list[int] | None:
    if any(left != right for left, right in window.padding):
        return None
    return _rows([left for left, _ in window.padding], 0)


class MaxPlan(NamedTuple):
    """What max pooling of one shape comes to."""

    out: tuple[int, ...]
    """The shape of the result."""
    plane: int
    """The elements that an index may name."""
    image: tuple[int, ...]
    """The shape of x as the kernels take it."""
    given: tuple[list[int], list[int], list[int], list[int], bool] | None
    """kernel_size, stride, padding, dilation, ceil_mode as torch takes them; None where it would refuse them."""
    kernel: Callable[..., tuple[Array, Array]]
    backward: Callable[..., Array]


@functools.lru_cache(maxsize=1024)
def _max_plan(op: str, options: PoolOptions, shape: tuple[int, ...]) -> MaxPlan:
    out = (*shape[:2], *options.output_size(op, shape))
    plane, image = math.prod(shape[2:]), (*shape[:2], 1, *shape[2:]) if len(shape) == 3 else tuple(shape)
    rank, w = len(image) - 2, options.window
    padding, given = _symmetric(w), None
    if padding is not None and all(left <= k // 2 for k, (left, _) in zip(w.kernel_size, w.padding)):
        sizes = _rows(w.kernel_size, 1), _rows(w.stride, 1), padding, _rows(w.dilation, 1)
        given = (*sizes, options.ceil_mode)
    return MaxPlan(
        out, plane, image, given, _MAX.get(rank, _MAX[2]), _MAX_BACKWARD.get(rank, _MAX_BACKWARD[2])
    )


@functools.lru_cache(maxsize=1024)
def _avg_plan(
    op: str, options: PoolOptions, shape: tuple[int, ...]
) -> tuple[
    tuple[int, ...],
    tuple[list[int], tuple[list[int], list[int], list[int], bool, bool, int | None]] | None,
    bool,
]:
    """The spatial sizes of the result, how torch is called for it, and whether a kernel is larger than x."""
    small = any(map(gt, options.window.kernel_size, shape[2:]))
    return options.output_size(op, shape), _avg_arguments(options, shape), small


def _avg_arguments(
    options: PoolOptions, shape: Sequence[int]
) -> tuple[list[int], tuple[list[int], list[int], list[int], bool, bool, int | None]] | None:
    """What to pad first (last axis first; then torch sums, and we divide), and torch's other arguments."""
    w = options.window
    if any(d > 1 for d in w.dilation):
        return None
    taken, stride, padding = _rows(w.kernel_size, 1), _rows(w.stride, 1), _symmetric(w)
    if padding is not None:
        rest = (options.ceil_mode, options.count_include_pad, options.divisor_override)
        return [], (taken, stride, padding, *rest)
    sides = [side for pair in reversed(options.covering(shape).padding) for side in pair]
    return sides, (taken, stride, [0] * len(taken), False, True, 1)


def _table(
    like: Array, options: PoolOptions, count: tuple[int, ...], x_shape: Sequence[int] | None = None
) -> Array | int:
    sizes = tuple(like.shape[2:] if x_shape is None else x_shape[2:])
    table = divisors(options, sizes, count)
    return table if isinstance(table, int) else torch.as_tensor(table, dtype=like.dtype, device=like.device)
