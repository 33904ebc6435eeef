"""Products with something added, by Kronecker, over vectors; powers of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.functional.linalg import bmm, dot, matmul, mm, mv, outer
from everygrad.functional.shape import reshape
from everygrad.tensor.dims import one_dim, plain
from everygrad.tensor.operands import as_operand, cast_to, number_for, together
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import ShapeError
from everygrad_ops.matrix import identity

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "chain_matmul",
    "cross",
    "ger",
    "inner",
    "kron",
    "matrix_power",
    "vdot",
]


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2); input stretches. With beta 0 its values, NaN too, do not count.

    >>> import everygrad as eg
    >>> eg.addmm(eg.ones(2), eg.eye(2), eg.eye(2), alpha=2).tolist()
    [[3.0, 1.0], [1.0, 3.0]]
    """
    return _added("addmm", input, mm(mat1, mat2), beta, alpha)


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta * input + alpha * (mat @ vec).

    >>> import everygrad as eg
    >>> eg.addmv(eg.ones(2), eg.eye(2), eg.tensor([1.0, 2.0])).tolist()
    [2.0, 3.0]
    """
    return _added("addmv", input, mv(mat, vec), beta, alpha)


def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta * input + alpha * outer(vec1, vec2).

    >>> import everygrad as eg
    >>> eg.addr(eg.ones(2, 2), eg.tensor([1.0, 2.0]), eg.tensor([3.0, 4.0])).tolist()
    [[4.0, 5.0], [7.0, 9.0]]
    """
    return _added("addr", input, outer(vec1, vec2), beta, alpha)


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), of batches of matrices.

    >>> import everygrad as eg
    >>> eg.baddbmm(eg.ones(2, 1, 1), eg.ones(2, 1, 3), eg.ones(2, 3, 1)).tolist()
    [[[4.0]], [[4.0]]]
    """
    return _added("baddbmm", input, bmm(batch1, batch2), beta, alpha)


def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta * input + alpha * the sum over the batch of batch1 @ batch2.

    >>> import everygrad as eg
    >>> eg.addbmm(eg.ones(1, 1), eg.ones(2, 1, 3), eg.ones(2, 3, 1)).tolist()
    [[7.0]]
    """
    if batch1.ndim != 3 or batch2.ndim != 3 or batch1.shape[0] != batch2.shape[0]:
        bmm(batch1, batch2)  # which explains
    n, k, m = batch1.shape[1], batch1.shape[0] * batch1.shape[2], batch2.shape[2]
    if batch1.shape[2] != batch2.shape[1]:
        bmm(batch1, batch2)
    product = matmul(reshape(batch1.permute(1, 0, 2), (n, k)), reshape(batch2, (k, m)))
    return _added("addbmm", input, product, beta, alpha)


def _added(op: str, input: Any, product: Tensor, beta: float, alpha: float) -> Tensor:
    input = as_operand(op, input, product)
    need_tensor(op, "input", input)
    x, y = together(op, input, product)
    b, shape = y.backend, y.shape
    try:
        stretched = b.broadcast_to(x.array, shape)
    except ShapeError:
        raise ShapeError(
            f"{op}: input must stretch to the product's shape {shape}. Received: input of shape {x.shape}"
        ) from None
    beta, alpha = number_for(op, "beta", beta, y), number_for(op, "alpha", alpha, y)
    if beta == 0:
        stretched = b.mul0(stretched, b.full(shape, 0, y.dtype))
    elif beta != 1:
        stretched = b.mul(stretched, beta)
    scaled = y.array if alpha == 1 else b.mul(y.array, alpha)
    return wrap(b.add(stretched, scaled), b, y.dtype)


def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """All products of the elements of two vectors: `outer`.

    >>> import everygrad as eg
    >>> eg.ger(eg.tensor([1.0, 2.0]), eg.tensor([3.0])).tolist()
    [[3.0], [6.0]]
    """
    return outer(input, vec2)


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """Inner product of two vectors: `dot`, for there are no complex numbers.

    >>> import everygrad as eg
    >>> eg.vdot(eg.tensor([1.0, 2.0]), eg.tensor([3.0, 4.0])).item()
    11.0
    """
    return dot(input, other)


