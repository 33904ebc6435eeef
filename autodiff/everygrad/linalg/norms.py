"""Norms, condition numbers and ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from everygrad.functional import decompose
from everygrad.functional.decompose import need_matrix
from everygrad.functional.shape import permute
from everygrad.tensor.dims import Dims, many_dims, plain
from everygrad.tensor.operands import cast_to, need_floating, on_one_backend
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import DType, LinAlgError, ShapeError
from everygrad_ops.checks import common_shape

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["cond", "matrix_norm", "matrix_rank", "norm", "vector_norm"]

EPS = {DType.float64: 2.0**-52, DType.float32: 2.0**-23, DType.float16: 2.0**-10, DType.bfloat16: 2.0**-7}
MATRIX_NORMS = ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)


def vector_norm(
    x: Tensor, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """sum(|x|^ord)^(1/ord) over `dim`, or over everything; ord may be 0 (how many are not 0), inf and -inf.

    The gradient is 0 where the norm is.

    >>> import everygrad as eg
    >>> eg.linalg.vector_norm(eg.tensor([3.0, -4.0])).item(), eg.linalg.vector_norm(eg.ones(2, 2), 1, 0).tolist()
    (5.0, [2.0, 2.0])
    """
    need_tensor("vector_norm", "x", x)
    x = x if dtype is None else cast_to(x, dtype)
    need_floating("vector_norm", x)
    dims = many_dims("vector_norm", dim, x.ndim)
    return wrap(x.backend.vector_norm(x.array, float(ord), dims, keepdim), x.backend, x.dtype)


def matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: tuple[int, int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """A norm of the matrices in two dims: "fro", "nuc", inf, -inf, 1, -1, 2 or -2.

    "fro" is the root of all squares, "nuc" the sum of the singular values, 2 and -2 the largest and smallest of them;
    inf and -inf the largest and smallest sum of a row of |A|, 1 and -1 of a column.

    >>> import everygrad as eg
    >>> a = eg.tensor([[3.0, 0.0], [0.0, -4.0]])
    >>> [eg.linalg.matrix_norm(a, ord).item() for ord in ("fro", "nuc", 2, -2, 1)]
    [5.0, 7.0, 4.0, 3.0, 4.0]
    """
    need_tensor("matrix_norm", "A", A)
    given = A if dtype is None else cast_to(A, dtype)
    need_floating("matrix_norm", given)
    dims = many_dims("matrix_norm", dim, A.ndim)
    if len(dims) != 2 or A.ndim < 2:
        raise ShapeError(f"matrix_norm: dim must name two dims. Received: dim={dim!r}, shape {A.shape}")
    if ord not in MATRIX_NORMS:
        raise ValueError(f"matrix_norm: ord must be one of {MATRIX_NORMS}. Received: ord={ord!r}")
    b = given.backend
    if ord == "fro":
        return wrap(b.vector_norm(given.array, 2.0, dims, keepdim), b, given.dtype)
    rest = tuple(d for d in range(A.ndim) if d not in dims)
    x = permute(given, (*rest, *dims)).array
    last = A.ndim - 1
    if ord in ("nuc", 2, -2):
        x, at = b.abs(b.svd(x)[1]), last - 1
        if ord == "nuc" and 0 not in b.shape(x):  # what is 0 but for rounding has gradient 0, as 0 itself
            least = b.mul(
                b.amax(b.detach(x), (at,), True), EPS[given.dtype] * max(given.shape[d] for d in dims)
            )
            x = b.where(b.gt(x, least), x, 0)
    else:
        x, at = b.sum(b.abs(x), (last - 1 if abs(float(ord)) == 1 else last,)), last - 1
    nothing = b.shape(x)[at] == 0  # largest of no singular values, columns or rows: 0
    reduce: Callable[..., Any] = (
        b.sum if ord == "nuc" or (nothing and float(ord) > 0) else b.amax if float(ord) > 0 else b.amin
    )
    out = reduce(x, (at,))
    if keepdim:
        out = b.reshape(out, tuple(1 if d in dims else s for d, s in enumerate(A.shape)))
    return wrap(out, b, given.dtype)


def norm(
    input: Tensor,
    ord: float | str | None = None,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """`vector_norm` over one dim, `matrix_norm` over two; without `dim` and `ord`, the 2-norm of all elements.

    >>> import everygrad as eg
    >>> eg.linalg.norm(eg.tensor([[3.0, 0.0], [0.0, 4.0]])).item()
    5.0
    """
    need_tensor("norm", "input", input)
    dim = plain(dim)
    if ord is None:
        return vector_norm(input, 2, dim, keepdim, dtype=dtype)
    count = input.ndim if dim is None else 1 if isinstance(dim, int) else len(dim)
    if count == 1 and not isinstance(ord, str):
        return vector_norm(input, ord, dim, keepdim, dtype=dtype)
    if count != 2 or isinstance(dim, int):
        raise ShapeError(
            f"norm: with ord, needs one dim, or two. Received: ord={ord!r}, dim={dim!r}, shape {input.shape}; "
            "write vector_norm for all elements"
        )
    first, second = (-2, -1) if dim is None else dim
    return matrix_norm(input, ord, (first, second), keepdim, dtype=dtype)


def cond(A: Tensor, p: float | str | None = None) -> Tensor:
    """Condition numbers |A| |A^-1| in a matrix norm; for p = 2, the default, the ratio of the singular values.

    A singular matrix has inf.

    >>> import everygrad as eg
    >>> eg.linalg.cond(eg.tensor([[4.0, 0.0], [0.0, 2.0]])).item()
    2.0
    """
    if p is None or p in (2, -2):
        need_matrix("cond", A, name="A")
        b = A.backend
        s = b.svd(A.array)[1]
        top, low = b.amax(s, (A.ndim - 2,)), b.amin(s, (A.ndim - 2,))
        return wrap(b.div(low, top) if p == -2 else b.div(top, low), b, A.dtype)
    need_matrix("cond", A, True, "A")
    size = matrix_norm(A, p)
    try:
        return size * matrix_norm(decompose.inverse(A), p)
    except LinAlgError:
        if A.ndim > 2:
            raise
        return size.detach() * math.inf


def matrix_rank(
    A: Tensor,
    *,
    atol: Tensor | float | None = None,
    rtol: Tensor | float | None = None,
    hermitian: bool = False,
) -> Tensor:
    """How many singular values are above max(atol, rtol times the largest); int64, without gradient.

    Without either, above eps * max(m, n) times the largest. Each is a number, or a tensor of one for each matrix.
    `hermitian` is taken and has no effect.

    >>> import everygrad as eg
    >>> eg.linalg.matrix_rank(eg.tensor([[1.0, 2.0], [2.0, 4.0]])).item()
    1
    """
    need_matrix("matrix_rank", A, name="A")
    b = A.backend
    s = b.svd(b.detach(A.array))[1]
    last = A.ndim - 2
    if 0 in b.shape(s)[last:]:
        return wrap(b.full(A.shape[:-2], 0, DType.int64), b, DType.int64)
    top = b.amax(s, (last,), True)
    absolute, part = bounds(A, atol, rtol)
    at_least = b.maximum(b.mul(top, part), absolute)
    return wrap(b.sum(b.gt(s, at_least), (last,)), b, DType.int64)


def bounds(A: Tensor, atol: Tensor | float | None, rtol: Tensor | float | None) -> tuple[Any, Any]:
    """What counts as 0 among singular values, in arrays (..., 1): as it is, and as part of the largest."""
    b = A.backend
    absolute = _bound(A, "atol", 0.0 if atol is None else atol)
    if rtol is not None:
        return absolute, _bound(A, "rtol", rtol)
    usual = EPS[A.dtype] * max(A.shape[-2:])
    return absolute, b.where(b.gt(absolute, 0), b.zeros_like(absolute), usual)


def _bound(A: Tensor, name: str, value: Tensor | float) -> Any:
    b = A.backend
    if not is_tensor(value):
        return b.full((1,), float(value), A.dtype)
    x = cast_to(value.detach(), A.dtype)
    if x.numel() != 1 and common_shape(name, x.shape, A.shape[:-2]) != A.shape[:-2]:
        raise ShapeError(
            f"{name} must be a number, or one for each matrix. Received: {x.shape}, for {A.shape}"
        )
    return b.reshape(on_one_backend(name, x, A)[0].array, (*x.shape, 1))
