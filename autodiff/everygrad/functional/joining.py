"""Tensors joined, cut apart, and brought to one shape or rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everygrad.functional.arrange import pad
from everygrad.functional.shape import broadcast_to, cat, reshape, split
from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import on_one_backend, together
from everygrad.tensor.wrap import is_tensor, need_tensor
from everygrad_ops import ShapeError
from everygrad_ops.checks import common_shape

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "column_stack",
    "concat",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "row_stack",
    "tensor_split",
    "vsplit",
    "vstack",
]


def concat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Another name of `cat`.

    >>> import everygrad as eg
    >>> eg.concat([eg.tensor([1]), eg.tensor([2])]).tolist()
    [1, 2]
    """
    return cat(tensors, dim)


def concatenate(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Another name of `cat`.

    >>> import everygrad as eg
    >>> eg.concatenate([eg.tensor([[1]]), eg.tensor([[2]])], 1).tolist()
    [[1, 2]]
    """
    return cat(tensors, dim)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined side by side: vectors along dim 0, all others along dim 1.

    >>> import everygrad as eg
    >>> eg.hstack([eg.tensor([[1], [2]]), eg.tensor([[3], [4]])]).tolist()
    [[1, 3], [2, 4]]
    """
    wide = _each(1, tensors)
    return cat(wide, 0 if wide and wide[0].ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined one above the other; a vector is a row.

    >>> import everygrad as eg
    >>> eg.vstack([eg.tensor([1, 2]), eg.tensor([3, 4])]).tolist()
    [[1, 2], [3, 4]]
    """
    return cat(_each(2, tensors), 0)


def row_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Another name of `vstack`.

    >>> import everygrad as eg
    >>> eg.row_stack([eg.tensor([1, 2]), eg.tensor([3, 4])]).shape
    (2, 2)
    """
    return vstack(tensors)


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along dim 2; a vector becomes (1, n, 1), a matrix (m, n, 1).

    >>> import everygrad as eg
    >>> eg.dstack([eg.tensor([1, 2]), eg.tensor([3, 4])]).tolist()
    [[[1, 3], [2, 4]]]
    """
    return cat(_each(3, tensors), 2)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined side by side; a vector is a column.

    >>> import everygrad as eg
    >>> eg.column_stack([eg.tensor([1, 2]), eg.tensor([3, 4])]).tolist()
    [[1, 3], [2, 4]]
    """
    return cat([reshape(x, (x.numel(), 1)) if x.ndim < 2 else x for x in _each(0, tensors)], 1)


def block_diag(*tensors: Tensor) -> Tensor:
    """A matrix with the given ones along its diagonal, 0 elsewhere; a vector is a row.

    >>> import everygrad as eg
    >>> eg.block_diag(eg.tensor([[1, 2]]), eg.tensor([3])).tolist()
    [[1, 2, 0], [0, 0, 3]]
    """
    blocks = _each(2, tensors)
    if any(x.ndim != 2 for x in blocks):
        raise ShapeError(
            f"block_diag: takes at most 2 dims each. Received: shapes {[x.shape for x in tensors]}"
        )
    total, left, rows = sum(x.shape[1] for x in blocks), 0, list[Any]()
    for block in blocks:
        width = block.shape[1]
        rows.append(pad(block, (left, total - left - width)))
        left += width
    return cat(rows, 0)


def tensor_split(
    input: Tensor, indices_or_sections: int | Sequence[int] | Tensor, dim: int = 0
) -> tuple[Tensor, ...]:
    """Parts along a dim: as many as said, the first ones larger by one, or cut before each of given indices.

    >>> import everygrad as eg
    >>> [x.tolist() for x in eg.tensor_split(eg.arange(5), 3)]
    [[0, 1], [2, 3], [4]]
    >>> [x.tolist() for x in eg.tensor_split(eg.arange(5), (1, 3))]
    [[0], [1, 2], [3, 4]]
    """
    need_tensor("tensor_split", "input", input)
    if not input.ndim:
        raise ShapeError("tensor_split: needs a tensor with dims. Received: shape ()")
    d = one_dim("tensor_split", dim, input.ndim)
    total, given = input.shape[d], indices_or_sections
    if is_tensor(given):
        given = given.tolist()
    if isinstance(given, int):
        if given < 1:
            raise ShapeError(f"tensor_split: needs at least 1 section. Received: {given}")
        small, larger = divmod(total, given)
        return split(input, [small + 1] * larger + [small] * (given - larger), d)
    cuts = [slice(0, i).indices(total)[1] for i in given]
    starts, ends = [0, *cuts], [*cuts, total]
    return tuple(_part(input, d, start, max(start, end)) for start, end in zip(starts, ends))


def hsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Cut side by side, as `hstack` joins: equal parts, or before each of given indices.

    >>> import everygrad as eg
    >>> [x.tolist() for x in eg.hsplit(eg.tensor([[1, 2], [3, 4]]), 2)]
    [[[1], [3]], [[2], [4]]]
    """
    need_tensor("hsplit", "input", input)
    return _equal("hsplit", input, indices_or_sections, 0 if input.ndim == 1 else 1, 1)


def vsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Cut into rows, as `vstack` joins: equal parts, or before each of given indices.

    >>> import everygrad as eg
    >>> [x.tolist() for x in eg.vsplit(eg.tensor([[1, 2], [3, 4]]), 2)]
    [[[1, 2]], [[3, 4]]]
    """
    return _equal("vsplit", input, indices_or_sections, 0, 2)


def dsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Cut along dim 2, as `dstack` joins: equal parts, or before each of given indices.

    >>> import everygrad as eg
    >>> [x.shape for x in eg.dsplit(eg.zeros(1, 2, 4), [1])]
    [(1, 2, 1), (1, 2, 3)]
    """
    return _equal("dsplit", input, indices_or_sections, 2, 3)


def atleast_1d(*tensors: Any) -> Any:
    """With a dim in front where there is none; several tensors, or a sequence of them, give a tuple.

    >>> import everygrad as eg
    >>> eg.atleast_1d(eg.tensor(2.0)).shape
    (1,)
    """
    return _at_least(1, tensors)


def atleast_2d(*tensors: Any) -> Any:
    """With dims of size 1 in front, to have two; several tensors, or a sequence of them, give a tuple.

    >>> import everygrad as eg
    >>> eg.atleast_2d(eg.tensor([1, 2])).shape
    (1, 2)
    """
    return _at_least(2, tensors)


def atleast_3d(*tensors: Any) -> Any:
    """A vector as (1, n, 1), a matrix as (m, n, 1); several tensors, or a sequence of them, give a tuple.

    >>> import everygrad as eg
    >>> eg.atleast_3d(eg.tensor([1, 2])).shape
    (1, 2, 1)
    """
    return _at_least(3, tensors)


def broadcast_shapes(*shapes: int | Sequence[int]) -> tuple[int, ...]:
    """The shape that tensors of these shapes broadcast to.

    >>> import everygrad as eg
    >>> eg.broadcast_shapes((2, 1), (3,), ())
    (2, 3)
    """
    return common_shape("broadcast_shapes", *((s,) if isinstance(s, int) else s for s in shapes))


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors stretched to the shape they broadcast to.

    >>> import everygrad as eg
    >>> [x.shape for x in eg.broadcast_tensors(eg.zeros(2, 1), eg.zeros(3))]
    [(2, 3), (2, 3)]
    """
    given = _each(0, tensors)
    shape = common_shape("broadcast_tensors", *(x.shape for x in given))
    return tuple(broadcast_to(x, shape) for x in given)


def _each(rank: int, tensors: Sequence[Tensor]) -> list[Tensor]:
    """Tensors of at least this rank."""
    for i, x in enumerate(tensors):
        need_tensor("this function", f"tensors[{i}]", x)
    return [_raised(x, rank) for x in tensors]


def _raised(x: Tensor, rank: int) -> Tensor:
    shape = x.shape
    if len(shape) >= rank:
        return x
    if rank == 3:
        return reshape(x, (1, x.numel(), 1) if len(shape) < 2 else (*shape, 1))
    return reshape(x, (*(1,) * (rank - len(shape)), *shape))


def _at_least(rank: int, tensors: tuple[Any, ...]) -> Any:
    if len(tensors) == 1 and is_tensor(tensors[0]):
        return _raised(tensors[0], rank)
    given: Any = tensors[0] if len(tensors) == 1 else tensors
    return tuple(_each(rank, given))


def _part(x: Tensor, dim: int, start: int, end: int) -> Tensor:
    total = x.shape[dim]
    return split(x, [start, end - start, total - end], dim)[1]


def _equal(op: str, x: Tensor, given: int | Sequence[int], dim: int, rank: int) -> tuple[Tensor, ...]:
    need_tensor(op, "input", x)
    if x.ndim < rank or (isinstance(given, int) and (given < 1 or x.shape[dim] % given)):
        raise ShapeError(
            f"{op}: needs at least {rank} dims, and sections that divide dim {dim}. "
            f"Received: shape {x.shape}, {given}; write tensor_split for unequal parts"
        )
    return tensor_split(x, given, dim)


def aligned(op: str, tensors: Sequence[Tensor], promoted: bool) -> tuple[Tensor, ...]:
    """Tensors on one backend, and in one dtype if `promoted`."""
    if not tensors:
        raise ShapeError(f"{op}: needs at least one tensor. Received: none")
    for i, x in enumerate(tensors):
        need_tensor(op, f"tensors[{i}]", x)
    return together(op, *tensors) if promoted else on_one_backend(op, *tensors)
