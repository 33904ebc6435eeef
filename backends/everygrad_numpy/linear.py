"""The affine map on NumPy: one BLAS product each, on a matrix of rows."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, hushed
from everygrad_ops import Backend
from everygrad_ops.linear import LinearOps


@hushed
class NumpyLinear(LinearOps[Array]):
    """The bias is added into the product's own buffer; low precision is rounded once."""

    @override
    def linear(self: Backend[Array], x: Array, weight: Array, bias: Array | None) -> Array:
        fits = x.ndim and weight.ndim == 2 and x.shape[-1] == weight.shape[1]
        if not fits or (bias is not None and bias.shape != weight.shape[:1]):
            return Backend[Array].linear(self, x, weight, bias)  # which explains
        if x.dtype in LOW:
            more = None if bias is None else bias.astype(np.float32)
            return self.linear(x.astype(np.float32), weight.astype(np.float32), more).astype(x.dtype)
        out: Array = np.matmul(_rows(x), weight.T)
        if bias is not None:
            out += bias
        return out.reshape(*x.shape[:-1], weight.shape[0])


def _rows(x: Array) -> Array:
    return x if x.ndim == 2 else x.reshape(int(np.prod(x.shape[:-1])), x.shape[-1])
