"""Reading images at given places on NumPy: one sparse product, a row of taps for each place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, hushed
from everygrad_ops import Backend
from everygrad_ops.checks import check_values
from everygrad_ops.grid_sample import GridPlan, GridSampleOps, check_grid

_default_grid_sample: Callable[..., Array] = Backend[Array].grid_sample
_default_grid_sample_backward: Callable[..., tuple[Array | None, Array | None]] = Backend[
    Array
].grid_sample_backward


@hushed
class NumpyGridSample(GridSampleOps[Array]):
    """Where the image is not finite, the default: there a weight of 0 still stops inf and NaN."""

    @override
    def grid_sample(
        self: Backend[Array], x: Array, grid: Array, mode: str, padding_mode: str, align_corners: bool
    ) -> Array:
        check_grid("grid_sample", x.shape, grid.shape, mode, padding_mode)
        if not _plain(x, grid):
            return _default_grid_sample(self, x, grid, mode, padding_mode, align_corners)
        plan = GridPlan(self, "grid_sample", x, grid, mode, padding_mode, align_corners)
        taps = plan.taps(slopes=False)
        rows = _matrix(plan, [(index, weight) for index, weight, _ in taps], x.dtype) @ plan.x
        if plan.lost.any():
            rows[plan.lost] = math.nan
        return np.ascontiguousarray(plan.image(rows))

    @override
    def grid_sample_backward(
        self: Backend[Array],
        grad: Array,
        x: Array,
        grid: Array,
        mode: str,
        padding_mode: str,
        align_corners: bool,
        needs: tuple[bool, bool],
    ) -> tuple[Array | None, Array | None]:
        op = "grid_sample_backward"
        check_grid(op, x.shape, grid.shape, mode, padding_mode)
        check_values(op, grad.shape, (*x.shape[:2], *grid.shape[1:-1]), "grad")
        if not _plain(x, grid) or not np.isfinite(grad.sum()):
            return _default_grid_sample_backward(
                self, grad, x, grid, mode, padding_mode, align_corners, needs
            )
        plan = GridPlan(self, op, x, grid, mode, padding_mode, align_corners)
        taps = list(plan.taps(slopes=needs[1]))
        up = plan.rows(grad)
        if plan.lost.any():
            up = np.where(plan.lost[:, None], x.dtype.type(0), up)
        grad_x = grad_grid = None
        if needs[0]:
            spread = _matrix(plan, [(index, weight) for index, weight, _ in taps], x.dtype).T @ up
            grad_x = np.ascontiguousarray(spread.reshape(plan.last).transpose(plan.back))
        if needs[1]:
            slopes: Array = np.zeros((len(up), plan.rank), x.dtype)
            for index, _, parts in taps:
                along = np.vecdot(up, np.take(plan.x, index, 0))
                for axis, part in enumerate(parts):
                    slopes[:, plan.rank - 1 - axis] += along * part
            for axis, found in enumerate(plan.axes):
                slopes[:, plan.rank - 1 - axis] *= found.factor
            grad_grid = slopes.reshape(grid.shape)
        return grad_x, grad_grid


def _plain(x: Array, grid: Array) -> bool:
    if x.dtype in LOW or x.dtype.kind != "f" or x.dtype != grid.dtype or not x.size or not grid.size:
        return False
    with np.errstate(all="ignore"):
        return bool(np.isfinite(x.sum()))


def _matrix(plan: GridPlan[Array], taps: list[tuple[Array, Array]], dtype: np.dtype[Any]) -> Any:
    """(places, rows of the images): the taps of each place."""
    from scipy import sparse

    count, width = len(plan.lost), len(taps)
    index = np.stack([i for i, _ in taps], 1).reshape(-1)
    weight = np.stack([w for _, w in taps], 1).reshape(-1).astype(dtype, copy=False)
    start = np.arange(0, count * width + 1, width)
    return sparse.csr_array((weight, index, start), shape=(count, len(plan.x)))
