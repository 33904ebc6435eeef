"""Determinants, inverses and systems of equations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from everygrad.functional import decompose
from everygrad.functional.decompose import SignLogabsdet, need_matrix
from everygrad.linalg.norms import EPS, bounds
from everygrad.tensor.dims import many_dims, plain
from everygrad.tensor.operands import together
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import Backend, DType, LinAlgError, ShapeError
from everygrad_ops.matrix import diagonal_of, turned

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "cholesky_solve",
    "det",
    "inv",
    "lstsq",
    "matrix_exp",
    "pinv",
    "slogdet",
    "solve",
    "solve_triangular",
    "tensorinv",
    "tensorsolve",
]


class Lstsq(NamedTuple):
    """A solution by least squares, the squared rests, the rank, and no singular values."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


def det(A: Tensor) -> Tensor:
    """Determinants; the gradient is right at singular matrices too.

    >>> import everygrad as eg
    >>> round(eg.linalg.det(eg.tensor([[1.0, 2.0], [3.0, 4.0]])).item(), 5)
    -2.0
    """
    return decompose.det(A)


def slogdet(A: Tensor) -> SignLogabsdet:
    """(sign, logabsdet) of the determinants; 0 and -inf for a singular matrix, which has no gradient there.

    >>> import everygrad as eg
    >>> eg.linalg.slogdet(eg.eye(2)).logabsdet.item()
    0.0
    """
    return decompose.slogdet(A)


def inv(A: Tensor) -> Tensor:
    """Inverses; a singular matrix raises `LinAlgError`.

    >>> import everygrad as eg
    >>> eg.linalg.inv(eg.tensor([[2.0]])).tolist()
    [[0.5]]
    """
    need_matrix("inv", A, True, "A")
    return decompose.inverse(A)


def matrix_exp(A: Tensor) -> Tensor:
    """The sum of A^k / k! over all k.

    >>> import everygrad as eg
    >>> eg.linalg.matrix_exp(eg.zeros(2, 2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return decompose.matrix_exp(A)


def cholesky_solve(B: Tensor, L: Tensor, *, upper: bool = False) -> Tensor:
    """The X with A X = B, from the Cholesky factor L of A.

    >>> import everygrad as eg
    >>> eg.linalg.cholesky_solve(eg.tensor([[8.0]]), eg.tensor([[2.0]])).tolist()
    [[2.0]]
    """
    return decompose.cholesky_solve(B, L, upper)


def pinv(
    A: Tensor,
    *,
    atol: Tensor | float | None = None,
    rtol: Tensor | float | None = None,
    hermitian: bool = False,
) -> Tensor:
    """Pseudo-inverses (..., n, m) of (..., m, n); small singular values count as 0. The gradient is that at constant rank.

    Small is up to max(atol, rtol times the largest); without either, up to eps * max(m, n) times the largest. Each is
    a number, or a tensor of one for each matrix. `hermitian` is taken and has no effect.

    >>> import everygrad as eg
    >>> [round(v, 6) for v in eg.linalg.pinv(eg.tensor([[3.0], [4.0]])).tolist()[0]]
    [0.12, 0.16]
    """
    need_matrix("pinv", A, name="A")
    b, lead = A.backend, A.shape[:-2]
    absolute, part = bounds(A, atol, rtol)
    if atol is None and not is_tensor(rtol):
        return wrap(b.pinv(A.array, float(b.to_numpy(part)[0])), b, A.dtype)
    values = decompose.svd(A.detach()).S
    if values.numel() == 0:
        return wrap(b.pinv(A.array, 0.0), b, A.dtype)
    top = values.amax(-1, True).array
    share = b.maximum(part, b.where(b.gt(top, 0), b.div(absolute, b.where(b.gt(top, 0), top, 1)), 0))
    shares: list[float] = b.to_numpy(b.broadcast_to(share, (*lead, 1))).ravel().tolist()
    if len({*shares}) == 1:
        return wrap(b.pinv(A.array, shares[0]), b, A.dtype)
    each = [b.pinv(x.array, s) for x, s in zip(A.reshape(-1, *A.shape[-2:]), shares)]
    return wrap(b.reshape(b.stack(each, 0), (*lead, A.shape[-1], A.shape[-2])), b, A.dtype)


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The X with A X = B, or X A = B where `left` is false; a singular A raises `LinAlgError`.

    B is (..., n, k), or a vector (n,), or a batch of vectors where its shape is that of A without the last dim.

    >>> import everygrad as eg
    >>> eg.linalg.solve(eg.tensor([[2.0, 0.0], [0.0, 4.0]]), eg.tensor([2.0, 2.0])).tolist()
    [1.0, 0.5]
    """
    need_matrix("solve", A, True, "A")
    need_tensor("solve", "B", B)
    x, y = together("solve", A, B)
    b = x.backend
    vector = y.ndim == 1 or (y.ndim == x.ndim - 1 and y.shape == x.shape[:-1])
    array = b.reshape(y.array, (*y.shape, 1)) if vector else y.array
    if left or vector:
        out = b.solve(x.array, array)
    else:
        out = turned(b, b.solve(turned(b, x.array), turned(b, array)))
    return wrap(b.reshape(out, b.shape(out)[:-1]) if vector else out, b, x.dtype)


