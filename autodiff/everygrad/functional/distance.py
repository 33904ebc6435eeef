"""Distances and similarities of vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.functional.arguments import ready
from everygrad.tensor.dims import Dims, many_dims, one_dim
from everygrad.tensor.operands import floating, together
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import ShapeError
from everygrad_ops.checks import common_shape

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["bilinear", "cdist", "cosine_similarity", "normalize", "pairwise_distance", "pdist"]


def cdist(
    x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor:
    """The p-norm of each row of x1 (..., m, d) minus each row of x2 (..., n, d): (..., m, n).

    Equal rows have distance 0 and gradient 0, to every order. `compute_mode` is taken and has no effect: a product
    of matrices, which torch uses for long inputs, loses the distance of near rows.

    >>> import everygrad as eg
    >>> eg.cdist(eg.tensor([[0.0, 0.0]]), eg.tensor([[3.0, 4.0], [0.0, 1.0]])).tolist()
    [[5.0, 1.0]]
    """
    need_tensor("cdist", "x1", x1)
    need_tensor("cdist", "x2", x2)
    x, y = together("cdist", floating(x1), floating(x2))
    return wrap(x.backend.cdist(x.array, y.array, p), x.backend, x.dtype)


def pdist(input: Tensor, p: float = 2) -> Tensor:
    """The p-norms of input[i] - input[j] for all i < j, as a vector: input is (n, d).

    >>> import everygrad as eg
    >>> eg.functional.pdist(eg.tensor([[0.0], [1.0], [3.0]])).tolist()
    [1.0, 3.0, 2.0]
    """
    b, dtype, (x,) = ready("pdist", input)
    return wrap(b.pdist(x, p), b, dtype)


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of x1 - x2 + eps over the last dim.

    >>> import everygrad as eg
    >>> eg.functional.pairwise_distance(eg.tensor([3.0, 4.0]), eg.zeros(2), eps=0.0).item()
    5.0
    """
    need_tensor("pairwise_distance", "x1", x1)
    need_tensor("pairwise_distance", "x2", x2)
    if x1.ndim == 0 and x2.ndim == 0:
        raise ShapeError("pairwise_distance: needs vectors. Received: tensors of rank 0")
    apart = floating(x1) - floating(x2) + eps
    b = apart.backend
    return wrap(b.vector_norm(apart.array, p, (apart.ndim - 1,), keepdim), b, apart.dtype)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) over `dim`; the dims broadcast.

    A zero vector is similar to nothing: 0.

    >>> import everygrad as eg
    >>> round(eg.cosine_similarity(eg.tensor([3.0, 4.0]), eg.tensor([4.0, 3.0]), dim=0).item(), 6)
    0.96
    """
    need_tensor("cosine_similarity", "x1", x1)
    need_tensor("cosine_similarity", "x2", x2)
    x, y = together("cosine_similarity", floating(x1), floating(x2))
    rank = max(x.ndim, y.ndim)
    at = one_dim("cosine_similarity", dim, rank)
    x, y = (t.reshape(*(1,) * (rank - t.ndim), *t.shape) for t in (x, y))
    if rank and x.shape[at] != y.shape[at]:  # a 1 stretches along the vectors, too, before they are measured
        size = common_shape("cosine_similarity", x.shape[at : at + 1], y.shape[at : at + 1])
        x, y = (t.expand(*t.shape[:at], *size, *t.shape[at + 1 :]) for t in (x, y))
    b, dims = x.backend, () if rank == 0 else (at,)
    units = [b.div(t.array, _at_least(b.vector_norm(t.array, 2.0, dims, True), eps, t)) for t in (x, y)]
    return wrap(b.sum(b.mul(*units), dims), b, x.dtype)


def normalize(input: Tensor, p: float = 2.0, dim: Dims = 1, eps: float = 1e-12, out: None = None) -> Tensor:
    """input / max(|input|, eps), by the p-norm over `dim`; 0 stays 0.

    >>> import everygrad as eg
    >>> eg.functional.normalize(eg.tensor([[3.0, 4.0]])).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    b, dtype, (x,) = ready("normalize", input)
    size = b.vector_norm(x, p, many_dims("normalize", dim, input.ndim), True)
    return wrap(b.div(x, _at_least(size, eps, input)), b, dtype)


def _at_least(size: Any, eps: float, x: Tensor) -> Any:
    """`size`, or eps where that is larger: a constant there, and where both are equal the norm."""
    return x.backend.clamp(size, eps, None)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """out[o] = input1^T weight[o] input2 + bias[o]: (..., in1), (..., in2) and (out, in1, in2) give (..., out).

    >>> import everygrad as eg
    >>> eg.functional.bilinear(eg.tensor([[1.0, 2.0]]), eg.tensor([[3.0]]), eg.ones(1, 2, 1)).tolist()
    [[9.0]]
    """
    b, dtype, (x, y, w, added) = ready("bilinear", input1, input2, weight, bias)
    left, right, sizes = b.shape(x), b.shape(y), b.shape(w)
    if len(sizes) != 3 or left[:-1] != right[:-1] or (left[-1:], right[-1:]) != (sizes[1:2], sizes[2:]):
        raise ShapeError(
            "bilinear: needs input1 (..., in1), input2 (..., in2) and weight (out, in1, in2). "
            f"Received: shapes {left}, {right} and {sizes}"
        )
    if added is not None and b.shape(added) != sizes[:1]:
        raise ShapeError(f"bilinear: bias must have shape {sizes[:1]}. Received: shape {b.shape(added)}")
    rows = 1
    for size in left[:-1]:
        rows *= size
    flat = [b.reshape(x, (rows, sizes[1])), b.reshape(y, (rows, sizes[2]))]
    out = b.einsum([flat[0], w, flat[1]], "ni,oij,nj->no")
    if added is not None:
        out = b.add(out, added)
    return wrap(b.reshape(out, (*left[:-1], sizes[0])), b, dtype)
