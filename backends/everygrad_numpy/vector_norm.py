"""Norms of vectors on NumPy."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, as_array, hushed
from everygrad_numpy.reduction import total
from everygrad_ops import Backend
from everygrad_ops.checks import check_dims
from everygrad_ops.vector_norm import VectorNormOps


@hushed
class NumpyVectorNorm(VectorNormOps[Array]):
    """The Euclidean norm in one pass, where its squares neither overflow nor vanish."""

    @override
    def vector_norm(
        self: Backend[Array], x: Array, p: float, dims: tuple[int, ...], keepdim: bool = False
    ) -> Array:
        check_dims("vector_norm", dims, x.ndim)
        if p == 2 and x.size and (x.dtype.kind == "f" or x.dtype in LOW):
            y = x.astype(np.float32) if x.dtype in LOW else x
            with np.errstate(all="ignore"):
                squares = _squares(y, dims, keepdim)
            limits = np.finfo(y.dtype)
            if squares.min() >= limits.tiny / limits.eps and squares.max() < np.inf:
                return as_array(np.sqrt(squares)).astype(x.dtype, copy=False)
        return Backend[Array].vector_norm(self, x, p, dims, keepdim)


def _squares(x: Array, dims: tuple[int, ...], keepdim: bool) -> Array:
    """The sum of squares; of the whole array by BLAS."""
    if len(dims) == x.ndim and x.flags.c_contiguous:
        flat = x.reshape(-1)
        whole = as_array(np.dot(flat, flat))
        return whole.reshape((1,) * x.ndim) if keepdim else whole
    return total(np.square(x), dims, keepdim)
