"""Comparisons, logic and selection on torch."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops.comparison import ComparisonOps
from everygrad_ops.errors import misfit
from everygrad_torch.arrays import Array


class TorchComparison(ComparisonOps[Array]):
    """Questions asked of each element."""

    @override
    def eq(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.eq(x, y)
        except RuntimeError as error:
            raise misfit("eq", error, x=x, y=y) from None

    @override
    def lt(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.lt(x, y)
        except RuntimeError as error:
            raise misfit("lt", error, x=x, y=y) from None

    @override
    def gt(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.gt(x, y)
        except RuntimeError as error:
            raise misfit("gt", error, x=x, y=y) from None

    @override
    def ne(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.ne(x, y)
        except RuntimeError as error:
            raise misfit("ne", error, x=x, y=y) from None

    @override
    def le(self, x: Array, y: Array | float) -> Array:
        try:
            return torch.le(x, y)
        except RuntimeError as error:
            raise misfit("le", error, x=x, y=y) from None

    @override
    def ge(self, x: Array, y: Array | float) -> Array:
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
        dtype = x.dtype if isinstance(x, torch.Tensor) else y.dtype if isinstance(y, torch.Tensor) else None
        if not isinstance(x, torch.Tensor):
            x = torch.tensor(x, dtype=dtype, device=condition.device)
        if not isinstance(y, torch.Tensor):
            y = torch.tensor(y, dtype=dtype, device=condition.device)
        try:
            return torch.where(condition, x, y)
        except RuntimeError as error:
            raise misfit("where", error, condition=condition, x=x, y=y) from None
