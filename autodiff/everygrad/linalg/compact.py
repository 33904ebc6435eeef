"""The LU factors in one matrix with their row exchanges, as LAPACK keeps them, and reflections multiplied out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everygrad.functional.decompose import need_matrix
from everygrad.functional.indexing import take_along_dim, whole_numbers
from everygrad.functional.shape import broadcast_to, unsqueeze
from everygrad.linalg.systems import solve_triangular
from everygrad.tensor.operands import on_one_backend, together
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import Backend, DType, ShapeError
from everygrad_ops.checks import common_shape

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["householder_product", "lu_factor", "lu_solve"]


class LUFactor(NamedTuple):
    """Both triangles in one matrix, and the row that each row was exchanged with, counted from 1."""

    LU: Tensor
    pivots: Tensor


def lu_factor(A: Tensor, *, pivot: bool = True) -> LUFactor:
    """(LU, pivots) of matrices (..., m, n): U is the upper triangle of LU, L the part below it with a diagonal of 1.

    In turn, row i was exchanged with row pivots[i] - 1. `lu_solve` takes both, and `eg.lu_unpack` takes them apart.

    >>> import everygrad as eg
    >>> both, pivots = eg.linalg.lu_factor(eg.tensor([[1.0, 2.0], [2.0, 2.0]]))
    >>> both.tolist(), pivots.tolist()
    ([[2.0, 2.0], [0.5, 1.0]], [2, 2])
    """
    need_matrix("lu_factor", A, name="A")
    if not pivot:
        raise ShapeError("lu_factor: pivots keep it exact. Received: pivot=False; leave it out")
    b, (m, n) = A.backend, A.shape[-2:]
    lower, upper, permutation = b.lu(A.array)
    lead, k = [(0, 0)] * (A.ndim - 2), min(m, n)
    left = b.pad(b.tril(lower, -1), (*lead, (0, 0), (0, n - k)))
    right = b.pad(upper, (*lead, (0, m - k), (0, 0)))
    pivots = b.from_numpy(_exchanges(np.asarray(b.to_numpy(permutation)), k))
    return LUFactor(wrap(b.add(left, right), b, A.dtype), wrap(b.cast(pivots, DType.int32), b, DType.int32))


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """The X with A X = B, or X A = B where `left` is false, from `lu_factor(A)`; with `adjoint`, of A transposed.

    >>> import everygrad as eg
    >>> a = eg.tensor([[0.0, 2.0], [4.0, 2.0]])
    >>> eg.linalg.lu_solve(*eg.linalg.lu_factor(a), eg.tensor([[2.0], [10.0]])).tolist()
    [[2.0], [1.0]]
    """
    need_matrix("lu_solve", LU, True, "LU")
    need_matrix("lu_solve", B, name="B")
    if not left:
        return lu_solve(LU, pivots, B.mT, adjoint=not adjoint).mT
    both, right = together("lu_solve", LU, B)
    both, exchanges = on_one_backend("lu_solve", both, _pivots("lu_solve", pivots, both))
    n = both.shape[-1]
    if right.shape[-2] != n:
        raise ShapeError(f"lu_solve: B must be (..., {n}, k). Received: shape {B.shape}")
    lead = common_shape("lu_solve", both.shape[:-2], right.shape[:-2])
    right = broadcast_to(right, (*lead, *right.shape[-2:]))
    order = order_of(exchanges, n)
    if not adjoint:
        turned = take_along_dim(right, _rows(order, right), -2)
        return solve_triangular(
            both, solve_triangular(both, turned, upper=False, unitriangular=True), upper=True
        )
    flipped = both.mT
    found = solve_triangular(
        flipped, solve_triangular(flipped, right, upper=False), upper=True, unitriangular=True
    )
    return take_along_dim(found, _rows(order.argsort(-1), right), -2)


def householder_product(A: Tensor, tau: Tensor) -> Tensor:
    """The first n columns of the product of the reflections 1 - tau[i] v v^T, v being column i of A (..., m, n).

    What is above the diagonal of A is not read, and the diagonal counts as 1.

    >>> import everygrad as eg
    >>> eg.linalg.householder_product(eg.tensor([[9.0], [1.0]]), eg.tensor([1.0])).tolist()
    [[0.0], [-1.0]]
    """
    need_matrix("householder_product", A, name="A")
    need_tensor("householder_product", "tau", tau)
    x, t = together("householder_product", A, tau)
    (m, n), k = x.shape[-2:], t.shape[-1] if t.ndim else 0
    if m < n or t.shape[:-1] != x.shape[:-2] or not k <= n or not t.ndim:
        raise ShapeError(
            "householder_product: needs A (..., m, n) with m >= n, and tau (..., k) with k <= n. "
            f"Received: shapes {A.shape} and {tau.shape}"
        )
    b = x.backend
    eye = wrap(b.cast(b.from_numpy(np.eye(m, n)), x.dtype), b, x.dtype)
    columns = x.tril(-1) + eye
    out = broadcast_to(eye, x.shape)
    for i in reversed(range(k)):
        v = columns[..., i : i + 1]
        out = out - t[..., i : i + 1].unsqueeze(-1) * (v @ (v.mT @ out))
    return out


def order_of(pivots: Tensor, m: int) -> Tensor:
    """The order (..., m) in which the exchanges leave rows 0 to m - 1."""
    b = pivots.backend
    steps: Any = np.asarray(b.to_numpy(pivots.array)) - 1
    if steps.size and (steps.min() < 0 or steps.max() >= m):
        raise IndexError(f"pivots must be from 1 to {m}. Received: {pivots.tolist()}")
    lead: tuple[int, ...] = tuple(pivots.shape[:-1])
    rows: Any = np.broadcast_to(np.arange(m), (*lead, m)).copy()
    for i in range(steps.shape[-1]):
        other = steps[..., i : i + 1]
        here, there = rows[..., i : i + 1].copy(), np.take_along_axis(rows, other, -1)
        np.put_along_axis(rows, other, here, -1)
        rows[..., i : i + 1] = there
    return wrap(b.from_numpy(rows), b, DType.int64)


def _exchanges(order: Any, k: int) -> Any:
    """The row, from 1 on, that each of the first k rows was exchanged with, in turn, to come into this order."""
    m: int = order.shape[-1]
    shape: tuple[int, ...] = order.shape
    rows: Any = np.broadcast_to(np.arange(m), shape).copy()
    out = np.zeros((*order.shape[:-1], k), np.int64)
    for i in range(k):
        at = np.argmax(rows == order[..., i : i + 1], -1)[..., None]
        here = rows[..., i : i + 1].copy()
        rows[..., i : i + 1] = order[..., i : i + 1]
        np.put_along_axis(rows, at, here, -1)
        out[..., i : i + 1] = at + 1
    return out


def _pivots(op: str, pivots: Tensor, both: Tensor) -> Tensor:
    need_tensor(op, "pivots", pivots)
    found = whole_numbers(op, pivots)
    if found.shape != (*both.shape[:-2], min(both.shape[-2:])):
        raise ShapeError(
            f"{op}: pivots must be those of lu_factor, one per row. Received: LU of shape {both.shape}, "
            f"pivots of shape {pivots.shape}"
        )
    return found


def _rows(order: Tensor, like: Tensor) -> Tensor:
    return broadcast_to(unsqueeze(order, -1), like.shape)


def matrix_of(b: Backend[Any], order: Tensor, dtype: DType) -> Tensor:
    """The matrix P that puts row i of what it multiplies at row order[i]."""
    m: int = order.shape[-1]
    count = b.reshape(b.arange(0, m, 1, DType.int64), (m, 1))
    rows = b.reshape(order.array, (*order.shape[:-1], 1, m))
    return wrap(b.cast(b.eq(count, rows), dtype), b, dtype)
