"""The three bilinear forms of a convolution as products of matrices, block by block."""

from __future__ import annotations

import itertools
import math

import numpy as np

from everygrad_numpy import depthwise_planes
from everygrad_numpy.arrays import Array
from everygrad_numpy.conv_blocks import Block, Columns, part_of, workspace
from everygrad_numpy.depthwise import depthwise, depthwise_x
from everygrad_numpy.window import padded, spatial
from everygrad_ops import Window


def forward(
    x: Array, weight: Array, bias: Array | None, window: Window, size: tuple[int, ...], groups: int
) -> Array:
    """The convolution of x (N, C, rows, ...) with weight (O, C / groups, kernel...)."""
    o, per_group = weight.shape[:2]
    if x.size == 0 or weight.size == 0:
        out: Array = np.zeros((x.shape[0], o, *size), x.dtype)
        return out if bias is None else np.add(out, _per_channel(bias, out.ndim), out=out)
    if per_group == 1 and groups > 1:
        out = depthwise(x, weight, window, size)
    elif math.prod(window.kernel_size) == 1:
        out = _pointwise(x, weight, window, size, groups)
    else:
        return _blocked(x, weight, bias, window, size, groups)
    return out if bias is None else np.add(out, _per_channel(bias, out.ndim), out=out)


def x_gradient(grad: Array, weight: Array, sizes: tuple[int, ...], window: Window, groups: int) -> Array:
    """The gradient in an x of spatial `sizes`."""
    n, o, per_group = grad.shape[0], *weight.shape[:2]
    ends = tuple((e - 1 - left, e - 1 - right) for e, (left, right) in zip(window.extent, window.padding))
    if grad.size == 0 or weight.size == 0 or math.prod(sizes) == 0:
        return np.zeros((n, per_group * groups, *sizes), grad.dtype)
    if per_group == 1 and groups > 1:
        return depthwise_x(grad, weight, sizes, window, groups)
    reaches = any(s > 1 for s in window.stride) or min(e for pair in ends for e in pair) < 0
    if reaches or not _is_finite(weight):
        return _scattered(grad, weight, sizes, window, groups)
    swapped = weight.reshape(groups, o // groups, per_group, *window.kernel_size).swapaxes(1, 2)
    flipped = np.flip(swapped, tuple(range(3, swapped.ndim)))
    kernels = np.ascontiguousarray(flipped).reshape(groups * per_group, o // groups, *window.kernel_size)
    back = Window(window.kernel_size, window.stride, ends, window.dilation)
    return forward(grad, kernels, None, back, sizes, groups)


def weight_gradient(x: Array, grad: Array, window: Window, groups: int) -> Array:
    """The gradient in the weight, (groups, O / groups, C / groups, kernel...)."""
    k0, d0, o, per_group = window.kernel_size[0], window.dilation[0], grad.shape[1], x.shape[1] // groups
    shape = (groups, o // groups, per_group, *window.kernel_size)
    if x.size == 0 or grad.size == 0 or o == 0:
        return np.zeros(shape, x.dtype)
    if per_group == 1 and groups > 1 and depthwise_planes.large(grad.shape, x.dtype):
        found = depthwise_planes.weight_gradient(x, grad, window)
        if np.isfinite(found).all():  # else 0 may have met inf where no window is
            return found.reshape(shape)
    stacked = window.stride[0] == 1 and _is_finite(x)  # rows of zeros between images make NaN of inf
    columns = Columns(x, window, grad.shape[2:], groups, stacked, o)
    shifts = [t * d0 * columns.inner for t in range(k0)] if stacked else [0]
    total: Array = np.zeros((len(shifts), groups, o // groups, columns.per_group), x.dtype)
    for block in columns.blocks():
        table = columns.of(block)
        upstream = _upstream(grad, block, groups, columns.over)
        length = upstream.shape[2]
        if block.images > 1:
            length -= columns.over * columns.inner  # the last rows are the zeros that were added
        for i, shift in enumerate(shifts):
            part = table[:, :, shift : shift + length]
            total[i] += np.matmul(upstream[:, :, :length], part.transpose(0, 2, 1))
    if not stacked:
        return total.reshape(shape)
    apart = total.reshape(k0, groups, o // groups, per_group, *window.kernel_size[1:])
    return apart.transpose(1, 2, 3, 0, *range(4, apart.ndim))


def _is_finite(x: Array) -> bool:
    """Whether no product with the zeros that fill a shape up makes NaN; a sum is the cheapest way to ask."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(x.sum()))


def _per_channel(bias: Array, ndim: int) -> Array:
    return bias.reshape(-1, *(1,) * (ndim - 2))


def _pointwise(x: Array, weight: Array, window: Window, size: tuple[int, ...], groups: int) -> Array:
    """A kernel of one tap: one product."""
    x = padded(x, window)[spatial(tuple(slice(None, None, s) for s in window.stride))]
    n, c, o = x.shape[0], x.shape[1], weight.shape[0]
    flat = x.reshape(n, groups, c // groups, math.prod(size))
    out: Array = np.matmul(weight.reshape(1, groups, o // groups, c // groups), flat)
    return out.reshape(n, o, *size)


def _blocked(
    x: Array, weight: Array, bias: Array | None, window: Window, size: tuple[int, ...], groups: int
) -> Array:
    k0, inner_taps = window.kernel_size[0], math.prod(window.kernel_size[1:])
    o, per_group = weight.shape[:2]
    stacked = window.stride[0] == 1 and k0 > 1 and (k0 - 1) * per_group * inner_taps >= k0 * o // groups
    kernels = weight.reshape(groups, o // groups, per_group, k0, inner_taps)
    if stacked:
        kernels = kernels.transpose(0, 3, 1, 2, 4)
    kernels = kernels.reshape(groups, (k0 if stacked else 1) * (o // groups), -1)
    columns = Columns(x, window, size, groups, stacked, o * k0 if stacked else o)
    out: Array = np.empty((x.shape[0], o, *size), x.dtype)
    for block in columns.blocks():
        target = part_of(out, block, groups)
        if not stacked and block.images == 1:
            np.matmul(kernels, columns.of(block), out=target.reshape(groups, o // groups, -1))
        else:
            table = columns.of(block)
            parts = workspace("parts", (*kernels.shape[:2], table.shape[2]), x.dtype)
            np.matmul(kernels, table, out=parts)
            rows = (block.images, block.rows + columns.over, *size[1:])
            _add_shifted(parts.reshape(groups, -1, o // groups, *rows), target, window.dilation[0])
        if bias is not None:
            np.add(target, bias.reshape(groups, -1, *(1,) * (target.ndim - 2)), out=target)
    return out


def _add_shifted(parts: Array, target: Array, step: int) -> None:
    """target[.., row, ..] = sum over t of parts[:, t, .., row + t * step, ..]."""
    rows = target.shape[3]
    shifted = [parts[:, t, :, :, t * step : t * step + rows] for t in range(parts.shape[1])]
    if len(shifted) == 1:
        np.copyto(target, shifted[0])
        return
    np.add(shifted[0], shifted[1], out=target)
    for part in shifted[2:]:
        np.add(target, part, out=target)


def _upstream(grad: Array, block: Block, groups: int, over: int) -> Array:
    """(groups, channels, images * rows * ...); several images get `over` rows of zeros below each."""
    part = part_of(grad, block, groups)
    if over and block.images > 1:
        spaced: Array = np.zeros((*part.shape[:3], part.shape[3] + over, *part.shape[4:]), grad.dtype)
        spaced[:, :, :, : part.shape[3]] = part
        part = spaced
    return part.reshape(*part.shape[:2], -1)


def _scattered(grad: Array, weight: Array, sizes: tuple[int, ...], window: Window, groups: int) -> Array:
    """Columns of the gradient, added back where each tap read: for strides above 1."""
    n, o, per_group = grad.shape[0], *weight.shape[:2]
    kernels = weight.reshape(groups, o // groups, -1).transpose(0, 2, 1)
    full = [s + left + right for s, (left, right) in zip(sizes, window.padding)]
    out: Array = np.zeros((n, per_group * groups, *full), grad.dtype)
    plan = Columns(out, window, grad.shape[2:], groups, False, o)
    for block in plan.blocks():
        upstream = _upstream(grad, block, groups, 0)
        columns = workspace("parts", (*kernels.shape[:2], upstream.shape[2]), grad.dtype)
        np.matmul(kernels, upstream, out=columns)
        apart = columns.reshape(
            groups, per_group, *window.kernel_size, block.images, block.rows, *grad.shape[3:]
        )
        target = out[block.n0 : block.n1].reshape(block.images, groups, per_group, *full)
        target = target.transpose(1, 2, 0, *range(3, target.ndim))
        counts = (block.rows, *grad.shape[3:])
        for tap in itertools.product(*(range(k) for k in window.kernel_size)):
            starts = [t * d for t, d in zip(tap, window.dilation)]
            starts[0] += block.r0 * window.stride[0]
            at = tuple(slice(a, a + (m - 1) * s + 1, s) for a, m, s in zip(starts, counts, window.stride))
            read: tuple[slice | int, ...] = (slice(None), slice(None), *tap)
            target[(slice(None), *spatial(at))] += apart[read]
    inner = tuple(slice(left, left + s) for s, (left, _) in zip(sizes, window.padding))
    return np.ascontiguousarray(out[spatial(inner)])