def inner(input: Tensor, other: Tensor) -> Tensor:
    """Products summed over the last dim of both: the result has the other dims of both.

    >>> import everygrad as eg
    >>> eg.inner(eg.tensor([[1.0, 2.0], [3.0, 4.0]]), eg.tensor([1.0, 1.0])).tolist()
    [3.0, 7.0]
    """
    need_tensor("inner", "input", input)
    need_tensor("inner", "other", other)
    if input.ndim == 0 or other.ndim == 0:
        return input * other
    if input.shape[-1] != other.shape[-1]:
        raise ShapeError(
            f"inner: the last dims must be equally long. Received: shapes {input.shape} and {other.shape}"
        )
    from everygrad.functional.einsum import tensordot

    return tensordot(input, other, ([-1], [-1]))


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """Vector product along `dim`, of size 3 in both; the other dims broadcast. Without a dim: the first of size 3.

    >>> import everygrad as eg
    >>> eg.cross(eg.tensor([1.0, 0.0, 0.0]), eg.tensor([0.0, 1.0, 0.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    need_tensor("cross", "input", input)
    need_tensor("cross", "other", other)
    x, y = together("cross", input, other)
    rank = max(x.ndim, y.ndim)
    b = x.backend
    first = b.reshape(x.array, (*(1,) * (rank - x.ndim), *x.shape))
    second = b.reshape(y.array, (*(1,) * (rank - y.ndim), *y.shape))
    if dim is None:
        at = next((d for d, s in enumerate(b.shape(first)) if s == 3), None)
        if at is None:
            raise ShapeError(f"cross: needs a dim of size 3. Received: shapes {x.shape} and {y.shape}")
    else:
        at = one_dim("cross", dim, rank)
    return wrap(b.cross(first, second, at), b, x.known_dtype)


def kron(input: Tensor, other: Tensor) -> Tensor:
    """Kronecker product: each element of input times the whole of other, in blocks.

    >>> import everygrad as eg
    >>> eg.kron(eg.tensor([1.0, 2.0]), eg.tensor([1.0, 10.0])).tolist()
    [1.0, 10.0, 2.0, 20.0]
    """
    need_tensor("kron", "input", input)
    need_tensor("kron", "other", other)
    rank = max(input.ndim, other.ndim)
    left, right = ((*(1,) * (rank - len(s)), *s) for s in (input.shape, other.shape))
    x = reshape(input, tuple(v for size in left for v in (size, 1)))
    y = reshape(other, tuple(v for size in right for v in (1, size)))
    return reshape(x * y, tuple(m * n for m, n in zip(left, right)))


def chain_matmul(*matrices: Tensor, out: None = None) -> Tensor:
    """Product of several matrices, in the order that takes the fewest multiplications.

    >>> import everygrad as eg
    >>> eg.chain_matmul(eg.ones(2, 3), eg.ones(3, 4), eg.ones(4, 1)).tolist()
    [[12.0], [12.0]]
    """
    if not matrices:
        raise ShapeError("chain_matmul: needs at least one matrix. Received: none")
    for i, m in enumerate(matrices):
        need_tensor("chain_matmul", f"matrices[{i}]", m)
        if m.ndim != 2:
            raise ShapeError(f"chain_matmul: needs matrices. Received: shape {m.shape} as number {i}")
    best = _splits([matrices[0].shape[0], *(m.shape[1] for m in matrices)])

    def product(first: int, last: int) -> Tensor:
        if first == last:
            return matrices[first]
        at = best[first, last]
        return matmul(product(first, at), product(at + 1, last))

    return product(0, len(matrices) - 1)


def _splits(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Where to split each run of matrices (Cormen et al., "Introduction to Algorithms", section 15.2)."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            ways = (
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )
            cost[i, j], split[i, j] = min(ways)
    return split


def matrix_power(input: Tensor, n: int) -> Tensor:
    """`input` (..., k, k) multiplied n times with itself; the inverse for a negative n, the identity for 0.

    >>> import everygrad as eg
    >>> eg.matrix_power(eg.tensor([[1.0, 1.0], [0.0, 1.0]]), 5).tolist()
    [[1.0, 5.0], [0.0, 1.0]]
    """
    need_tensor("matrix_power", "input", input)
    power = plain(n)
    if not isinstance(power, int):
        raise TypeError(f"matrix_power: n must be an integer. Received: n={n!r}")
    if input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        raise ShapeError(
            f"matrix_power: input must be square matrices (..., k, k). Received: shape {input.shape}"
        )
    b = input.backend
    if power < 0:
        input, power = wrap(b.inv(input.array), b, input.known_dtype), -power
    if power == 0:
        one = wrap(identity(b, input.shape[-1], input.dtype), b, input.dtype)
        return cast_to(input * 0 + one, input.dtype)
    result: Tensor | None = None
    square = input
    while True:
        if power & 1:
            result = square if result is None else matmul(result, square)
        power >>= 1
        if power == 0:
            assert is_tensor(result)
            return result
        square = matmul(square, square)
