"""Gradients of writes that meet: an extremum's goes to all that tie for it, in equal parts."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import joint_gradient
from everygrad_ops import Backend, DType
from everygrad_ops.precision import narrow, wide
from everygrad_ops.scattering import writes

A = TypeVar("A")


@joint_gradient("scatter_amax", "x", "src")
@joint_gradient("scatter_amin", "x", "src")
def scatter_extremum_all(
    b: Backend[A],
    g: A,
    x: A,
    dim: int,
    index: A,
    src: A,
    include_self: bool,
    out: A,
    needs: tuple[bool, bool],
) -> tuple[A | None, A | None]:
    x, src, out = b.detach(x), b.detach(src), b.detach(out)
    part, given = b.shape(index), b.shape(src)
    written = src if given == part else b.slice(src, tuple((0, s, 1) for s in part))
    kept = _same(b, x, out)
    if not include_self:
        kept = b.logical_and(kept, b.eq(writes(b, b.shape(x), dim, index), 0))
    tied = _same(b, written, b.gather(out, dim, index))
    count = b.scatter_add(b.cast(kept, DType.int64), dim, index, b.cast(tied, DType.int64))
    dtype, g = b.dtype(g), wide(b, g)
    share = narrow(b, b.div(g, b.cast(b.maximum(count, 1), b.dtype(g))), dtype)
    to_x = b.where(kept, share, 0) if needs[0] else None
    to_src = None
    if needs[1]:
        to_src = b.where(tied, b.gather(share, dim, index), 0)
        if given != part:
            to_src = b.pad(to_src, tuple((0, big - small) for big, small in zip(given, part)))
    return to_x, to_src


def _same(b: Backend[A], x: A, y: A) -> A:
    """Where x equals y, or both are NaN."""
    return b.logical_or(b.eq(x, y), b.logical_and(b.isnan(x), b.isnan(y)))
