"""Shapes: views, joining and splitting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everygrad.tensor.dims import Dims, many_dims, one_dim
from everygrad.tensor.operands import together
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "broadcast_to",
    "cat",
    "chunk",
    "expand",
    "flatten",
    "movedim",
    "permute",
    "reshape",
    "split",
    "squeeze",
    "stack",
    "t",
    "transpose",
    "unbind",
    "unsqueeze",
]


def sizes(op: str, given: tuple[Any, ...]) -> tuple[int, ...]:
    """Integers written as arguments or as one sequence."""
    return tuple(given[0]) if len(given) == 1 and not isinstance(given[0], int) else tuple(given)


def reshape(input: Tensor, shape: Any = (), *more: int) -> Tensor:
    """The same elements in another shape; one size may be -1.

    >>> import everygrad as eg
    >>> eg.reshape(eg.arange(4), (2, -1)).tolist()
    [[0, 1], [2, 3]]
    """
    need_tensor("reshape", "input", input)
    wanted = sizes("reshape", (shape, *more))
    if wanted and min(wanted) < 0:
        known = 1
        for s in wanted:
            known *= s if s != -1 else 1
        total = input.numel()
        if wanted.count(-1) > 1 or min(wanted) < -1 or known <= 0 or total % known:
            raise ShapeError(
                f"reshape: one size may be -1, and the others must divide {total}. Received: {wanted}"
            )
        wanted = tuple(total // known if s == -1 else s for s in wanted)
    return _shaped(input, wanted)


def _shaped(input: Tensor, shape: tuple[int, ...]) -> Tensor:
    return wrap(input.backend.reshape(input.array, shape), input.backend, input.known_dtype)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dims from start_dim to end_dim made one.

    >>> import everygrad as eg
    >>> eg.flatten(eg.zeros(2, 3, 4), 1).shape
    (2, 12)
    """
    need_tensor("flatten", "input", input)
    shape = input.shape
    first, last = one_dim("flatten", start_dim, len(shape)), one_dim("flatten", end_dim, len(shape))
    if first > last:
        raise ShapeError(
            f"flatten: start_dim must not come after end_dim. Received: start_dim={start_dim}, end_dim={end_dim}"
        )
    return _shaped(input, (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :]))


def squeeze(input: Tensor, dim: Dims = None) -> Tensor:
    """The named dims of size 1 (all of them by default) taken away; a named dim of another size stays.

    >>> import everygrad as eg
    >>> eg.squeeze(eg.zeros(1, 2, 1)).shape, eg.squeeze(eg.zeros(1, 2, 1), -1).shape
    ((2,), (1, 2))
    """
    need_tensor("squeeze", "input", input)
    shape = input.shape
    if dim is None:
        return _shaped(input, tuple(s for s in shape if s != 1))
    named = many_dims("squeeze", dim, len(shape)) if isinstance(dim, int) or len(dim) else ()
    return _shaped(input, tuple(s for d, s in enumerate(shape) if s != 1 or d not in named))


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new dim of size 1 at `dim` of the result.

    >>> import everygrad as eg
    >>> eg.unsqueeze(eg.zeros(2, 3), 1).shape, eg.unsqueeze(eg.zeros(2), -1).shape
    ((2, 1, 3), (2, 1))
    """
    need_tensor("unsqueeze", "input", input)
    shape = input.shape
    d = one_dim("unsqueeze", dim, len(shape) + 1)
    return _shaped(input, (*shape[:d], 1, *shape[d:]))


def permute(input: Tensor, dims: Any = (), *more: int) -> Tensor:
    """Dim i of the result is dim dims[i] of the input.

    >>> import everygrad as eg
    >>> eg.permute(eg.zeros(2, 3), (1, 0)).shape
    (3, 2)
    """
    need_tensor("permute", "input", input)
    order = tuple(one_dim("permute", d, input.ndim) for d in sizes("permute", (dims, *more)))
    return wrap(input.backend.permute(input.array, order), input.backend, input.known_dtype)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dims swapped.

    >>> import everygrad as eg
    >>> eg.transpose(eg.zeros(2, 3), 0, 1).shape
    (3, 2)
    """
    need_tensor("transpose", "input", input)
    first, second = one_dim("transpose", dim0, input.ndim), one_dim("transpose", dim1, input.ndim)
    order = list(range(input.ndim))
    if order:
        order[first], order[second] = order[second], order[first]
    return wrap(input.backend.permute(input.array, tuple(order)), input.backend, input.known_dtype)


def t(input: Tensor) -> Tensor:
    """A matrix transposed; a vector or scalar as it is.

    >>> import everygrad as eg
    >>> eg.t(eg.zeros(2, 3)).shape
    (3, 2)
    """
    need_tensor("t", "input", input)
    if input.ndim > 2:
        raise ShapeError(
            f"t: takes at most 2 dims. Received: shape {input.shape}; write x.mT or x.permute(...)"
        )
    return transpose(input, 0, 1) if input.ndim == 2 else input


