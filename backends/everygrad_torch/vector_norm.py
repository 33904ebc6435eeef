"""Norms of vectors on torch."""

from __future__ import annotations

import math

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.checks import check_dims
from everygrad_ops.vector_norm import VectorNormOps
from everygrad_torch.arrays import LOW, Array, kernel

_norm = kernel(torch.ops.aten.linalg_vector_norm.default)


class TorchVectorNorm(VectorNormOps[Array]):
    """torch's kernel takes powers as they are: where one overflowed or vanished, the default takes over."""

    @override
    def vector_norm(
        self: Backend[Array], x: Array, p: float, dims: tuple[int, ...], keepdim: bool = False
    ) -> Array:
        check_dims("vector_norm", dims, x.ndim)
        if not dims or not x.numel() or not x.dtype.is_floating_point:
            return Backend[Array].vector_norm(self, x, p, dims, keepdim)
        y = x.to(torch.float32) if x.dtype in LOW else x
        result: Array = _norm(y, p, dims, keepdim)
        if p not in (0, 1) and not math.isinf(p) and not _safe(result, p):
            return Backend[Array].vector_norm(self, x, p, dims, keepdim)
        return result.to(x.dtype)


def _safe(norm: Array, p: float) -> bool:
    """Whether the sum of powers behind each norm stayed in range."""
    limits = torch.finfo(norm.dtype)
    powers = norm if p == 2 else torch.pow(norm, p)
    low = math.sqrt(limits.tiny / limits.eps) if p == 2 else limits.tiny / limits.eps
    smallest, largest = torch.aminmax(powers)
    return bool(smallest >= low) and bool(largest < math.inf)
