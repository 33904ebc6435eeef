"""A convolution cut into blocks of images and rows, so that the columns of one block stay in cache.

The first spatial axis is called rows here. With a row stride of 1 the row taps need no columns of their
own: one product with the kernels of all row taps stacked gives partial results that are added up shifted
by rows (or, for the weight, one product per row tap with the same columns shifted). This copies the
input once per tap of the other axes only.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from everygrad_numpy.arrays import Array
from everygrad_ops import Window

BLOCK = 1 << 20
"""Elements of one block's columns and partial results together."""


_kept = threading.local()


def workspace(use: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Room of this thread for one use at a time: new memory costs a fault per page on each call.

    Up to 2 * BLOCK elements of the last dtype stay.
    """
    size = math.prod(shape)
    buffer: Array | None = getattr(_kept, use, None)
    if buffer is None or buffer.size < size or buffer.dtype != dtype:
        buffer = np.empty(size, dtype)
        if size <= 2 * BLOCK:
            setattr(_kept, use, buffer)
    return buffer[:size].reshape(shape)


@dataclass(frozen=True, slots=True)
class Block:
    """Images n0..n1 and result rows r0..r1."""

    n0: int
    n1: int
    r0: int
    r1: int

    @property
    def images(self) -> int:
        """How many images."""
        return self.n1 - self.n0

    @property
    def rows(self) -> int:
        """How many result rows."""
        return self.r1 - self.r0


class Columns:
    """The columns of one input, block by block; `stacked` leaves the row taps out of them."""

    def __init__(
        self, x: Array, window: Window, size: tuple[int, ...], groups: int, stacked: bool, outs: int
    ) -> None:
        self.x, self.window, self.size, self.groups = x, window, size, groups
        self.stacked = stacked
        self.over = window.extent[0] - 1 if stacked else 0
        self.inner = math.prod(size[1:])
        taps = math.prod(window.kernel_size[1:] if stacked else window.kernel_size)
        self.per_group = x.shape[1] // groups * taps
        self.lines = x.shape[1] * taps + outs

    def blocks(self) -> Iterator[Block]:
        """Blocks in order: several small images together, or one large image in parts."""
        n, rows = self.x.shape[0], self.size[0]
        room = max(BLOCK // max(self.lines * self.inner, 1), 1)
        if room >= rows + self.over:
            images = max(room // (rows + self.over), 1)
            for n0 in range(0, n, images):
                yield Block(n0, min(n0 + images, n), 0, rows)
            return
        parts = -(-rows // max(room - self.over, 4 * self.over, 1))
        height = -(-rows // parts)
        for n0 in range(n):
            for r0 in range(0, rows, height):
                yield Block(n0, n0 + 1, r0, min(r0 + height, rows))

    def of(self, block: Block) -> Array:
        """(groups, channels and taps, images * rows * ...): valid until the next call."""
        part, w = self._part(block), self.window
        rank, stride = w.rank, part.strides
        shape: tuple[int, ...] = (block.images, block.rows + self.over, *self.size[1:])
        steps = tuple(b * s for b, s in zip(stride[2:], w.stride))
        taps = tuple(b * d for b, d in zip(stride[2:], w.dilation))
        first = 1 if self.stacked else 0
        view = as_strided(
            part,
            (part.shape[1], *w.kernel_size[first:], *shape),
            (stride[1], *taps[first:], stride[0], *steps),
            writeable=False,
        )
        columns = workspace("columns", view.shape, self.x.dtype)
        assert columns.ndim == 1 + rank - first + 1 + rank
        np.copyto(columns, view)
        return columns.reshape(self.groups, self.per_group, math.prod(shape))

    def _part(self, block: Block) -> Array:
        """The input that the block's windows cover, with its padding."""
        w, x = self.window, self.x
        start = block.r0 * w.stride[0] - w.padding[0][0]
        stop = (block.r1 - 1) * w.stride[0] - w.padding[0][0] + w.extent[0]
        low, high = max(start, 0), min(max(stop, 0), x.shape[2])
        low = min(low, high)
        real = x[block.n0 : block.n1, :, low:high]
        if stop - start == high - low and not any(p for pair in w.padding[1:] for p in pair):
            return real
        inner = (s + left + right for s, (left, right) in zip(x.shape[3:], w.padding[1:]))
        part: Array = np.zeros((block.images, x.shape[1], stop - start, *inner), x.dtype)
        top = max(-start, 0)
        at = tuple(slice(left, left + s) for s, (left, _) in zip(x.shape[3:], w.padding[1:]))
        part[(slice(None), slice(None), slice(top, top + high - low), *at)] = real
        return part


def part_of(result: Array, block: Block, groups: int) -> Array:
    """The block of a result or an upstream gradient as a view (groups, channels, images, rows, ...)."""
    part = result[block.n0 : block.n1, :, block.r0 : block.r1]
    split = part.reshape(part.shape[0], groups, part.shape[1] // groups, *part.shape[2:])
    return split.transpose(1, 2, 0, *range(3, split.ndim))
