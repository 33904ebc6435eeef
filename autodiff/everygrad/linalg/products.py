"""Products, under the names of torch.linalg."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from everygrad.functional import products
from everygrad.functional.linalg import matmul
from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import together
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DType, ShapeError
from everygrad_ops.matrix import columns, diagonal_of, rows

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["cross", "diagonal", "matmul", "matrix_power", "multi_dot", "vander", "vecdot"]


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """Vector product along `dim`, of size 3 in both; the other dims broadcast.

    >>> import everygrad as eg
    >>> eg.linalg.cross(eg.tensor([1.0, 0.0, 0.0]), eg.tensor([0.0, 1.0, 0.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    return products.cross(input, other, dim)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Inner products along `dim`; the other dims broadcast.

    >>> import everygrad as eg
    >>> eg.linalg.vecdot(eg.tensor([[1.0, 2.0], [3.0, 4.0]]), eg.tensor([1.0, 1.0])).tolist()
    [3.0, 7.0]
    """
    need_tensor("vecdot", "x", x)
    need_tensor("vecdot", "y", y)
    first, second = together("vecdot", x, y)
    rank = max(first.ndim, second.ndim)
    at = one_dim("vecdot", dim, rank)
    b = first.backend
    product = b.mul(first.array, second.array)
    dtype = b.dtype(product)
    return wrap(b.cast(b.sum(product, (at,)), dtype) if rank else product, b, dtype)


def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """Product of matrices in the order that takes the fewest multiplications; the first and last may be vectors.

    >>> import everygrad as eg
    >>> eg.linalg.multi_dot([eg.ones(3), eg.ones(3, 2), eg.ones(2)]).item()
    6.0
    """
    given = list(tensors)
    if len(given) < 2:
        raise ShapeError(f"multi_dot: needs at least two tensors. Received: {len(given)}")
    for i, t in enumerate(given):
        need_tensor("multi_dot", f"tensors[{i}]", t)
    row, column = given[0].ndim == 1, given[-1].ndim == 1
    if row:
        given[0] = given[0].reshape(1, -1)
    if column:
        given[-1] = given[-1].reshape(-1, 1)
    out = products.chain_matmul(*given)
    shape = (*(() if row else out.shape[:1]), *(() if column else out.shape[1:]))
    return out.reshape(shape)


def matrix_power(A: Tensor, n: int) -> Tensor:
    """A multiplied n times with itself; the inverse for a negative n, the identity for 0.

    >>> import everygrad as eg
    >>> eg.linalg.matrix_power(eg.tensor([[2.0]]), -2).tolist()
    [[0.25]]
    """
    return products.matrix_power(A, n)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of the matrices in two dims, as a last dim.

    >>> import everygrad as eg
    >>> eg.linalg.diagonal(eg.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [1.0, 4.0]
    """
    need_tensor("diagonal", "A", A)
    first, second = (one_dim("diagonal", d, A.ndim) for d in (dim1, dim2))
    if A.ndim < 2 or first == second:
        raise ShapeError(f"diagonal: needs two dims. Received: shape {A.shape}, dim1={dim1}, dim2={dim2}")
    b = A.backend
    rest = tuple(d for d in range(A.ndim) if d not in (first, second))
    x = b.permute(A.array, (*rest, first, second))
    m, n = A.shape[first], A.shape[second]
    x = columns(b, x, min(offset, n), n) if offset > 0 else rows(b, x, min(-offset, m), m)
    return wrap(diagonal_of(b, x), b, A.known_dtype)


def vander(x: Tensor, N: int | None = None) -> Tensor:
    """The powers 0, 1, ... N - 1 of each element, as a last dim; N is the length of x unless given.

    >>> import everygrad as eg
    >>> eg.linalg.vander(eg.tensor([2.0, 3.0]), N=3).tolist()
    [[1.0, 2.0, 4.0], [1.0, 3.0, 9.0]]
    """
    need_tensor("vander", "x", x)
    if x.ndim < 1:
        raise ShapeError("vander: needs a vector. Received: a tensor of rank 0")
    count = x.shape[-1] if N is None else N
    b = x.backend
    whole = x.dtype if x.dtype.is_floating else DType.int64  # products of integers are int64
    one = b.full((*x.shape, 1), 1, whole)
    if count <= 1:
        return wrap(b.slice(one, (*((0, s, 1) for s in x.shape), (0, max(count, 0), 1))), b, whole)
    column = b.reshape(x.array, (*x.shape, 1))
    powers = b.cumprod(b.broadcast_to(column, (*x.shape, count - 1)), x.ndim)
    return wrap(b.cat([one, powers], x.ndim), b, b.dtype(powers))
