"""Comparisons, logic and selection on torch."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops.comparison import ComparisonOps
from everygrad_ops.errors import misfit
from everygrad_torch.arrays import Array, hold


class TorchComparison(ComparisonOps[Array]):
    """Questions asked of each element."""

    @override
    def eq(self, x: Array, y: Array | float) -> Array:
        if not isinstance(y, torch.Tensor) and not x.dtype.is_floating_point:
            x, y = _comparable(x, y)
        try:
            return torch.eq(x, y)
        except RuntimeError as error:
            raise misfit("eq", error, x=x, y=y) from None

    @override
    def lt(self, x: Array, y: Array | float) -> Array:
        if not isinstance(y, torch.Tensor) and not x.dtype.is_floating_point:
            x, y = _comparable(x, y)
        try:
            return torch.lt(x, y)
        except RuntimeError as error:
            raise misfit("lt", error, x=x, y=y) from None

    @override
    def gt(self, x: Array, y: Array | float) -> Array:
        if not isinstance(y, torch.Tensor) and not x.dtype.is_floating_point:
            x, y = _comparable(x, y)
        try:
            return torch.gt(x, y)
        except RuntimeError as error:
            raise misfit("gt", error, x=x, y=y) from None

    @override
    def ne(self, x: Array, y: Array | float) -> Array:
        if not isinstance(y, torch.Tensor) and not x.dtype.is_floating_point:
            x, y = _comparable(x, y)
        try:
            return torch.ne(x, y)
        except RuntimeError as error:
            raise misfit("ne", error, x=x, y=y) from None

    @override
    def le(self, x: Array, y: Array | float) -> Array:
        if not isinstance(y, torch.Tensor) and not x.dtype.is_floating_point:
            x, y = _comparable(x, y)
        try:
            return torch.le(x, y)
        except RuntimeError as error:
            raise misfit("le", error, x=x, y=y) from None

    @override
    def ge(self, x: Array, y: Array | float) -> Array:
        if not isinstance(y, torch.Tensor) and not x.dtype.is_floating_point:
            x, y = _comparable(x, y)
        try:
            return torch.ge(x, y)
        except RuntimeError as error:
            raise misfit("ge", error, x=x, y=y) from None

    @override
    def logical_and(self, x: Array, y: Array) -> Array:
        try:
            return torch.logical_and(x, y)
        except RuntimeError as error:
            raise misfit("logical_and", error, x=x, y=y) from None

    @override
    def logical_or(self, x: Array, y: Array) -> Array:
        try:
            return torch.logical_or(x, y)
        except RuntimeError as error:
            raise misfit("logical_or", error, x=x, y=y) from None

    @override
    def logical_xor(self, x: Array, y: Array) -> Array:
        try:
            return torch.logical_xor(x, y)
        except RuntimeError as error:
            raise misfit("logical_xor", error, x=x, y=y) from None

    @override
    def logical_not(self, x: Array) -> Array:
        return torch.logical_not(x)

    @override
    def isnan(self, x: Array) -> Array:
        return torch.isnan(x)

    @override
    def where(self, condition: Array, x: Array | float, y: Array | float) -> Array:
        like = x if isinstance(x, torch.Tensor) else y
        assert isinstance(like, torch.Tensor), "where: x or y must be an array"
        try:
            result = torch.where(condition, hold("where", like, x), hold("where", like, y))
        except RuntimeError as error:
            raise misfit("where", error, condition=condition, x=x, y=y) from None
        return result if result.dtype is like.dtype else result.to(like.dtype)

    @override
    def isinf(self, x: Array) -> Array:
        return torch.isinf(x)

    @override
    def isfinite(self, x: Array) -> Array:
        return torch.isfinite(x)


def _comparable(x: Array, y: float) -> tuple[Array, float]:
    """Both in a dtype that holds either: torch would wrap an integer, and round int64 to float32."""
    if isinstance(y, float) or not -(2**63) <= y < 2**63:
        return x.to(torch.float64), float(y)
    if x.dtype is torch.bool:
        return x, y
    info = torch.iinfo(x.dtype)
    return x if info.min <= y <= info.max else x.to(torch.int64), y
