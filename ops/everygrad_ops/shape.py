"""Shapes: views, padding, joining. Dims here are normalised: 0 <= dim < rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.errors import missing
from everygrad_ops.geometry import Pairs
from everygrad_ops.marks import primitive

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")
Slices = tuple[tuple[int, int, int], ...]
"""Per dim (start, size, step): the elements start, start + step, ... (`size` of them); step may be negative."""


class ShapeOps(Protocol[A]):
    """The same elements, elsewhere."""

    @primitive
    def reshape(self, x: A, shape: tuple[int, ...]) -> A:
        """The elements of `x` in row-major order, in another shape of the same size (no -1 here)."""
        raise missing(self, "reshape")

    @primitive
    def permute(self, x: A, dims: tuple[int, ...]) -> A:
        """Dim i of the result is dim dims[i] of `x`."""
        raise missing(self, "permute")

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

    def sum_to(self: Backend[A], x: A, shape: tuple[int, ...]) -> A:
        """`x` summed back to a shape that broadcasts to its own: the adjoint of `broadcast_to`."""
        given = self.shape(x)
        if given == shape:
            return x
        extra = len(given) - len(shape)
        dims = tuple(d for d, s in enumerate(given) if d < extra or (shape[d - extra] == 1 and s != 1))
        return self.reshape(self.sum(x, dims, True), shape)