def movedim(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Dims moved from `source` to `destination`; the others keep their order.

    >>> import everygrad as eg
    >>> eg.movedim(eg.zeros(2, 3, 4), 0, -1).shape
    (3, 4, 2)
    """
    need_tensor("movedim", "input", input)
    rank = input.ndim
    from_dims, to_dims = (
        tuple(one_dim("movedim", d, rank) for d in ((given,) if isinstance(given, int) else given))
        for given in (source, destination)
    )
    if len(from_dims) != len(to_dims) or len({*from_dims}) < len(from_dims) or len({*to_dims}) < len(to_dims):
        raise ShapeError(
            f"movedim: source and destination name equally many dims, each once. Received: {source} and {destination}"
        )
    if rank == 0:
        return input
    moved = dict(zip(to_dims, from_dims))
    others = iter([d for d in range(rank) if d not in from_dims])
    return permute(input, tuple(moved[d] if d in moved else next(others) for d in range(rank)))


def expand(input: Tensor, size: Any = (), *more: int) -> Tensor:
    """Stretched to a larger shape by broadcasting; -1 keeps a dim's size. Nothing is copied.

    >>> import everygrad as eg
    >>> eg.expand(eg.tensor([[1], [2]]), 2, 3).tolist()
    [[1, 1, 1], [2, 2, 2]]
    """
    wanted, shape = sizes("expand", (size, *more)), input.shape
    extra = len(wanted) - len(shape)
    if extra < 0 or -1 in wanted[:extra]:
        raise ShapeError(
            f"expand: needs a size for each of {len(shape)} dims, and -1 for these only. Received: size={wanted}"
        )
    wanted = tuple(shape[d - extra] if s == -1 else s for d, s in enumerate(wanted))
    return broadcast_to(input, wanted)


def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """Stretched to a shape by broadcasting. Nothing is copied.

    >>> import everygrad as eg
    >>> eg.broadcast_to(eg.tensor([1, 2]), (2, 2)).tolist()
    [[1, 2], [1, 2]]
    """
    need_tensor("broadcast_to", "input", input)
    return wrap(input.backend.broadcast_to(input.array, tuple(size)), input.backend, input.known_dtype)


def _tensors(op: str, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """A sequence of tensors on one backend, in one dtype."""
    given = tuple(tensors)
    if not given or not all(is_tensor(x) for x in given):
        what = ", ".join(type(x).__name__ for x in given) or "none"
        error = TypeError if given else ShapeError
        raise error(f"{op}: needs a sequence of Tensors, at least one. Received: {what}")
    return together(op, *given)


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors joined along a dim; their other sizes agree, and dtypes promote.

    >>> import everygrad as eg
    >>> eg.cat([eg.tensor([1, 2]), eg.tensor([3])]).tolist()
    [1, 2, 3]
    """
    xs = _tensors("cat", tensors)
    d = one_dim("cat", dim, xs[0].ndim)
    return wrap(xs[0].backend.cat([x.array for x in xs], d), xs[0].backend, xs[0].known_dtype)


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one shape joined along a new dim.

    >>> import everygrad as eg
    >>> eg.stack([eg.tensor([1, 2]), eg.tensor([3, 4])], dim=1).tolist()
    [[1, 3], [2, 4]]
    """
    xs = _tensors("stack", tensors)
    d = one_dim("stack", dim, xs[0].ndim + 1)
    return wrap(xs[0].backend.stack([x.array for x in xs], d), xs[0].backend, xs[0].known_dtype)


def split(tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Parts along a dim: of one size, the last one smaller where it does not divide, or of given sizes.

    >>> import everygrad as eg
    >>> [x.tolist() for x in eg.split(eg.arange(5), 2)], [x.shape for x in eg.split(eg.zeros(3, 4), [1, 3], dim=1)]
    ([[0, 1], [2, 3], [4]], [(3, 1), (3, 3)])
    """
    need_tensor("split", "tensor", tensor)
    b, d, size = tensor.backend, one_dim("split", dim, tensor.ndim), split_size_or_sections
    if isinstance(size, int):
        total = tensor.shape[d] if tensor.ndim else 0
        if size < 1 and not (size == 0 and total == 0):
            raise ShapeError(f"split: the size of a part must be at least 1. Received: {size}")
        size = [size] * (total // size) + [total % size] * (total % size > 0) if total else [0]
    return tuple(wrap(part, b, tensor.known_dtype) for part in b.split(tensor.array, tuple(size), d))


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` parts of equal size along a dim, the last one smaller where it does not divide.

    >>> import everygrad as eg
    >>> [x.tolist() for x in eg.chunk(eg.arange(5), 3)]
    [[0, 1], [2, 3], [4]]
    """
    need_tensor("chunk", "input", input)
    d = one_dim("chunk", dim, input.ndim)
    if chunks < 1 or not input.ndim:
        raise ShapeError(
            f"chunk: needs a dim and at least 1 chunk. Received: shape {input.shape}, chunks={chunks}"
        )
    total = input.shape[d]
    return split(input, -(-total // chunks), d) if total else split(input, [0] * chunks, d)


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along a dim, without it.

    >>> import everygrad as eg
    >>> [x.tolist() for x in eg.unbind(eg.tensor([[1, 2], [3, 4]]), 1)]
    [[1, 3], [2, 4]]
    """
    need_tensor("unbind", "input", input)
    d = one_dim("unbind", dim, input.ndim)
    if not input.ndim:
        raise ShapeError("unbind: needs a tensor with dims. Received: shape ()")
    shape = (*input.shape[:d], *input.shape[d + 1 :])
    return tuple(_shaped(part, shape) for part in split(input, [1] * input.shape[d], d))
