"""Reading images at given places, under torch's names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from everygrad.functional.arguments import ready
from everygrad.functional.creation import tensor
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DTypeError, ShapeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everygrad.tensor.tensor import Tensor

__all__ = ["affine_grid", "grid_sample"]


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """input (N, C, H, W) read at the places (x, y) of grid (N, H', W', 2): (N, C, H', W'); likewise in 3-D.

    -1 and 1 are the outer edges of the image, or the centres of its corner pixels with `align_corners`.
    Modes: bilinear, nearest, bicubic. Outside (`padding_mode`) there are zeros, the border, or the reflection.
    A place of NaN gives NaN. Differentiable in both to every order.

    >>> import everygrad as eg
    >>> x = eg.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> eg.functional.grid_sample(x, eg.tensor([[[[0.0, 0.0], [0.5, -0.5]]]])).tolist()
    [[[[2.5, 2.0]]]]
    """
    b, dtype, (x, places) = ready("grid_sample", input, grid)
    return wrap(b.grid_sample(x, places, mode, padding_mode, bool(align_corners)), b, dtype)


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The places (N, H, W, 2) that the matrices theta (N, 2, 3) move a regular grid to, for `grid_sample`.

    `size` is (N, C, H, W); in 3-D theta is (N, 3, 4), `size` (N, C, D, H, W) and the result (N, D, H, W, 3).

    >>> import everygrad as eg
    >>> theta = eg.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]])
    >>> eg.functional.affine_grid(theta, (1, 1, 1, 2), align_corners=True).tolist()
    [[[[-1.0, 1.0], [1.0, 1.0]]]]
    """
    need_tensor("affine_grid", "theta", theta)
    sizes, rank = tuple(size), len(size) - 2
    if rank < 1 or theta.shape != (sizes[0], rank, rank + 1) or any(s < 1 for s in sizes):
        raise ShapeError(
            "affine_grid: theta must be (N, 2, 3) for size (N, C, H, W), or (N, 3, 4) for (N, C, D, H, W), "
            f"no size 0. Received: theta of shape {theta.shape}, size={sizes}"
        )
    if not theta.dtype.is_floating:
        raise DTypeError(f"affine_grid: needs floats. Received: {theta.dtype}; write theta.to(eg.float32)")
    base = tensor(_base(sizes[2:], bool(align_corners)), theta.dtype, backend=theta.backend)
    moved = base.matmul(theta.permute(0, 2, 1))
    return moved.reshape(sizes[0], *sizes[2:], rank)


def _base(spatial: tuple[int, ...], align_corners: bool) -> NDArray[Any]:
    """(places, rank + 1): the regular grid, its last axis first, and a 1."""
    lines: list[NDArray[Any]] = []
    for n in spatial:
        line = np.linspace(-1.0, 1.0, n) if n > 1 else np.zeros(1)
        lines.append(line if align_corners else line * ((n - 1) / n))
    mesh = np.meshgrid(*lines, indexing="ij")
    columns = [m.reshape(-1) for m in mesh[::-1]]
    return np.stack([*columns, np.ones(math.prod(spatial))], 1)
