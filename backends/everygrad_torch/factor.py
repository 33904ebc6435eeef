"""Factorizations on torch: torch.linalg on the tensor's device; float16 and bfloat16 through float32."""

from __future__ import annotations

from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.factor import FactorOps, fix_qr, fix_svd
from everygrad_ops.matrix import check_factor, check_matrix, no_answer, row, signs, symmetric
from everygrad_torch.arrays import LOW, Array

_linalg: Any = torch.linalg
_Failed: type[Exception] = _linalg.LinAlgError


class TorchFactor(FactorOps[Array]):
    """The ops of torch.linalg of the same name, with the contract's signs."""

    @override
    def cholesky(self: Backend[Array], x: Array) -> Array:
        check_factor("cholesky", self, x, square=True)
        try:
            return _like(_linalg.cholesky(symmetric(self, _float(x))), x)
        except _Failed:
            raise no_answer("cholesky", "a matrix must be positive definite") from None

    @override
    def qr(self: Backend[Array], x: Array) -> tuple[Array, Array]:
        check_factor("qr", self, x)
        q, r = fix_qr(self, *_linalg.qr(_float(x)))
        return _like(q, x), _like(r, x)

    @override
    def eigh(self: Backend[Array], x: Array) -> tuple[Array, Array]:
        check_factor("eigh", self, x, square=True)
        try:
            values, vectors = _linalg.eigh(symmetric(self, _float(x)))
        except _Failed:
            raise no_answer("eigh", "it did not converge for a matrix") from None
        return _like(values, x), _like(vectors * row(self, signs(self, vectors)), x)

    @override
    def svd(self: Backend[Array], x: Array) -> tuple[Array, Array, Array]:
        check_factor("svd", self, x)
        try:
            u, s, vh = fix_svd(self, *_linalg.svd(_float(x), full_matrices=False))
        except _Failed:
            raise no_answer("svd", "it did not converge for a matrix") from None
        return _like(u, x), _like(s, x), _like(vh, x)

    @override
    def lu(self: Backend[Array], x: Array) -> tuple[Array, Array, Array]:
        check_factor("lu", self, x)
        permutation, lower, upper = _linalg.lu(_float(x))
        count = torch.arange(permutation.shape[-1], dtype=permutation.dtype, device=x.device)
        return _like(lower, x), _like(upper, x), torch.matmul(count, permutation).to(torch.int64)

    @override
    def orthogonal_complement(self: Backend[Array], x: Array) -> Array:
        n = check_matrix("orthogonal_complement", self, x)[-1]
        return _like(_linalg.qr(_float(x), mode="complete")[0][..., n:], x)


def _float(x: Array) -> Array:
    return x.float() if x.dtype in LOW else x


def _like(found: Array, x: Array) -> Array:
    return found.to(x.dtype)
