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

    @override
    def logcumsumexp(self, x: Array, dim: int) -> Array:
        check_dim("logcumsumexp", dim, x.ndim)
        if x.dtype in LOW:
            return torch.logcumsumexp(x.to(torch.float32), dim).to(x.dtype)
        return torch.logcumsumexp(x, dim)

    @override
    def cummax(self, x: Array, dim: int) -> tuple[Array, Array]:
        check_dim("cummax", dim, x.ndim)
        return _first(torch.cummax(x, dim)[0], dim)

    @override
    def cummin(self, x: Array, dim: int) -> tuple[Array, Array]:
        check_dim("cummin", dim, x.ndim)
        return _first(torch.cummin(x, dim)[0], dim)


def _first(best: Array, dim: int) -> tuple[Array, Array]:
    """(running extremum, the lowest index of it); torch gives the highest."""
    size = best.shape[dim]
    index = torch.zeros(best.shape, dtype=torch.int64, device=best.device)
    if size > 1:
        late, early = best.narrow(dim, 1, size - 1), best.narrow(dim, 0, size - 1)
        same = late == early
        if best.dtype.is_floating_point:
            same |= torch.isnan(early)
        place = torch.arange(1, size, device=best.device)
        place = place.reshape(tuple(size - 1 if d == dim else 1 for d in range(best.ndim)))
        index.narrow(dim, 1, size - 1).copy_(torch.where(same, 0, place))
        index = torch.cummax(index, dim)[0]
    return best, index
