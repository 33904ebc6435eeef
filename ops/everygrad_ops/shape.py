"""Shapes: views, padding, joining. Dims here are normalised: 0 <= dim < rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import Slices, check_dim, check_padding
from everygrad_ops.dtypes import DType
from everygrad_ops.errors import ShapeError, missing
from everygrad_ops.geometry import Pairs
from everygrad_ops.marks import cheap, primitive

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ShapeOps(Protocol[A]):
    """The same elements, elsewhere."""

    @cheap
    @primitive
    def reshape(self, x: A, shape: tuple[int, ...]) -> A:
        """The elements of `x` in row-major order, in another shape of the same size (no -1 here)."""
        raise missing(self, "reshape")

    @cheap
    @primitive
    def permute(self, x: A, dims: tuple[int, ...]) -> A:
        """Dim i of the result is dim dims[i] of `x`."""
        raise missing(self, "permute")

    @cheap
    @primitive
    def broadcast_to(self, x: A, shape: tuple[int, ...]) -> A:
        """`x` stretched to `shape` by the rules of broadcasting."""
        raise missing(self, "broadcast_to")

    @primitive
    def slice(self, x: A, slices: Slices) -> A:
        """A strided part: one (start, size, step) per dim."""
        raise missing(self, "slice")

    @primitive
    def slice_scatter(self, x: A, src: A, slices: Slices) -> A:
        """`x` with the part that `slice` reads replaced by `src`."""
        raise missing(self, "slice_scatter")

    @primitive
    def pad(self, x: A, padding: Pairs, value: float = 0) -> A:
        """`x` with (left, right) constant elements added on each dim."""
        raise missing(self, "pad")

    @primitive
    def cat(self, xs: Sequence[A], dim: int) -> A:
        """Arrays joined along `dim`; their other sizes agree."""
        raise missing(self, "cat")

    def flip(self: Backend[A], x: A, dims: tuple[int, ...]) -> A:
        """`x` turned around along `dims`."""
        sizes = self.shape(x)
        for dim in dims:
            check_dim("flip", dim, len(sizes))
        return self.slice(
            x, tuple((s - 1, s, -1) if d in dims and s else (0, s, 1) for d, s in enumerate(sizes))
        )

    def stack(self: Backend[A], xs: Sequence[A], dim: int) -> A:
        """Arrays of one shape joined along a new dim of the result."""
        shapes = [self.shape(x) for x in xs]
        if len(set(shapes)) != 1:
            raise ShapeError(f"stack: needs arrays of one shape, at least one. Received: shapes {shapes}")
        check_dim("stack", dim, len(shapes[0]) + 1)
        longer = (*shapes[0][:dim], 1, *shapes[0][dim:])
        return self.cat([self.reshape(x, longer) for x in xs], dim)

    def split(self: Backend[A], x: A, sizes: tuple[int, ...], dim: int) -> list[A]:
        """Consecutive parts of `x` along `dim`, of the given sizes, which add up to its own."""
        shape = self.shape(x)
        check_dim("split", dim, len(shape))
        if sum(sizes) != shape[dim] or min(sizes, default=0) < 0:
            raise ShapeError(
                f"split: sizes must add up to {shape[dim]}, the size of dim {dim}. Received: sizes={sizes}"
            )
        parts: list[A] = []
        start = 0
        for size in sizes:
            parts.append(self.slice(x, part(shape, dim, start, size)))
            start += size
        return parts

    def repeat(self: Backend[A], x: A, repeats: tuple[int, ...]) -> A:
        """`x` tiled: the whole of it repeats[d] times along dim d of the result; extra repeats come first."""
        shape = self.shape(x)
        extra = len(repeats) - len(shape)
        if extra < 0 or min(repeats, default=0) < 0:
            raise ShapeError(
                f"repeat: needs a count, not negative, for each of {len(shape)} dims or more. "
                f"Received: repeats={repeats}, x of shape {shape}"
            )
        full = (*(1,) * extra, *shape)
        if all(r == 1 for r in repeats):
            return self.reshape(x, full)
        apart = self.reshape(x, tuple(v for size in full for v in (1, size)))
        tiled = self.broadcast_to(apart, tuple(v for pair in zip(repeats, full) for v in pair))
        return self.reshape(tiled, tuple(r * size for r, size in zip(repeats, full)))

    def roll(self: Backend[A], x: A, shifts: tuple[int, ...], dims: tuple[int, ...]) -> A:
        """`x` moved by shifts[i] along dims[i]; what leaves at the end comes in at the start."""
        shape = self.shape(x)
        if len(shifts) != len(dims):
            raise ShapeError(f"roll: needs one shift per dim. Received: shifts={shifts}, dims={dims}")
        for shift, dim in zip(shifts, dims):
            check_dim("roll", dim, len(shape))
            size = shape[dim]
            shift = shift % size if size else 0
            if shift:
                head = self.slice(x, part(shape, dim, 0, size - shift))
                tail = self.slice(x, part(shape, dim, size - shift, shift))
                x = self.cat([tail, head], dim)
        return x

    def tril(self: Backend[A], x: A, diagonal: int = 0) -> A:
        """The lower triangles of (..., m, n): 0 where column - row > diagonal."""
        offset = _offsets(self, "tril", x)
        return self.where(self.le(offset, diagonal), x, 0)

    def triu(self: Backend[A], x: A, diagonal: int = 0) -> A:
        """The upper triangles of (..., m, n): 0 where column - row < diagonal."""
        offset = _offsets(self, "triu", x)
        return self.where(self.ge(offset, diagonal), x, 0)

    def pad_mode(self: Backend[A], x: A, padding: Pairs, mode: str) -> A:
        """`x` with (left, right) elements added on each dim: "reflect", "replicate" or "circular".

        Reflection leaves the edge out, [1, 2, 3] -> [2, 1, 2, 3, 2]; replication repeats it.
        Raises `ShapeError` where the input is too short: reflect needs more than the padding on a dim.
        """
        rank = len(self.shape(x))
        check_padding("pad_mode", padding, rank)
        for dim, (left, right) in enumerate(padding):
            if left or right:
                x = _pad_dim(self, x, dim, left, right, mode)
        return x

    def sum_to(self: Backend[A], x: A, shape: tuple[int, ...]) -> A:
        """`x` summed back to a shape that broadcasts to its own: the adjoint of `broadcast_to`."""
        given = self.shape(x)
        if given == shape:
            return x
        extra = len(given) - len(shape)
        dims = tuple(d for d, s in enumerate(given) if d < extra or (shape[d - extra] == 1 and s != 1))
        return self.reshape(self.sum(x, dims, True), shape)


def part(shape: Sequence[int], dim: int, start: int, size: int, step: int = 1) -> Slices:
    """The slices that take a part of one dim and the whole of all others."""
    whole = [(0, s, 1) for s in shape]
    whole[dim] = (start, size, step)
    return tuple(whole)


def _offsets(b: Backend[A], op: str, x: A) -> A:
    """Column - row, of shape (m, n)."""
    shape = b.shape(x)
    if len(shape) < 2:
        raise ShapeError(f"{op}: x must have at least 2 dims. Received: shape {shape}")
    m, n = shape[-2:]
    columns = b.reshape(b.arange(0, n, 1, DType.int64), (1, n))
    return b.sub(columns, b.reshape(b.arange(0, m, 1, DType.int64), (m, 1)))


def _pad_dim(b: Backend[A], x: A, dim: int, left: int, right: int, mode: str) -> A:
    shape = b.shape(x)
    size = shape[dim]
    longest = {"reflect": size - 1, "replicate": left + right if size else 0, "circular": size}.get(mode)
    if longest is None:
        raise ValueError(f"pad_mode: mode must be reflect, replicate or circular. Received: mode={mode!r}")
    if max(left, right) > longest:
        raise ShapeError(
            f"pad_mode: {mode} padding of dim {dim} can be at most {longest} for size {size}. "
            f"Received: padding ({left}, {right})"
        )
    if mode == "reflect":
        before = b.slice(x, part(shape, dim, left, left, -1))
        after = b.slice(x, part(shape, dim, size - 2, right, -1))
    elif mode == "circular":
        before = b.slice(x, part(shape, dim, size - left, left))
        after = b.slice(x, part(shape, dim, 0, right))
    else:
        longer = [(*shape[:dim], count, *shape[dim + 1 :]) for count in (left, right)]
        before = b.broadcast_to(b.slice(x, part(shape, dim, 0, 1)), longer[0])
        after = b.broadcast_to(b.slice(x, part(shape, dim, size - 1, 1)), longer[1])
    return b.cat([before, x, after], dim)
