"""Leading singular vectors by random projections.

Source: Halko, Martinsson, Tropp, "Finding structure with randomness", 2009, algorithms 4.4 and 5.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.decompose import USV, need_matrix, qr, svd
from everygrad.functional.random import randn
from everygrad.tensor.wrap import need_tensor
from everygrad_ops import ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["pca_lowrank", "svd_lowrank"]


def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> USV:
    """(U, S, V) with U diag(S) V^T near A - M, of rank q: exact where the rank of A - M is q or less.

    `niter` steps of subspace iteration bring it nearer. The gradient is that of the steps at the drawn projection.

    >>> import everygrad as eg
    >>> u, s, v = eg.svd_lowrank(eg.tensor([[3.0, 0.0], [4.0, 0.0]]), q=1)
    >>> round(s.item(), 4), u.shape, v.shape
    (5.0, (2, 1), (2, 1))
    """
    need_matrix("svd_lowrank", A, name="A")
    count, steps = 6 if q is None else q, 2 if niter is None else niter
    m, n = A.shape[-2:]
    if not 0 <= count <= min(m, n) or steps < 0:
        raise ShapeError(
            f"svd_lowrank: q must be from 0 to {min(m, n)}, and niter not negative. Received: q={q}, niter={niter}"
        )
    x = A if M is None else A - M
    wide = m < n
    x = x.mT if wide else x
    start = randn((x.shape[-1], count), dtype=x.dtype, backend=x.backend)
    basis = qr(x @ start).Q
    for _ in range(steps):
        basis = qr(x @ qr(x.mT @ basis).Q).Q
    u, s, v = svd(basis.mT @ x)
    u = basis @ u
    return USV(v, s, u) if wide else USV(u, s, v)


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> USV:
    """The leading q principal components of observations in the rows of A: `svd_lowrank` of A less its column means.

    >>> import everygrad as eg
    >>> round(eg.pca_lowrank(eg.tensor([[1.0, 5.0], [3.0, 5.0]]), q=1).S.item(), 4)
    1.4142
    """
    need_tensor("pca_lowrank", "A", A)
    need_matrix("pca_lowrank", A, name="A")
    count = min(6, *A.shape[-2:]) if q is None else q
    return svd_lowrank(A - A.mean(-2, True) if center else A, count, niter)
