"""Grids and combinations of the elements of vectors, and the indices of triangles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from everygrad.functional.indexing import index_select
from everygrad.functional.joining import aligned
from everygrad.functional.shape import broadcast_to, reshape, stack, transpose
from everygrad.registry import current, resolve
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import Backend, DType, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["cartesian_prod", "combinations", "meshgrid", "tril_indices", "triu_indices"]


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of the grid that vectors span: one tensor per vector, each of the shape of their sizes.

    `indexing` is "ij" (the default) or "xy", in which the first two dims change places.

    >>> import everygrad as eg
    >>> [x.tolist() for x in eg.meshgrid(eg.tensor([1, 2]), eg.tensor([3, 4]))]
    [[[1, 1], [2, 2]], [[3, 4], [3, 4]]]
    >>> eg.meshgrid(eg.tensor([1, 2]), eg.tensor([3, 4, 5]), indexing="xy")[0].shape
    (3, 2)
    """
    given: Any = tensors[0] if len(tensors) == 1 and not is_tensor(tensors[0]) else tensors
    xs = aligned("meshgrid", given, False)
    if indexing not in (None, "ij", "xy"):
        raise ValueError(f"meshgrid: indexing must be 'ij' or 'xy'. Received: indexing={indexing!r}")
    if any(x.ndim > 1 for x in xs):
        raise ShapeError(f"meshgrid: takes vectors. Received: shapes {[x.shape for x in xs]}")
    shape = tuple(x.numel() for x in xs)
    grids = [
        broadcast_to(reshape(x, (*(1,) * d, x.numel(), *(1,) * (len(xs) - d - 1))), shape)
        for d, x in enumerate(xs)
    ]
    turned = indexing == "xy" and len(xs) > 1
    return tuple(transpose(x, 0, 1) if turned else x for x in grids)


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every way of taking one element of each vector, a row each; of a single vector, itself.

    >>> import everygrad as eg
    >>> eg.cartesian_prod(eg.tensor([1, 2]), eg.tensor([3, 4])).tolist()
    [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    xs = aligned("cartesian_prod", tensors, True)
    if any(x.ndim != 1 for x in xs):
        raise ShapeError(f"cartesian_prod: takes vectors. Received: shapes {[x.shape for x in xs]}")
    if len(xs) == 1:
        return xs[0]
    return stack([reshape(x, -1) if x.numel() else reshape(x, 0) for x in meshgrid(*xs)], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Every choice of r elements of a vector, in order, a row each.

    >>> import everygrad as eg
    >>> eg.combinations(eg.tensor([1, 2, 3])).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    need_tensor("combinations", "input", input)
    if input.ndim != 1 or r < 0:
        raise ShapeError(
            f"combinations: takes a vector, and r from 0 on. Received: shape {input.shape}, r={r}"
        )
    if r == 0:
        return reshape(input[:0], 0)
    count = input.numel()
    places = np.indices((count,) * r, dtype=np.int64).reshape(r, -1)
    steps = np.diff(places, axis=0)
    chosen = places[:, np.all(steps >= 0 if with_replacement else steps > 0, axis=0)].T
    b = input.backend
    flat = wrap(b.from_numpy(np.ascontiguousarray(chosen.reshape(-1))), b, DType.int64)
    return reshape(index_select(input, 0, flat), chosen.shape)


def tril_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DType | None = None,
    backend: str | Backend[Any] | None = None,
) -> Tensor:
    """The (row, column) places of a lower triangle, in row-major order: of shape (2, count).

    >>> import everygrad as eg
    >>> eg.tril_indices(2, 3).tolist()
    [[0, 1, 1], [0, 0, 1]]
    """
    return _places(np.tril_indices(row, offset, col), dtype, backend)


def triu_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DType | None = None,
    backend: str | Backend[Any] | None = None,
) -> Tensor:
    """The (row, column) places of an upper triangle, in row-major order: of shape (2, count).

    >>> import everygrad as eg
    >>> eg.triu_indices(2, 3, 1).tolist()
    [[0, 0, 1], [1, 2, 2]]
    """
    return _places(np.triu_indices(row, offset, col), dtype, backend)


def _places(found: Sequence[Any], dtype: DType | None, backend: str | Backend[Any] | None) -> Tensor:
    b = current() if backend is None else resolve(backend)
    places = b.from_numpy(np.stack([np.asarray(v, np.int64) for v in found]))
    kind = dtype or DType.int64
    return wrap(places if kind is DType.int64 else b.cast(places, kind), b, kind)
