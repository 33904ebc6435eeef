"""Reading images at given places, and its adjoint."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from everygrad_ops.checks import check_values
from everygrad_ops.dtypes import DType
from everygrad_ops.errors import DTypeError, ShapeError, mixed_dtypes
from everygrad_ops.grid_axes import MODES, PADDINGS, axis_taps
from everygrad_ops.marks import outputs
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class GridSampleOps(Protocol[A]):
    """Interpolation at places that are data."""

    def grid_sample(self: Backend[A], x: A, grid: A, mode: str, padding_mode: str, align_corners: bool) -> A:
        """x (N, C, spatial...) at the places of grid (N, out..., rank): (N, C, out...), for one axis or more.

        The last dim of `grid` counts from the last axis of x. -1 and 1 are the outer edges of the first and last
        element, or their centres with `align_corners`. Modes are bilinear (linear on each axis), nearest
        (ties to even) and bicubic. Outside there are zeros, the border, or the reflection. NaN gives NaN, with
        gradient 0; what is further than 2**20 elements away, inf too, acts as that far away. The gradient in a
        coordinate is 0 on and beyond the border that clips it. Source: Jaderberg et al., "Spatial Transformer
        Networks", 2015.
        """
        dtype = self.dtype(x)
        plan = GridPlan(
            self, "grid_sample", wide(self, x), wide(self, grid), mode, padding_mode, align_corners
        )
        total: A | None = None
        for index, weights, _ in plan.taps(slopes=False):
            term = self.mul0(plan.read(index), plan.column(weights))
            total = term if total is None else self.add(total, term)
        assert total is not None
        return narrow(self, plan.image(self.where(plan.column(plan.lost), math.nan, total)), dtype)

    @outputs("grad_x", "grad_grid")
    def grid_sample_backward(
        self: Backend[A],
        grad: A,
        x: A,
        grid: A,
        mode: str,
        padding_mode: str,
        align_corners: bool,
        needs: tuple[bool, bool],
    ) -> tuple[A | None, A | None]:
        """The gradients of `grid_sample` in x and grid, None where not in `needs`."""
        op, dtype = "grid_sample_backward", self.dtype(x)
        plan = GridPlan(self, op, wide(self, x), wide(self, grid), mode, padding_mode, align_corners)
        check_values(op, self.shape(grad), (*plan.shape[:2], *plan.out), "grad")
        up = self.where(plan.column(plan.lost), 0, plan.rows(wide(self, grad)))
        spread = self.full((plan.shape[0] * plan.plane, plan.shape[1]), 0, self.dtype(up))
        slopes: list[A | None] = [None for _ in plan.axes]
        for index, weights, parts in plan.taps(slopes=needs[1]):
            if needs[0]:
                spread = self.index_add(spread, 0, index, self.mul0(up, plan.column(weights)))
            if needs[1]:
                along = self.sum(self.mul0(up, plan.read(index)), (1,))
                for axis, part in enumerate(parts):
                    term, so_far = self.mul0(along, part), slopes[axis]
                    slopes[axis] = term if so_far is None else self.add(so_far, term)
        grad_x = grad_grid = None
        if needs[0]:
            grad_x = narrow(self, self.permute(self.reshape(spread, plan.last), plan.back), dtype)
        if needs[1]:
            zeros = self.full(self.shape(plan.lost), 0, self.dtype(up))
            columns = [
                zeros if slope is None else self.mul0(slope, axis.factor)
                for slope, axis in zip(slopes, plan.axes)
            ]
            whole = self.stack(columns[::-1], 1)
            grad_grid = narrow(self, self.reshape(whole, self.shape(grid)), self.dtype(grid))
        return grad_x, grad_grid


def check_grid(
    op: str, x_shape: Sequence[int], grid_shape: Sequence[int], mode: str, padding_mode: str
) -> None:
    """Refuse shapes that do not go together, and unknown modes."""
    rank = len(x_shape) - 2
    fits = rank >= 1 and len(grid_shape) == rank + 2 and grid_shape[-1] == rank
    if not fits or grid_shape[0] != x_shape[0] or 0 in x_shape[2:]:
        raise ShapeError(
            f"{op}: x must be (N, C, spatial...) with something on each axis, and grid (N, out..., spatial dims), "
            f"of one rank. Received: x of shape {tuple(x_shape)}, grid of shape {tuple(grid_shape)}"
        )
    for name, given, known in (("mode", mode, MODES), ("padding_mode", padding_mode, PADDINGS)):
        if given not in known:
            raise ValueError(
                f"{op}: unknown {name}. Received: {name}={given!r}; write one of {', '.join(known)}"
            )


class GridPlan(Generic[A]):
    """The images as rows of channels, and what each place reads of them."""

    def __init__(
        self, b: Backend[A], op: str, x: A, grid: A, mode: str, padding_mode: str, align_corners: bool
    ) -> None:
        self.b, self.shape, places = b, b.shape(x), b.shape(grid)
        check_grid(op, self.shape, places, mode, padding_mode)
        if b.dtype(x) is not b.dtype(grid):
            raise mixed_dtypes(op, x=b.dtype(x), grid=b.dtype(grid))
        if not b.dtype(x).is_floating:
            raise DTypeError(f"{op}: needs floats. Received: {b.dtype(x)}; cast to a float dtype first")
        n, c, *sizes = self.shape
        self.out, self.plane, self.rank = places[1:-1], math.prod(sizes), len(sizes)
        self.last, self.back = (n, *sizes, c), (0, self.rank + 1, *range(1, self.rank + 1))
        self.x = self.rows(x)
        flat = b.reshape(grid, (math.prod(places[:-1]), self.rank))
        self.lost = b.any(b.isnan(flat), (1,))
        safe = b.where(b.isnan(flat), 0, flat)
        columns = b.split(safe, (1,) * self.rank, 1)[::-1]
        count = (math.prod(places[:-1]),)
        self.axes = [
            axis_taps(b, b.reshape(g, count), size, mode, padding_mode, align_corners)
            for g, size in zip(columns, sizes)
        ]
        start = b.mul(b.arange(0, n, 1, DType.int64), self.plane)
        per = count[0] // max(n, 1)
        self.start = b.reshape(b.broadcast_to(b.reshape(start, (n, 1)), (n, per)), count)

    def rows(self, x: A) -> A:
        """(N, C, ...) as (N * ..., C)."""
        shape = self.b.shape(x)
        last = self.b.permute(x, (0, *range(2, len(shape)), 1))
        return self.b.reshape(last, (shape[0] * math.prod(shape[2:]), shape[1]))

    def image(self, rows: A) -> A:
        """Rows of the result as (N, C, out...)."""
        whole = self.b.reshape(rows, (self.shape[0], *self.out, self.shape[1]))
        return self.b.permute(whole, self.back)

    def taps(self, slopes: bool = True) -> Iterator[tuple[A, A, list[A]]]:
        """(row that is read, its weight, the slopes of the weight in each axis' place) for each corner."""
        b = self.b
        for corner in itertools.product(*(axis.taps for axis in self.axes)):
            index, stride = self.start, 1
            for size, tap in zip(self.shape[:1:-1], corner[::-1]):
                index = b.add(index, b.mul(tap[0], stride))
                stride *= size
            weights = [tap[1] for tap in corner]
            parts = [
                _product(b, [*weights[:axis], corner[axis][2], *weights[axis + 1 :]])
                for axis in range(self.rank if slopes else 0)
            ]
            yield index, _product(b, weights), parts

    def read(self, index: A) -> A:
        """Rows of x."""
        return self.b.index_select(self.x, 0, index)

    def column(self, values: A) -> A:
        """One value per row."""
        return self.b.reshape(values, (*self.b.shape(values), 1))


def _product(b: Backend[A], factors: Sequence[A]) -> A:
    whole = factors[0]
    for factor in factors[1:]:
        whole = b.mul(whole, factor)
    return whole
