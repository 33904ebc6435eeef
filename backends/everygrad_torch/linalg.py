"""Products of matrices on torch."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops.errors import misfit
from everygrad_ops.linalg import LinalgOps
from everygrad_torch.arrays import Array


class TorchLinalg(LinalgOps[Array]):
    """ATen matmul."""

    @override
    def matmul(self, x: Array, y: Array) -> Array:
        try:
            return torch.matmul(x, y)
        except RuntimeError as error:
            raise misfit("matmul", error, x=x, y=y) from None
