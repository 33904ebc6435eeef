"""Linear systems on torch: torch.linalg on the tensor's device; float16 and bfloat16 through float32."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.checks import common_shape
from everygrad_ops.matrix import check_factor, check_matrix, no_answer
from everygrad_ops.solve import SolveOps, check_pivots, check_system, unfit_system
from everygrad_torch.arrays import LOW, Array

_linalg: Any = torch.linalg
_Singular: type[Exception] = _linalg.LinAlgError


class TorchSolve(SolveOps[Array]):
    """The ops of torch.linalg of the same name."""

    @override
    def solve(self: Backend[Array], x: Array, y: Array) -> Array:
        check_system("solve", self, x, y)
        try:
            lead = common_shape("solve", x.shape[:-2], y.shape[:-2])
            # of full rank, or torch would take y for a batch of vectors
            right = _float(y).expand(*lead, *y.shape[-2:])
            wide = _float(x).expand(*lead, *x.shape[-2:])
            return _like(_nan_apart(lambda found: _linalg.solve(found, right), wide), x)
        except _Singular:
            raise no_answer("solve", "a matrix must not be singular") from None

    @override
    def solve_triangular(self: Backend[Array], x: Array, y: Array, upper: bool, unit: bool = False) -> Array:
        check_system("solve_triangular", self, x, y)
        if not unit:
            check_pivots(self, x)
        try:
            found = _linalg.solve_triangular(_float(x), _float(y), upper=upper, unitriangular=unit)
            return _like(found, x)
        except RuntimeError as error:
            raise unfit_system("solve_triangular", self, x, y, error) from None

    @override
    def inv(self: Backend[Array], x: Array) -> Array:
        check_matrix("inv", self, x, square=True)
        try:
            return _like(_nan_apart(_linalg.inv, _float(x)), x)
        except _Singular:
            raise no_answer("inv", "a matrix must not be singular") from None

    @override
    def pinv(self: Backend[Array], x: Array, rtol: float) -> Array:
        check_factor("pinv", self, x)
        try:
            return _like(_linalg.pinv(_float(x), rtol=rtol), x)
        except _Singular:
            raise no_answer("pinv", "it did not converge for a matrix") from None

    @override
    def slogdet(self: Backend[Array], x: Array) -> tuple[Array, Array]:
        check_matrix("slogdet", self, x, square=True)
        sign, logarithm = _nan_apart(_linalg.slogdet, _float(x), matrices=False)
        return _like(sign, x), _like(logarithm, x)

    @override
    def det(self: Backend[Array], x: Array) -> Array:
        check_matrix("det", self, x, square=True)
        return _like(_nan_apart(_linalg.det, _float(x), matrices=False), x)

    @override
    def matrix_exp(self: Backend[Array], x: Array) -> Array:
        check_matrix("matrix_exp", self, x, square=True)
        return _like(_nan_apart(_linalg.matrix_exp, _float(x)), x)


def _nan_apart(f: Callable[[Array], Any], x: Array, matrices: bool = True) -> Any:
    """f(x), and NaN for each matrix that holds one; `matrices`: whether the results are matrices."""
    if not x.sum().isnan().item():
        return f(x)
    bad = x.isnan().flatten(-2).any(-1)
    found = f(torch.where(bad[..., None, None], torch.eye(x.shape[-1], dtype=x.dtype, device=x.device), x))
    mask = bad[..., None, None] if matrices else bad
    if isinstance(found, Array):
        return found.masked_fill(mask, math.nan)
    return [part.masked_fill(mask, math.nan) for part in found]


def _float(x: Array) -> Array:
    return x.float() if x.dtype in LOW else x


def _like(found: Array, x: Array) -> Array:
    return found.to(x.dtype)
