"""Factorizations of matrices: the optional group, whose default goes through LAPACK on the host.

Signs are fixed, so that every backend gives the same factors: R of `qr` has no negative diagonal entry, and the
first entry of each eigenvector, or left singular vector, that is not small next to its largest is positive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops import lapack
from everygrad_ops.host import all_on_host, on_host
from everygrad_ops.marks import optional, outputs
from everygrad_ops.matrix import (
    check_factor,
    check_matrix,
    column,
    columns,
    diagonal_of,
    no_answer,
    row,
    signs,
    symmetric,
)

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class FactorOps(Protocol[A]):
    """Factors of (..., m, n); k is min(m, n)."""

    @optional
    def cholesky(self: Backend[A], x: A) -> A:
        """Lower triangular L with L L^T = (x + x^T) / 2: of the symmetric part of square x.

        Raises `LinAlgError` where that is not positive definite.
        """
        import numpy as np

        check_factor("cholesky", self, x, square=True)
        try:
            return on_host(self, np.linalg.cholesky, symmetric(self, x))
        except np.linalg.LinAlgError:
            raise no_answer("cholesky", "a matrix must be positive definite") from None

    @optional
    @outputs("q", "r")
    def qr(self: Backend[A], x: A) -> tuple[A, A]:
        """Orthonormal columns q (..., m, k) and upper triangular r (..., k, n) with q r = x.

        No diagonal entry of r is negative. The gradient needs the first k columns of x to be independent.
        """
        check_factor("qr", self, x)
        q, r = all_on_host(self, lapack.qr, x)
        return fix_qr(self, q, r)

    @optional
    @outputs("values", "vectors")
    def eigh(self: Backend[A], x: A) -> tuple[A, A]:
        """Eigenvalues (..., n), ascending, and eigenvectors, the columns of (..., n, n), of (x + x^T) / 2.

        Where eigenvalues are equal, a gradient through their vectors is inf or NaN; through the values it is right.
        """
        import numpy as np

        check_factor("eigh", self, x, square=True)
        try:
            values, vectors = all_on_host(self, lapack.eigh, symmetric(self, x))
        except np.linalg.LinAlgError:
            raise no_answer("eigh", "it did not converge for a matrix") from None
        return values, self.mul(vectors, row(self, signs(self, vectors)))

    @optional
    @outputs("u", "s", "vh")
    def svd(self: Backend[A], x: A) -> tuple[A, A, A]:
        """u (..., m, k), s (..., k), descending, and vh (..., k, n) with u diag(s) vh = x.

        Where singular values are equal, or 0, a gradient through vectors is inf or NaN; through s alone it is right.
        """
        import numpy as np

        check_factor("svd", self, x)
        try:
            u, s, vh = all_on_host(self, lapack.svd, x)
        except np.linalg.LinAlgError:
            raise no_answer("svd", "it did not converge for a matrix") from None
        return fix_svd(self, u, s, vh)

    @optional
    @outputs("lower", "upper", "permutation", integer=("permutation",))
    def lu(self: Backend[A], x: A) -> tuple[A, A, A]:
        """Unit lower triangular (..., m, k), upper triangular (..., k, n) and an int64 permutation (..., m).

        Row i of lower times upper is row permutation[i] of x. Pivots are the largest of their column.
        """
        check_factor("lu", self, x)
        lower, upper, permutation = all_on_host(self, lapack.lu, x)
        return lower, upper, permutation

    @optional
    def orthogonal_complement(self: Backend[A], x: A) -> A:
        """Orthonormal columns (..., m, m - n) that are orthogonal to those of x (..., m, n), orthonormal itself.

        Any rotation of the result among its columns would do; the gradient is right for what does not depend on it.
        """
        check_matrix("orthogonal_complement", self, x)
        return on_host(self, lapack.complement, x)


def fix_qr(b: Backend[A], q: A, r: A) -> tuple[A, A]:
    """The factors with no negative entry on the diagonal of r."""
    k = b.shape(q)[-1]
    diagonal = diagonal_of(b, r)
    sign = b.where(b.lt(diagonal, 0), b.full(b.shape(diagonal), -1, b.dtype(r)), 1)
    return b.mul(columns(b, q, 0, k), row(b, sign)), b.triu(b.mul(r, column(b, sign)), 0)


def fix_svd(b: Backend[A], u: A, s: A, vh: A) -> tuple[A, A, A]:
    """The factors with the signs that the contract names."""
    sign = signs(b, u)
    return b.mul(u, row(b, sign)), s, b.mul(vh, column(b, sign))
