"""Products of matrices on torch."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops.errors import misfit, mixed_dtypes
from everygrad_ops.linalg import LinalgOps, check_ranks, no_booleans
from everygrad_torch.arrays import Array


class TorchLinalg(LinalgOps[Array]):
    """ATen matmul."""

    @override
    def matmul(self, x: Array, y: Array) -> Array:
        if x.ndim < 2 or y.ndim < 2:
            check_ranks("matmul", x.shape, y.shape)
        try:
            return torch.matmul(x, y)
        except RuntimeError as error:
            if x.dtype != y.dtype:
                raise mixed_dtypes("matmul", x=x, y=y) from None
            if x.dtype is torch.bool:
                raise no_booleans("matmul") from None
            raise misfit("matmul", error, x=x, y=y) from None
