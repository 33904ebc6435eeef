"""Running sums and products on torch."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops.checks import check_dim
from everygrad_ops.scan import ScanOps
from everygrad_torch.arrays import LOW, Array


class TorchScan(ScanOps[Array]):
    """One pass; float16 and bfloat16 accumulate in float32."""

    @override
    def cumsum(self, x: Array, dim: int) -> Array:
        check_dim("cumsum", dim, x.ndim)
        return torch.cumsum(x.to(torch.float32), dim).to(x.dtype) if x.dtype in LOW else torch.cumsum(x, dim)

    @override
    def cumprod(self, x: Array, dim: int) -> Array:
        check_dim("cumprod", dim, x.ndim)
        return (
            torch.cumprod(x.to(torch.float32), dim).to(x.dtype) if x.dtype in LOW else torch.cumprod(x, dim)
        )
