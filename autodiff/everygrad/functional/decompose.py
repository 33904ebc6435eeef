"""Determinants, inverses and factors of matrices, under the names that torch has at its top level.

`everygrad.linalg` has them all, and more, under the names of torch.linalg.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everygrad.tensor.operands import on_one_backend, together
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import Backend, DTypeError, ShapeError
from everygrad_ops.matrix import identity, turned

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "det",
    "inverse",
    "logdet",
    "lu_unpack",
    "matrix_exp",
    "pinverse",
    "qr",
    "slogdet",
    "svd",
]


class SignLogabsdet(NamedTuple):
    """A determinant, as its sign and the logarithm of its size."""

    sign: Tensor
    logabsdet: Tensor


class QR(NamedTuple):
    """Orthonormal columns and an upper triangle."""

    Q: Tensor
    R: Tensor


class USV(NamedTuple):
    """Left vectors, singular values and right vectors, all in columns."""

    U: Tensor
    S: Tensor
    V: Tensor


def need_matrix(op: str, x: Tensor, square: bool = False, name: str = "input") -> None:
    """Refuse what is not a (batch of) floating-point matrices, in the words of users."""
    need_tensor(op, name, x)
    shape = x.shape
    if len(shape) < 2 or (square and shape[-1] != shape[-2]):
        kind = "square matrices (..., n, n)" if square else "matrices (..., m, n)"
        raise ShapeError(f"{op}: {name} must be {kind}. Received: shape {shape}")
    if not x.dtype.is_floating:
        raise DTypeError(
            f"{op}: {name} must be floating point. Received: {x.dtype}; write {name}.to(eg.float32)"
        )


def transposed(x: Tensor) -> Tensor:
    """Each matrix transposed."""
    return wrap(turned(x.backend, x.array), x.backend, x.known_dtype)


def from_triangle(op: str, x: Tensor, upper: bool, name: str = "input") -> Tensor:
    """The symmetric matrix of one triangle of `x`; its gradient is that of (x + x^T) / 2, as in torch."""
    need_matrix(op, x, True, name)
    b = x.backend
    kept, strict = (b.triu, 1) if upper else (b.tril, -1)
    value = b.detach(x.array)
    whole = b.add(kept(value, 0), turned(b, kept(value, strict)))
    moved = b.sub(x.array, value)  # 0, with the gradient of x
    return wrap(b.add(whole, b.where(b.isnan(moved), 0, moved)), b, x.dtype)


def det(input: Tensor) -> Tensor:
    """Determinants of (..., n, n). The gradient, the matrix of cofactors, is right at singular matrices too.

    >>> import everygrad as eg
    >>> x = eg.tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
    >>> d = eg.det(x)
    >>> d.item(), d.backward()[x].round().tolist()
    (0.0, [[4.0, -2.0], [-2.0, 1.0]])
    """
    need_matrix("det", input, square=True)
    return wrap(input.backend.det(input.array), input.backend, input.dtype)


def slogdet(input: Tensor) -> SignLogabsdet:
    """(sign, logabsdet): the sign of the determinants and the logarithm of their size, which does not overflow.

    A singular matrix gives 0 and -inf, and has no gradient there: `LinAlgError`.

    >>> import everygrad as eg
    >>> eg.slogdet(eg.tensor([[0.0, 1.0], [1.0, 0.0]])).sign.item()
    -1.0
    """
    need_matrix("slogdet", input, square=True)
    b = input.backend
    sign, logarithm = b.slogdet(input.array)
    return SignLogabsdet(wrap(sign, b, input.dtype), wrap(logarithm, b, input.dtype))


def logdet(input: Tensor) -> Tensor:
    """Logarithm of the determinants: NaN where one is negative, -inf where it is 0.

    >>> import everygrad as eg
    >>> eg.logdet(eg.eye(3)).item()
    0.0
    """
    sign, logarithm = slogdet(input)
    b = input.backend
    wrong = b.lt(b.detach(sign.array), 0)
    return wrap(b.where(wrong, float("nan"), logarithm.array), b, input.dtype)


def inverse(input: Tensor) -> Tensor:
    """Inverses of (..., n, n); a singular matrix raises `LinAlgError`.

    >>> import everygrad as eg
    >>> eg.inverse(eg.tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    need_matrix("inverse", input, square=True)
    return wrap(input.backend.inv(input.array), input.backend, input.dtype)


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Pseudo-inverses; singular values up to rcond times the largest count as 0. The gradient is that at constant rank.

    >>> import everygrad as eg
    >>> [round(v, 6) for v in eg.pinverse(eg.tensor([[3.0], [4.0]])).tolist()[0]]
    [0.12, 0.16]
    """
    need_matrix("pinverse", input)
    return wrap(input.backend.pinv(input.array, rcond), input.backend, input.dtype)


def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of square matrices: the sum of input^k / k! over all k.

    >>> import everygrad as eg
    >>> eg.matrix_exp(eg.tensor([[0.0, 1.0], [0.0, 0.0]])).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    need_matrix("matrix_exp", input, square=True)
    return wrap(input.backend.matrix_exp(input.array), input.backend, input.dtype)


def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """Lower triangular L with L L^T = input, which is symmetric and positive definite; with `upper`, L^T.

    Only that triangle of input is read; the gradient is symmetric. Not positive definite: `LinAlgError`.

    >>> import everygrad as eg
    >>> eg.cholesky(eg.tensor([[4.0, 2.0], [2.0, 10.0]])).tolist()
    [[2.0, 0.0], [1.0, 3.0]]
    """
    x = from_triangle("cholesky", input, upper)
    lower = wrap(x.backend.cholesky(x.array), x.backend, x.dtype)
    return transposed(lower) if upper else lower


def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    """The X with A X = input (..., n, k), from the Cholesky factor input2 of A.

    >>> import everygrad as eg
    >>> eg.cholesky_solve(eg.tensor([[8.0]]), eg.tensor([[2.0]])).tolist()
    [[2.0]]
    """
    need_matrix("cholesky_solve", input)
    need_matrix("cholesky_solve", input2, True, "input2")
    y, factor = together("cholesky_solve", input, input2)
    b, array = y.backend, factor.array
    lower, higher = (turned(b, array), array) if upper else (array, turned(b, array))
    half = b.solve_triangular(lower, y.array, False)
    return wrap(b.solve_triangular(higher, half, True), b, y.dtype)


def cholesky_inverse(input: Tensor, upper: bool = False) -> Tensor:
    """The inverse of A from its Cholesky factor.

    >>> import everygrad as eg
    >>> eg.cholesky_inverse(eg.tensor([[2.0]])).tolist()
    [[0.25]]
    """
    need_matrix("cholesky_inverse", input, square=True)
    b = input.backend
    one = b.broadcast_to(identity(b, input.shape[-1], input.dtype), input.shape)
    return cholesky_solve(wrap(one, b, input.dtype), input, upper)


def qr(input: Tensor, some: bool = True) -> QR:
    """(Q, R): orthonormal columns and an upper triangle with Q R = input; R has no negative diagonal entry.

    With `some` false Q is square: its further columns are orthogonal to the first, in some rotation.

    >>> import everygrad as eg
    >>> q, r = eg.qr(eg.tensor([[0.0, 3.0], [2.0, 1.0]]))
    >>> r.tolist()
    [[2.0, 1.0], [0.0, 3.0]]
    """
    need_matrix("qr", input)
    b = input.backend
    q, r = b.qr(input.array)
    m, n = input.shape[-2:]
    if not some and m > n:
        rank = input.ndim
        q = b.cat([q, b.orthogonal_complement(q)], rank - 1)
        r = b.pad(r, (*((0, 0) for _ in range(rank - 2)), (0, m - n), (0, 0)))
    return QR(wrap(q, b, input.dtype), wrap(r, b, input.dtype))


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> USV:
    """(U, S, V) with U diag(S) V^T = input: `eg.linalg.svd` in torch's older form, which returns V itself.

    >>> import everygrad as eg
    >>> eg.svd(eg.tensor([[0.0, 2.0], [3.0, 0.0]])).S.tolist()
    [3.0, 2.0]
    """
    need_matrix("svd", input)
    b = input.backend
    u, s, vh = b.svd(input.array)
    if not compute_uv:
        m, n = input.shape[-2:]
        lead = input.shape[:-2]
        u, v = (b.full((*lead, k, k), 0, input.dtype) for k in (m, n))
    else:
        v = turned(b, vh)
        if not some:
            u, v = completed(b, u), completed(b, v)
    return USV(wrap(u, b, input.dtype), wrap(s, b, input.dtype), wrap(v, b, input.dtype))


def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """(P, L, U) of what `eg.linalg.lu_factor` gives, with P L U the matrix; None for what is not asked for.

    >>> import everygrad as eg
    >>> p, l, u = eg.lu_unpack(*eg.linalg.lu_factor(eg.tensor([[1.0, 2.0], [2.0, 2.0]])))
    >>> p.tolist(), l.tolist(), u.tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.5, 1.0]], [[2.0, 2.0], [0.0, 1.0]])
    """
    from everygrad.linalg.compact import matrix_of, order_of  # which stands on this file

    need_matrix("lu_unpack", LU_data, name="LU_data")
    LU_data, LU_pivots = on_one_backend("lu_unpack", LU_data, LU_pivots)
    b, (m, n) = LU_data.backend, LU_data.shape[-2:]
    k, lead = min(m, n), [(0, s, 1) for s in LU_data.shape[:-2]]
    p = matrix_of(b, order_of(LU_pivots, m), LU_data.dtype) if unpack_pivots else None
    if not unpack_data:
        return p, None, None
    left = b.slice(LU_data.array, (*lead, (0, m, 1), (0, k, 1)))
    one = b.cast(b.from_numpy(np.eye(m, k)), LU_data.dtype)
    lower = wrap(b.add(b.tril(left, -1), one), b, LU_data.dtype)
    upper = wrap(b.triu(b.slice(LU_data.array, (*lead, (0, k, 1), (0, n, 1))), 0), b, LU_data.dtype)
    return p, lower, upper


def completed(b: Backend[Any], q: Any) -> Any:
    """Orthonormal columns made a square matrix."""
    m, n = b.shape(q)[-2:]
    return q if m == n else b.cat([q, b.orthogonal_complement(q)], len(b.shape(q)) - 1)
