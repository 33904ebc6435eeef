"""Several passes over a large array, block by block: what one leaves in the cache the next finds there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from everygrad_numpy.arrays import LOW, Array

BLOCK = 32_768
"""Elements of a block: a few of them fit a core's cache."""
WIDTH = 32768
"""The same where a block needs several rows of work space."""


@np.errstate(all="ignore")
def elementwise(work: Callable[..., Array], x: Array, *others: Array) -> Array:
    """`work` on blocks of arrays of one shape, in float32 for low precision; in the shape and dtype of `x`."""
    low = x.dtype in LOW
    if x.size <= BLOCK:
        arrays = [a.astype(np.float32) for a in (x, *others)] if low else [x, *others]
        return np.asarray(work(*arrays), x.dtype).reshape(x.shape)
    flat = [a.reshape(-1) for a in (x, *others)]
    out = np.empty(x.shape, x.dtype)
    into = out.reshape(-1)
    for start in range(0, x.size, BLOCK):
        block = [a[start : start + BLOCK] for a in flat]
        into[start : start + BLOCK] = work(*[a.astype(np.float32) for a in block] if low else block)
    return out


def rowwise(work: Callable[..., object], x: Array, *others: Array) -> Array:
    """`work(out, rows, rows...)` on blocks of rows along the last dim of arrays of one shape; the same for low precision.

    Infinities and NaN give no warnings.
    """
    low = x.dtype in LOW
    width = x.shape[-1]
    flat = [a.reshape(-1, width) for a in (x, *others)]
    out: Array = np.empty(x.shape, x.dtype)
    into = out.reshape(-1, width)
    step = len(into) if x.size <= BLOCK else max(1, BLOCK // width)
    with np.errstate(all="ignore"):
        for start in range(0, len(into), step):
            part, block = into[start : start + step], [a[start : start + step] for a in flat]
            if low:
                wide: Array = np.empty(part.shape, np.float32)
                work(wide, *[a.astype(np.float32) for a in block])
                part[:] = wide
            else:
                work(part, *block)
    return out


@functools.lru_cache(maxsize=64)
def ones(count: int, dtype: np.dtype[Any]) -> Array:
    """A vector of ones, whose product with rows is their sum."""
    result: Array = np.full(count, 1, dtype)
    result.flags.writeable = False
    return result


def in_passes(work: Callable[..., object], rows: int, x: Array, *others: Array) -> Array:
    """`work(out, room, block, blocks...)` on blocks of float32, or of low precision cast to it; in the shape and dtype of `x`.

    `room` is some rows as long as the block, to write into; infinities and NaN give no warnings.
    """
    out: Array = np.empty(x.shape, x.dtype)
    into, flat = out.reshape(-1), [a.reshape(-1) for a in (x, *others)]
    low = x.dtype != np.float32
    room: Array = np.empty((rows + low, min(x.size, BLOCK)), np.float32)
    with np.errstate(all="ignore"):
        if x.size <= BLOCK and not low:
            work(into, room, *flat)
            return out
        for start in range(0, x.size, BLOCK):
            part, block = into[start : start + BLOCK], [a[start : start + BLOCK] for a in flat]
            space = room[:, : len(part)]
            if low:
                work(space[-1], space[:-1], *[a.astype(np.float32) for a in block])
                part[:] = space[-1]
            else:
                work(part, space, *block)
    return out
