"""Group normalisation on NumPy: a group of a sample is a row, its channels are the parts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import Array, hushed
from everygrad_numpy.norm import plain, shaped, usable
from everygrad_numpy.norm_rows import slope_parts, standardise_rows
from everygrad_ops import Backend
from everygrad_ops.group_norm import GroupNormOps, group_rows
from everygrad_ops.norm import Three

_default_group_norm: Callable[..., tuple[Array, Array, Array]] = Backend[Array].group_norm_with_stats
_default_group_norm_backward: Callable[..., Three[Array]] = Backend[Array].group_norm_backward


@hushed
class NumpyGroupNorm(GroupNormOps[Array]):
    """By rows and blocks; the defaults explain wrong shapes."""

    @override
    def group_norm_with_stats(
        self: Backend[Array], x: Array, groups: int, weight: Array | None, bias: Array | None, eps: float
    ) -> tuple[Array, Array, Array]:
        n = group_rows("group_norm", x.shape, groups)[0]
        if plain(x, weight, bias, x.shape[1:2]):
            rows = _rows(x, groups)
            out: Array = np.empty(rows.shape, x.dtype)
            done = standardise_rows(rows, out, eps, _parts(weight, n, groups), _parts(bias, n, groups))
            if done is not None:
                return out.reshape(x.shape), done[0].reshape(n, groups), done[1].reshape(n, groups)
        return _default_group_norm(self, x, groups, weight, bias, eps)

    @override
    def group_norm_backward(
        self: Backend[Array],
        grad: Array,
        x: Array,
        groups: int,
        weight: Array | None,
        eps: float,
        needs: tuple[bool, bool, bool],
        mean: Array | None = None,
        rstd: Array | None = None,
    ) -> Three[Array]:
        n = group_rows("group_norm_backward", x.shape, groups)[0]
        fast = plain(x, weight, None, x.shape[1:2])
        if not fast or mean is None or rstd is None or not usable(rstd):
            return _default_group_norm_backward(self, grad, x, groups, weight, eps, needs, mean, rstd)
        rows, stats = _rows(x, groups), (mean.reshape(-1), rstd.reshape(-1))
        out: Array = np.empty(rows.shape, x.dtype)
        gx, gw, gb = slope_parts(_rows(grad, groups), rows, out, stats, _parts(weight, n, groups), needs)
        return shaped(gx, x.shape), _over_samples(gw, n), _over_samples(gb, n)


def _rows(x: Array, groups: int) -> Array:
    n, c = x.shape[:2]
    return x.reshape(n * groups, c // groups, -1)


def _parts(x: Array | None, n: int, groups: int) -> Array | None:
    """(C,) as one value per row and part."""
    if x is None:
        return None
    parts = len(x) // groups
    return np.broadcast_to(x.reshape(groups, parts), (n, groups, parts)).reshape(n * groups, parts)


def _over_samples(x: Array | None, n: int) -> Array | None:
    return None if x is None else x.reshape(n, -1).sum(0)
