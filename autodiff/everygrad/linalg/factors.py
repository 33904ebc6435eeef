"""Factors of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from everygrad.functional import decompose
from everygrad.functional.decompose import QR, completed, from_triangle, need_matrix
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType, ShapeError
from everygrad_ops.matrix import turned

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["cholesky", "eigh", "eigvalsh", "lu", "qr", "svd", "svdvals"]


class Eigen(NamedTuple):
    """Eigenvalues and eigenvectors, in columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class SVD(NamedTuple):
    """Left singular vectors in columns, singular values, right singular vectors in rows."""

    U: Tensor
    S: Tensor
    Vh: Tensor


class LU(NamedTuple):
    """A permutation, a unit lower and an upper triangular matrix."""

    P: Tensor
    L: Tensor
    U: Tensor


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """Lower triangular L with L L^T = A, which is symmetric and positive definite; with `upper`, L^T.

    Only that triangle of A is read; the gradient is symmetric. Not positive definite: `LinAlgError`.

    >>> import everygrad as eg
    >>> eg.linalg.cholesky(eg.tensor([[4.0, 2.0], [2.0, 10.0]])).tolist()
    [[2.0, 0.0], [1.0, 3.0]]
    """
    return decompose.cholesky(A, upper)


def qr(A: Tensor, mode: str = "reduced") -> QR:
    """(Q, R): orthonormal columns and an upper triangle with Q R = A; R has no negative diagonal entry.

    mode "complete" gives a square Q, whose further columns are orthogonal to the first in some rotation; "r" leaves
    Q empty. The gradient needs the first min(m, n) columns of A to be independent: `LinAlgError` where they are not.

    >>> import everygrad as eg
    >>> eg.linalg.qr(eg.tensor([[0.0, 3.0], [2.0, 1.0]])).R.tolist()
    [[2.0, 1.0], [0.0, 3.0]]
    """
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"qr: mode must be 'reduced', 'complete' or 'r'. Received: mode={mode!r}")
    q, r = decompose.qr(A, mode != "complete")
    if mode == "r":
        q = wrap(A.backend.full((0,), 0, A.dtype), A.backend, A.dtype)
    return QR(q, r)


def eigh(A: Tensor, UPLO: str = "L") -> Eigen:
    """(eigenvalues, ascending; eigenvectors in columns) of symmetric A, of which one triangle is read.

    Where eigenvalues are equal, a gradient through their vectors is inf or NaN; through the values it is right.

    >>> import everygrad as eg
    >>> eg.linalg.eigh(eg.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues.tolist()
    [1.0, 2.0]
    """
    if UPLO not in ("L", "U"):
        raise ValueError(f"eigh: UPLO must be 'L' or 'U'. Received: UPLO={UPLO!r}")
    x = from_triangle("eigh", A, UPLO == "U", "A")
    b = x.backend
    values, vectors = b.eigh(x.array)
    return Eigen(wrap(values, b, x.dtype), wrap(vectors, b, x.dtype))


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of `eigh`; their gradient is right where they are equal too.

    >>> import everygrad as eg
    >>> eg.linalg.eigvalsh(eg.tensor([[0.0, 2.0], [2.0, 0.0]])).tolist()
    [-2.0, 2.0]
    """
    return eigh(A, UPLO).eigenvalues


def svd(A: Tensor, full_matrices: bool = True, *, driver: None = None) -> SVD:
    """(U, S, Vh) with U diag(S) Vh = A, S descending; U and Vh square with `full_matrices`, else (m, k) and (k, n).

    The further columns of a square U are orthogonal to the first in some rotation; what does not depend on it has its
    gradient. Where singular values are equal, a gradient through their vectors is inf or NaN; through S it is right.

    >>> import everygrad as eg
    >>> eg.linalg.svd(eg.tensor([[0.0, 2.0], [3.0, 0.0]])).S.tolist()
    [3.0, 2.0]
    """
    need_matrix("svd", A, name="A")
    b = A.backend
    u, s, vh = b.svd(A.array)
    if full_matrices:
        u, vh = completed(b, u), turned(b, completed(b, turned(b, vh)))
    return SVD(wrap(u, b, A.dtype), wrap(s, b, A.dtype), wrap(vh, b, A.dtype))


def svdvals(A: Tensor, *, driver: None = None) -> Tensor:
    """The singular values, descending; their gradient is right where they are equal too.

    >>> import everygrad as eg
    >>> eg.linalg.svdvals(eg.tensor([[3.0, 0.0], [0.0, -4.0]])).tolist()
    [4.0, 3.0]
    """
    return svd(A, False).S


def lu(A: Tensor, *, pivot: bool = True) -> LU:
    """(P, L, U) with P L U = A: a permutation, a unit lower and an upper triangular matrix.

    >>> import everygrad as eg
    >>> p, l, u = eg.linalg.lu(eg.tensor([[1.0, 2.0], [2.0, 2.0]]))
    >>> p.tolist(), l.tolist(), u.tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.5, 1.0]], [[2.0, 2.0], [0.0, 1.0]])
    """
    need_matrix("lu", A, name="A")
    if not pivot:
        raise ShapeError("lu: pivots keep it exact. Received: pivot=False; leave it out")
    b = A.backend
    lower, upper, permutation = b.lu(A.array)
    m = A.shape[-2]
    count = b.reshape(b.arange(0, m, 1, DType.int64), (m, 1))
    rows = b.reshape(permutation, (*A.shape[:-2], 1, m))
    return LU(*(wrap(v, b, A.dtype) for v in (b.cast(b.eq(count, rows), A.dtype), lower, upper)))
