"""Logarithms and powers of other bases, and products with a logarithm, on torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops.errors import misfit
from everygrad_ops.logarithm import LogarithmOps
from everygrad_torch.arrays import Array

special: Any = torch.special  # it has no types


class TorchLogarithm(LogarithmOps[Array]):
    """Plain ATen calls."""

    @override
    def log2(self, x: Array) -> Array:
        return torch.log2(x)

    @override
    def log10(self, x: Array) -> Array:
        return torch.log10(x)

    @override
    def exp2(self, x: Array) -> Array:
        return torch.exp2(x)

    @override
    def logaddexp(self, x: Array, y: Array) -> Array:
        return _of_two("logaddexp", torch.logaddexp, x, y)

    @override
    def logaddexp2(self, x: Array, y: Array) -> Array:
        return _of_two("logaddexp2", torch.logaddexp2, x, y)

    @override
    def xlogy(self, x: Array, y: Array) -> Array:
        return _of_two("xlogy", torch.xlogy, x, y)

    @override
    def xlog1py(self, x: Array, y: Array) -> Array:
        return _of_two("xlog1py", special.xlog1py, x, y)


def _of_two(op: str, function: Callable[[Array, Array], Array], x: Array, y: Array) -> Array:
    try:
        return function(x, y)
    except RuntimeError as error:
        raise misfit(op, error, x=x, y=y) from None
