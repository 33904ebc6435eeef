"""Norms of vectors, and distances by them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from everygrad.functional.elementwise import sub
from everygrad.tensor.dims import Dims, many_dims, one_dim
from everygrad.tensor.operands import cast_to, need_floating
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DType, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["dist", "norm", "renorm", "vector_norm"]


def vector_norm(
    x: Tensor, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """sum(abs(x) ** ord) ** (1 / ord); inf: the largest abs(x), -inf: the smallest, 0: how many are not 0.

    No power overflows or vanishes on the way. The gradient at 0 is 0; those tied for inf and -inf share it.

    >>> import everygrad as eg
    >>> eg.functional.vector_norm(eg.tensor([3.0, -4.0])).item()
    5.0
    """
    need_tensor("vector_norm", "x", x)
    x = x if dtype is None else cast_to(x, dtype)
    need_floating("vector_norm", x)
    dims = many_dims("vector_norm", dim, x.ndim)
    return wrap(x.backend.vector_norm(x.array, _order("vector_norm", ord), dims, keepdim), x.backend, x.dtype)


def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    dtype: DType | None = None,
) -> Tensor:
    """The norm of all elements, or of those along dims, as vectors; "fro" is the order 2.

    "nuc" is the sum of the singular values, of a matrix or of the matrices in two dims.

    >>> import everygrad as eg
    >>> eg.norm(eg.tensor([[3.0, 4.0], [0.0, 0.0]]), dim=1).tolist()
    [5.0, 0.0]
    """
    if p == "nuc":
        from everygrad.linalg.norms import matrix_norm  # which stands on this file

        need_tensor("norm", "input", input)
        dims = many_dims("norm", dim, input.ndim)
        if len(dims) != 2:
            raise ShapeError(f"norm: 'nuc' is of two dims. Received: dim={dim!r}, shape {input.shape}")
        return matrix_norm(input, p, (dims[0], dims[1]), keepdim, dtype=dtype)
    return vector_norm(input, 2 if p in (None, "fro") else _order("norm", p), dim, keepdim, dtype=dtype)


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The norm of input - other, over all elements; the two broadcast.

    >>> import everygrad as eg
    >>> eg.dist(eg.tensor([1.0, 2.0]), eg.tensor([4.0, 6.0])).item()
    5.0
    """
    return vector_norm(sub(input, other), p)


def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Each slice along `dim` scaled down to the norm `maxnorm`, where its own is larger.

    >>> import everygrad as eg
    >>> [[round(v, 4) for v in row] for row in eg.renorm(eg.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1).tolist()]
    [[0.6, 0.8], [0.3, 0.4]]
    """
    need_tensor("renorm", "input", input)
    d = one_dim("renorm", dim, input.ndim)
    if input.ndim < 2 or not p > 0 or not maxnorm >= 0:
        raise ShapeError(
            "renorm: needs a tensor of rank 2 or more, p above 0 and maxnorm not below 0. "
            f"Received: shape {input.shape}, p={p}, maxnorm={maxnorm}"
        )
    norms = vector_norm(input, p, tuple(i for i in range(input.ndim) if i != d), True)
    b, size = norms.backend, norms.array
    inside = b.le(b.detach(size), maxnorm)
    scale = b.where(inside, 1, b.div(b.full((), maxnorm, norms.dtype), b.where(inside, 1, size)))
    return wrap(b.mul(input.array, scale), b, input.dtype)


def _order(op: str, p: Any) -> float:
    if isinstance(p, str) or math.isnan(p):
        raise ValueError(
            f"{op}: the order must be a real number, inf or -inf. Received: {p!r}; "
            "for the norm of a matrix by its singular values write eg.linalg.matrix_norm"
        )
    return p if isinstance(p, int) else float(p)
