"""How a deformable convolution reads: the neighbours of each tap, and the slopes of what lies between them."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from everygrad_ops.deform_options import DeformOptions
from everygrad_ops.dtypes import DType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everygrad_ops.backend import Backend

A = TypeVar("A")
Five = tuple[A | None, A | None, A | None, A | None, A | None]


@dataclass(frozen=True, slots=True)
class Cells(Generic[A]):
    """Where taps read: all with N * G first, then channels of a group (or 1), then taps * windows."""

    plane: A
    """x with two rows and columns of zeros around, flattened."""
    width: int
    """Of a row of it."""
    corner: A
    """Flat index of each read's upper left neighbour."""
    down: A
    right: A
    """How far below and to the right of it the read is, from 0 to 1."""


def cells(
    b: Backend[A],
    x: A,
    offset: A,
    kernel: tuple[int, ...],
    size: tuple[int, ...],
    options: DeformOptions,
) -> Cells[A]:
    """Where the taps of this convolution read."""
    n, c, height, width = b.shape(x)
    groups = n * options.offset_groups
    framed = b.pad(x, ((0, 0), (0, 0), (2, 2), (2, 2)))
    plane = b.reshape(framed, (groups, c // options.offset_groups, (height + 4) * (width + 4)))
    far: list[A] = []
    index: list[A] = []
    for axis, length in enumerate((height, width)):
        place = _coordinate(b, offset, axis, kernel, size, options)
        at = b.clamp(place, -2, length)  # from there on a read meets zeros alone
        low = b.floor(b.detach(at))
        far.append(b.sub(at, low))
        index.append(b.cast(b.where(b.isnan(low), 0, low), DType.int64))
    corner = b.add(b.mul(b.add(index[0], 2), width + 4), b.add(index[1], 2))
    return Cells(plane, width + 4, corner, far[0], far[1])


def _coordinate(
    b: Backend[A],
    offset: A,
    axis: int,
    kernel: tuple[int, ...],
    size: tuple[int, ...],
    options: DeformOptions,
) -> A:
    """Where each tap of each window reads on one axis, (N * G, 1, taps * windows)."""
    groups, taps = b.shape(offset)[0] * options.offset_groups, kernel[2] * kernel[3]
    windows = math.prod(size)
    apart = b.reshape(offset, (groups, taps, 2, windows))
    moved = b.slice(apart, ((0, groups, 1), (0, taps, 1), (axis, 1, 1), (0, windows, 1)))
    regular = b.cast(b.from_numpy(_regular(axis, kernel[2:], size, options)), b.dtype(offset))
    return b.add(b.reshape(moved, (groups, 1, taps * windows)), regular)


def _regular(
    axis: int, kernel: tuple[int, ...], size: tuple[int, ...], options: DeformOptions
) -> NDArray[Any]:
    """The place of each tap of each window on one axis, before its offset: (taps * windows,)."""
    tap: NDArray[Any] = np.indices(kernel)[axis].reshape(-1, 1) * options.dilation[axis]
    start: NDArray[Any] = np.indices(size)[axis].reshape(1, -1) * options.stride[axis]
    at: NDArray[Any] = tap + start - options.padding[axis][0]
    return at.reshape(-1)


_NEIGHBOURS = tuple(itertools.product((0, 1), (0, 1)))
"""Upper left, upper right, lower left, lower right: each as (down, right)."""


def corners(b: Backend[A], at: Cells[A]) -> list[A]:
    """What the four neighbours of each read hold."""
    wide = (*b.shape(at.plane)[:2], b.shape(at.corner)[2])
    return [b.gather(at.plane, 2, b.broadcast_to(place, wide)) for place in _places(b, at)]


def _places(b: Backend[A], at: Cells[A]) -> list[A]:
    return [b.add(at.corner, down * at.width + right) for down, right in _NEIGHBOURS]


def shares(b: Backend[A], at: Cells[A]) -> list[A]:
    """How much of each neighbour is in the read."""
    down = b.add(b.neg(at.down), 1), at.down
    right = b.add(b.neg(at.right), 1), at.right
    return [b.mul(down[i], right[j]) for i, j in _NEIGHBOURS]


def mixed(b: Backend[A], around: list[A], parts: list[A]) -> A:
    """What each tap reads."""
    return functools.reduce(b.add, [b.mul(v, share) for v, share in zip(around, parts)])


def gradients(
    b: Backend[A],
    x: A,
    offset: A,
    weight: A,
    mask: A | None,
    grad: A,
    options: DeformOptions,
    size: tuple[int, ...],
    needs: tuple[bool, bool, bool, bool, bool],
) -> Five[A]:
    """The gradients in x, offset, weight, mask and bias, None where not in `needs`."""
    (n, c, height, width), kernel = b.shape(x), b.shape(weight)
    o, inner, windows = kernel[0], math.prod(kernel[1:]), math.prod(size)
    found = cells(b, x, offset, kernel, size, options)
    flat = (n * options.offset_groups, c // options.offset_groups, b.shape(found.corner)[2])
    around, parts = corners(b, found), shares(b, found)
    read = mixed(b, around, parts)
    scale = None if mask is None else b.reshape(mask, (flat[0], 1, flat[2]))
    upstream = b.reshape(grad, (n, options.groups, o // options.groups, windows))
    kernels = b.reshape(weight, (1, options.groups, o // options.groups, inner))
    above = b.reshape(b.matmul(b.permute(kernels, (0, 1, 3, 2)), upstream), flat)
    share = above if scale is None else b.mul(above, scale)
    gx = go = gw = gm = None
    if needs[0]:
        plane = b.full(b.shape(found.plane), 0, b.dtype(x))
        for place, part in zip(_places(b, found), parts):
            plane = b.scatter_add(plane, 2, b.broadcast_to(place, flat), b.mul(share, part))
        framed = b.reshape(plane, (n, c, height + 4, width + 4))
        gx = b.slice(framed, ((0, n, 1), (0, c, 1), (2, height, 1), (2, width, 1)))
    if needs[1]:
        go = _offset_gradient(b, offset, found, around, share, (height, width), options, kernel, size)
    if needs[2]:
        columns = read if scale is None else b.mul(read, scale)
        table = b.reshape(columns, (n, options.groups, inner, windows))
        each = b.matmul(upstream, b.permute(table, (0, 1, 3, 2)))
        gw = b.reshape(b.sum(each, (0,)), kernel)
    if needs[3] and mask is not None:
        gm = b.reshape(b.sum(b.mul(above, read), (1,)), b.shape(mask))
    return gx, go, gw, gm, b.sum(grad, (0, 2, 3)) if needs[4] else None


def _offset_gradient(
    b: Backend[A],
    offset: A,
    found: Cells[A],
    around: list[A],
    share: A,
    sizes: tuple[int, int],
    options: DeformOptions,
    kernel: tuple[int, ...],
    size: tuple[int, ...],
) -> A:
    """The slope of each read in its coordinates, 0 where these are so far out that they were clamped."""
    upper_left, upper_right, lower_left, lower_right = around
    by_row = b.sub(lower_left, upper_left), b.sub(lower_right, upper_right)
    by_column = b.sub(upper_right, upper_left), b.sub(lower_right, lower_left)
    slopes: list[A] = []
    for axis, ((low, high), along) in enumerate(((by_row, found.right), (by_column, found.down))):
        slope = b.add(b.mul(low, b.add(b.neg(along), 1)), b.mul(high, along))
        at = _coordinate(b, b.detach(offset), axis, kernel, size, options)
        out = b.logical_or(b.lt(at, -2), b.gt(at, sizes[axis]))
        slopes.append(b.where(out, 0, b.sum(b.mul(share, slope), (1,), True)))
    groups, taps, windows = b.shape(found.corner)[0], kernel[2] * kernel[3], math.prod(size)
    apart = [b.reshape(slope, (groups, taps, 1, windows)) for slope in slopes]
    return b.reshape(b.cat(apart, 2), b.shape(offset))
