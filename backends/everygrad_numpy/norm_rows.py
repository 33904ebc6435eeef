"""Rows normalised in blocks that stay in cache: sums by BLAS, no temporary larger than a block.

x is (rows, width), or (rows, parts, width) where each part of a row has a scale of its own; parts may lie
apart in memory, as the samples of a channel do.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from everygrad_numpy.arrays import Array
from everygrad_ops.norm import Three

BLOCK = 1 << 15
"""Elements of a block: a few buffers of this size fit the second cache."""


def blocks(x: Array) -> Iterator[slice]:
    """Runs of rows, each of about BLOCK elements."""
    rows = len(x)
    if x.size <= 2 * BLOCK:
        return iter((slice(0, rows),))
    step = max(BLOCK * rows // x.size, 1)
    return (slice(at, min(at + step, rows)) for at in range(0, rows, step))


def standardise_rows(
    x: Array, out: Array, eps: float, scale: Array | None, bias: Array | None
) -> tuple[Array, Array, Array] | None:
    """(mean, 1 / sqrt(var + eps), biased var) of each row; `out` gets the rows normalised, scaled and shifted.

    `scale` and `bias` are (width,) for rows without parts, else (rows, parts). None where a square
    overflows, or something is not finite.
    """
    mean, rstd, variance = stats = np.empty((3, len(x)), x.dtype)
    rows, into = (x, out) if x.ndim == 2 else _without_parts(x, out)
    with np.errstate(all="ignore"):
        for at in blocks(x):
            if not _standardise(rows[at], into[at], stats[:, at], x.size // len(x), eps):
                return None
            _finish(out[at], rstd[at], scale, bias, at)
    return mean, rstd, variance


def _standardise(block: Array, out: Array, stats: Array, count: int, eps: float) -> bool:
    """Write (mean, 1 / sqrt(var + eps), var), and the rows less their mean; False where var is not finite."""
    m, s, var = stats
    share, slack = _share(block.shape[-1], count, block.dtype)
    total(block, share, m)
    np.subtract(block, column(m, block.ndim), out)
    np.divide(_dots(out, out), count, var)
    rest = total(out, share)  # what rounding left in the mean
    if not np.logical_and.reduce(rest * rest <= var * slack):  # it counts against the deviation, or is NaN
        out -= column(rest, block.ndim)
        m += rest
        np.divide(_dots(out, out), count, var)
    np.add(var, eps, s)
    np.sqrt(s, s)
    np.divide(1, s, s)
    return bool(np.minimum.reduce(s) > 0)  # 0 where var is inf


@functools.lru_cache(maxsize=64)
def _share(width: int, count: int, dtype: np.dtype[Any]) -> tuple[Array, Any]:
    """(weights whose product with rows is their mean, how much of a variance is one unit in the last place)."""
    share: Array = np.full(width, 1 / count, dtype)
    share.flags.writeable = False
    return share, dtype.type(np.finfo(dtype).eps ** 2)


def _without_parts(x: Array, out: Array) -> tuple[Array, Array]:
    """As (rows, width) where the parts of a row lie side by side: one long sum is quicker than several."""
    if not (x.flags.c_contiguous and out.flags.c_contiguous):
        return x, out
    return x.reshape(len(x), -1), out.reshape(len(x), -1)


def _finish(block: Array, rstd: Array, scale: Array | None, bias: Array | None, at: slice) -> None:
    if block.ndim == 3 and scale is None and bias is None:
        block *= rstd[:, None, None]
    elif block.ndim == 3:
        factor = rstd[:, None] if scale is None else rstd[:, None] * scale[at]
        block *= factor[:, :, None]
        if bias is not None:
            block += bias[at, :, None]
    else:
        block *= rstd[:, None]
        if scale is not None:
            block *= scale
        if bias is not None:
            block += bias


def slope_rows(
    grad: Array,
    x: Array,
    out: Array,
    stats: tuple[Array, Array],
    scale: Array | None,
    needs: tuple[bool, bool, bool],
) -> Three[Array]:
    """The gradients in x (written to `out`), scale and bias, from (mean, rstd) of the rows."""
    width = x.shape[-1]
    gw, gb = np.zeros((2, width), x.dtype)
    ones = ones_of(width, x)
    w = ones if scale is None else scale
    for at in blocks(x):
        g, s = grad[at], stats[1][at]
        centred = centre(x[at], stats[0][at], s, ones)
        both = np.multiply(g, centred)
        if needs[1]:
            gw += s @ both
        if needs[2]:
            gb += ones_of(len(g), x) @ g
        if needs[0]:
            along, mean = (both @ w) / width, (g @ w) / width
            centred *= (along * s * s * s)[:, None]
            centred += (mean * s)[:, None]
            block = np.multiply(g, s[:, None], out[at])
            if scale is not None:
                block *= scale
            block -= centred
    return out if needs[0] else None, gw if needs[1] else None, gb if needs[2] else None


def slope_parts(
    grad: Array,
    x: Array,
    out: Array,
    stats: tuple[Array, Array],
    scale: Array | None,
    needs: tuple[bool, bool, bool],
) -> Three[Array]:
    """The same for rows with parts."""
    rows, parts, width = x.shape
    gw, gb = np.empty((2, rows, parts), x.dtype)
    ones = ones_of(width, x)
    for at in blocks(x):
        g, s = grad[at], stats[1][at]
        centred = centre(x[at], stats[0][at], s, ones)
        gw[at] = np.vecdot(g, centred)
        gb[at] = g @ ones
        if needs[0]:
            factor = s[:, None] if scale is None else s[:, None] * scale[at]
            along = (gw[at] * factor).sum(1) * s * s / (parts * width)
            mean = (gb[at] * factor).sum(1) / (parts * width)
            centred *= column(along, 3)
            centred += column(mean, 3)
            block = np.multiply(g, factor[:, :, None], out[at])
            block -= centred
    gw *= stats[1][:, None]
    return out if needs[0] else None, gw if needs[1] else None, gb if needs[2] else None


def centre(block: Array, mean: Array, rstd: Array, ones: Array) -> Array:
    """A block less its means, with what rounding left in them."""
    centred: Array = np.subtract(block, column(mean, block.ndim))
    rest = total(centred, ones) / (block.size // len(block))
    if not (np.abs(rest) * rstd <= np.finfo(block.dtype).eps).all():
        centred -= column(rest, block.ndim)
    return centred


def ones_of(count: int, like: Array) -> Array:
    """A vector of ones, whose product with rows is their sum."""
    return np.full(count, 1, like.dtype)


def total(block: Array, weights: Array, out: Array | None = None) -> Array:
    """The weighted sum of each row."""
    if block.ndim == 2:
        return np.matmul(block, weights, out=out)
    sums: Array = np.add.reduce(np.matmul(block, weights), 1, out=out)
    return sums


def _dots(x: Array, y: Array) -> Array:
    dots: Array = np.vecdot(x, y)
    return dots if x.ndim == 2 else np.add.reduce(dots, 1)


def column(values: Array, ndim: int) -> Array:
    """One value per row, as it broadcasts against blocks."""
    return values.reshape(-1, *(1,) * (ndim - 1))