def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """The X with A X = B (X A = B where `left` is false), of one triangle of A; `unitriangular`: its diagonal is 1.

    >>> import everygrad as eg
    >>> a = eg.tensor([[1.0, 0.0], [2.0, 4.0]])
    >>> eg.linalg.solve_triangular(a, eg.tensor([[1.0], [6.0]]), upper=False).tolist()
    [[1.0], [1.0]]
    """
    need_matrix("solve_triangular", A, True, "A")
    need_matrix("solve_triangular", B, name="B")
    x, y = together("solve_triangular", A, B)
    b = x.backend
    if left:
        return wrap(b.solve_triangular(x.array, y.array, upper, unitriangular), b, x.dtype)
    out = b.solve_triangular(turned(b, x.array), turned(b, y.array), not upper, unitriangular)
    return wrap(turned(b, out), b, x.dtype)


def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Lstsq:
    """(solution, residuals, rank, singular_values): the X of least |A X - B|, and of least |X| where m < n.

    A (..., m, n) has full rank: `LinAlgError` otherwise, and pinv(A) @ B serves. Residuals are the squared rests of
    each column where m > n; singular_values is empty. `rcond` and `driver` are taken and have no effect.

    >>> import everygrad as eg
    >>> a, b = eg.tensor([[1.0], [1.0]]), eg.tensor([[1.0], [3.0]])
    >>> [round(v, 5) for v in eg.linalg.lstsq(a, b).solution.tolist()[0]]
    [2.0]
    """
    need_matrix("lstsq", A, name="A")
    need_tensor("lstsq", "B", B)
    x, y = together("lstsq", A, B)
    b, (m, n) = x.backend, x.shape[-2:]
    vector = y.ndim == x.ndim - 1 and y.shape == x.shape[:-1]
    right = b.reshape(y.array, (*y.shape, 1)) if vector else y.array
    if len(b.shape(right)) < 2 or b.shape(right)[-2] != m:
        raise ShapeError(f"lstsq: B must be (..., m, k) for A (..., m, n). Received: {x.shape} and {y.shape}")
    q, r = b.qr(x.array if m >= n else turned(b, x.array))
    _need_full_rank(b, r, EPS[x.dtype] * max(m, n))
    if m >= n:
        out = b.solve_triangular(r, b.matmul(turned(b, q), right), True)
    else:
        out = b.matmul(q, b.solve_triangular(turned(b, r), right, False))
    lead = x.shape[:-2]
    rest = b.full((*lead, 0), 0, x.dtype)
    if m > n:
        rest = b.sum(b.square(b.sub(b.matmul(x.array, out), right)), (len(b.shape(out)) - 2,))
    if vector:
        out = b.reshape(out, b.shape(out)[:-1])
    rank = wrap(b.full(lead, min(m, n), DType.int64), b, DType.int64)
    return Lstsq(
        wrap(out, b, x.dtype), wrap(rest, b, x.dtype), rank, wrap(b.full((0,), 0, x.dtype), b, x.dtype)
    )


def _need_full_rank(b: Backend[Any], r: Any, small: float) -> None:
    """Refuse columns that depend on each other: a diagonal entry of R that is 0, up to rounding."""
    size = b.abs(b.detach(diagonal_of(b, r)))
    last = len(b.shape(size)) - 1
    if 0 in b.shape(size):
        return
    good = b.gt(b.amin(size, (last,)), b.mul(b.amax(size, (last,)), small))
    if not b.to_numpy(good).all():
        raise LinAlgError(
            "lstsq: A must have full rank, no 0 on the diagonal of its R. Received: a matrix that has not; "
            "write pinv(A) @ B"
        )


def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None) -> Tensor:
    """The X with tensordot(A, X, X.ndim) = B; `dims` of A are moved to its end first.

    >>> import everygrad as eg
    >>> eg.linalg.tensorsolve(2 * eg.eye(6).reshape(2, 3, 6), eg.ones(2, 3)).tolist()
    [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    """
    need_tensor("tensorsolve", "A", A)
    need_tensor("tensorsolve", "B", B)
    last = () if dims is None else many_dims("tensorsolve", dims, A.ndim)
    x = A.permute(*(d for d in range(A.ndim) if d not in last), *last)
    shape = x.shape[B.ndim :]
    count = math.prod(shape)
    if math.prod(x.shape[: B.ndim]) != count or B.numel() != count:
        raise ShapeError(
            f"tensorsolve: A must have as many dims as B, of as many elements, then others of as many. "
            f"Received: shapes {x.shape} and {B.shape}"
        )
    return solve(x.reshape(count, count), B.reshape(count)).reshape(shape)


def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """The inverse of A as a map from its last dims to its first `ind`.

    >>> import everygrad as eg
    >>> eg.linalg.tensorinv(eg.eye(6).reshape(2, 3, 6), ind=2).shape
    (6, 2, 3)
    """
    need_tensor("tensorinv", "A", A)
    ind = plain(ind)
    first, last = A.shape[:ind], A.shape[ind:]
    count = math.prod(first)
    if ind < 1 or math.prod(last) != count:
        raise ShapeError(
            f"tensorinv: the first ind dims must have as many elements as the others. "
            f"Received: shape {A.shape}, ind={ind}"
        )
    return decompose.inverse(A.reshape(count, count)).reshape(*last, *first)
