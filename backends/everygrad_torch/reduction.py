"""Reductions on torch."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.checks import check_dims
from everygrad_ops.errors import no_extremum
from everygrad_ops.reduction import ReductionOps, size_of, without
from everygrad_torch.arrays import LOW, Array

ROUNDINGS = 32
"""Deviations of no more roundings than this of the mean are computed again, from a better mean."""


class TorchReduction(ReductionOps[Array]):
    """ATen reductions; an empty tuple of dims reduces nothing (torch would reduce all)."""

    @override
    def sum(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("sum", dims, x.ndim)
        if not dims:
            return x if x.dtype.is_floating_point else x.to(torch.int64)
        return torch.sum(x, dims, keepdim)

    @override
    def mean(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("mean", dims, x.ndim)
        return torch.mean(x, dims, keepdim) if dims else x

    @override
    def prod(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("prod", dims, x.ndim)
        dtype = x.dtype if x.dtype.is_floating_point else torch.int64
        result = x.to(torch.float32 if dtype in LOW else dtype)
        for dim in sorted(dims, reverse=True):
            result = torch.prod(result, dim, keepdim)
        return result.to(dtype)

    @override
    def amax(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("amax", dims, x.ndim)
        try:
            return torch.amax(x, dims, keepdim) if dims else x
        except (RuntimeError, IndexError):
            raise no_extremum("amax", x.shape, dims) from None

    @override
    def amin(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("amin", dims, x.ndim)
        try:
            return torch.amin(x, dims, keepdim) if dims else x
        except (RuntimeError, IndexError):
            raise no_extremum("amin", x.shape, dims) from None

    @override
    def logsumexp(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("logsumexp", dims, x.ndim)
        if not dims:
            return x
        if x.dtype in LOW:
            return torch.logsumexp(x.to(torch.float32), dims, keepdim).to(x.dtype)
        return torch.logsumexp(x, dims, keepdim)

    @override
    def var(
        self: Backend[Array], x: Array, dims: tuple[int, ...], correction: float = 1, keepdim: bool = False
    ) -> Array:
        check_dims("var", dims, x.ndim)
        divisor = size_of(tuple(x.shape), dims) - correction
        if not dims or divisor <= 0 or not x.numel() or not x.dtype.is_floating_point:
            return Backend[Array].var(self, x, dims, correction, keepdim)
        # Two passes: several times as fast as torch's own, which runs along with a mean.
        y = x.to(torch.float32) if x.dtype in LOW else x
        mean = torch.mean(y, dims, True)
        variance = torch.sub(y, mean).square_().sum(dims, True).div_(divisor)
        if (variance <= mean.mul_(ROUNDINGS * torch.finfo(y.dtype).eps).square_()).any():
            return Backend[Array].var(self, x, dims, correction, keepdim)
        return (variance if keepdim else variance.reshape(without(tuple(x.shape), dims))).to(x.dtype)

    @override
    def any(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("any", dims, x.ndim)
        return torch.any(x, dims, keepdim) if dims else x

    @override
    def all(self, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        check_dims("all", dims, x.ndim)
        return torch.all(x, dims, keepdim) if dims else x
