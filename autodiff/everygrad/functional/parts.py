"""Parts of a tensor along one dim, read and written; dims renamed, turned and split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from everygrad.functional.arrange import flip
from everygrad.functional.indexing import index_select, same_dtype, whole_numbers
from everygrad.functional.shape import movedim, reshape, transpose
from everygrad.tensor.dims import one_dim, plain
from everygrad.tensor.operands import on_one_backend
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import DType, DTypeError, ShapeError
from everygrad_ops.shape import part

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "fliplr",
    "flipud",
    "moveaxis",
    "narrow",
    "ravel",
    "repeat_interleave",
    "rot90",
    "select",
    "select_scatter",
    "slice_scatter",
    "swapaxes",
    "swapdims",
    "unflatten",
]


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One place of a dim, which goes away.

    >>> import everygrad as eg
    >>> eg.select(eg.tensor([[1, 2], [3, 4]]), 1, -1).tolist()
    [2, 4]
    """
    d, i = _place("select", input, dim, index)
    shape, b = input.shape, input.backend
    one = b.slice(input.array, part(shape, d, i, 1))
    return wrap(b.reshape(one, (*shape[:d], *shape[d + 1 :])), b, input.known_dtype)


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """The input with src in the place of `select(input, dim, index)`.

    >>> import everygrad as eg
    >>> eg.select_scatter(eg.zeros(2, 2), eg.tensor([1.0, 2.0]), 0, 1).tolist()
    [[0.0, 0.0], [1.0, 2.0]]
    """
    d, i = _place("select_scatter", input, dim, index)
    due = (*input.shape[:d], *input.shape[d + 1 :])
    if src.shape != due:
        raise ShapeError(f"select_scatter: src must have shape {due}. Received: {src.shape}")
    return _put("select_scatter", input, reshape(src, (*due[:d], 1, *due[d:])), d, i, 1)


def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """`length` places of a dim, from `start` on.

    >>> import everygrad as eg
    >>> eg.narrow(eg.arange(5), 0, 1, 3).tolist()
    [1, 2, 3]
    """
    need_tensor("narrow", "input", input)
    d = one_dim("narrow", dim, input.ndim)
    size = input.shape[d] if input.ndim else 0
    if is_tensor(start):
        if start.ndim or start.dtype.category != 1:
            raise DTypeError(
                f"narrow: start must be an integer. Received: {start.dtype} of shape {start.shape}; write start.item()"
            )
        start = int(start)
    first, count = plain(start), plain(length)
    if type(first) is not int or type(count) is not int:
        raise DTypeError(f"narrow: start and length must be integers. Received: {start!r} and {length!r}")
    first = first + size if first < 0 else first
    if not 0 <= first <= size or not 0 <= count <= size - first:
        raise IndexError(
            f"narrow: start and length must lie in size {size} of dim {d}. Received: start={start}, length={length}"
        )
    b = input.backend
    return wrap(
        b.slice(input.array, part(input.shape, d, first if count else 0, count)), b, input.known_dtype
    )


def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """The input with src in the place of input[..., start:end:step, ...] along a dim.

    >>> import everygrad as eg
    >>> eg.slice_scatter(eg.zeros(4), eg.ones(2), start=1, step=2).tolist()
    [0.0, 1.0, 0.0, 1.0]
    """
    need_tensor("slice_scatter", "input", input)
    d = one_dim("slice_scatter", dim, input.ndim)
    if not input.ndim or step < 1:
        raise ShapeError(
            f"slice_scatter: needs a dim, and a step of at least 1. Received: shape {input.shape}, step={step}"
        )
    places = range(*slice(start, end, step).indices(input.shape[d]))
    due = (*input.shape[:d], len(places), *input.shape[d + 1 :])
    if src.shape != due:
        raise ShapeError(f"slice_scatter: src must have shape {due}. Received: {src.shape}")
    return _put("slice_scatter", input, src, d, places.start if places else 0, step)


def windows(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows along a dim, one every `step`: their number stands at that dim, their elements at the end.

    >>> import everygrad as eg
    >>> eg.arange(5).unfold(0, 3, 2).tolist()
    [[0, 1, 2], [2, 3, 4]]
    """
    d = one_dim("unfold", dimension, input.ndim)
    b = input.backend
    array = input.array if input.ndim else b.reshape(input.array, (1,))
    try:
        out = b.unfold_dim(array, d, size, step)
        return wrap(out if input.ndim else b.reshape(out, b.shape(out)[-1:]), b, input.known_dtype)
    except ShapeError as error:
        raise ShapeError(str(error).replace("unfold_dim", "unfold", 1)) from None


def repeat_interleave(
    input: Tensor, repeats: int | Tensor, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each place of a dim repeated on the spot, all alike or each its own number of times; without a dim, flattened.

    `output_size` is what the repeats add up to, where that is known; another sum raises `ShapeError`.

    >>> import everygrad as eg
    >>> eg.repeat_interleave(eg.tensor([1, 2]), 2).tolist()
    [1, 1, 2, 2]
    >>> eg.repeat_interleave(eg.tensor([[1, 2], [3, 4]]), eg.tensor([2, 0]), dim=1).tolist()
    [[1, 1], [3, 3]]
    """
    need_tensor("repeat_interleave", "input", input)
    if dim is None or not input.ndim:
        input, dim = reshape(input, (input.numel(),)), 0
    d = one_dim("repeat_interleave", dim, input.ndim)
    size, b = input.shape[d], input.backend
    if is_tensor(repeats):
        given = repeats.backend.to_numpy(whole_numbers("repeat_interleave", repeats).array)
    else:
        given = np.asarray(plain(repeats), np.int64)
    if given.ndim > 1 or given.size not in (1, size) or (given.size and given.min() < 0):
        raise ShapeError(
            f"repeat_interleave: repeats must be one count or {size}, none negative. Received: {given.tolist()}"
        )
    places = np.repeat(np.arange(size), np.broadcast_to(given.reshape(-1), (size,)))
    if output_size is not None and output_size != places.size:
        raise ShapeError(
            f"repeat_interleave: the repeats add up to {places.size}. Received: output_size={output_size}"
        )
    return index_select(input, d, wrap(b.from_numpy(places.astype(np.int64)), b, DType.int64))


def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Turned by 90 degrees k times, from the first of two dims towards the second.

    >>> import everygrad as eg
    >>> eg.rot90(eg.tensor([[1, 2], [3, 4]])).tolist()
    [[2, 4], [1, 3]]
    """
    need_tensor("rot90", "input", input)
    if len(dims) != 2 or input.ndim < 2:
        raise ShapeError(f"rot90: needs two dims. Received: dims={dims}, shape {input.shape}")
    first, second = (one_dim("rot90", d, input.ndim) for d in dims)
    if first == second:
        raise ShapeError(f"rot90: dims must differ. Received: dims={dims}")
    turns = k % 4
    if turns == 0:
        return input
    if turns == 2:
        return flip(input, (first, second))
    return transpose(flip(input, (second if turns == 1 else first,)), first, second)


def fliplr(input: Tensor) -> Tensor:
    """Turned around from left to right, along dim 1.

    >>> import everygrad as eg
    >>> eg.fliplr(eg.tensor([[1, 2], [3, 4]])).tolist()
    [[2, 1], [4, 3]]
    """
    need_tensor("fliplr", "input", input)
    if input.ndim < 2:
        raise ShapeError(f"fliplr: needs at least 2 dims. Received: shape {input.shape}")
    return flip(input, (1,))


def flipud(input: Tensor) -> Tensor:
    """Turned upside down, along dim 0.

    >>> import everygrad as eg
    >>> eg.flipud(eg.tensor([[1, 2], [3, 4]])).tolist()
    [[3, 4], [1, 2]]
    """
    need_tensor("flipud", "input", input)
    if not input.ndim:
        raise ShapeError("flipud: needs a tensor with dims. Received: shape ()")
    return flip(input, (0,))


def ravel(input: Tensor) -> Tensor:
    """The elements as a vector.

    >>> import everygrad as eg
    >>> eg.ravel(eg.tensor([[1, 2], [3, 4]])).tolist()
    [1, 2, 3, 4]
    """
    need_tensor("ravel", "input", input)
    return reshape(input, (input.numel(),))


def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dim split into several; one size may be -1.

    >>> import everygrad as eg
    >>> eg.unflatten(eg.zeros(2, 12), 1, (3, -1)).shape
    (2, 3, 4)
    """
    need_tensor("unflatten", "input", input)
    d, given = one_dim("unflatten", dim, input.ndim), tuple(plain(s) for s in sizes)
    total = input.shape[d] if input.ndim else 1
    known = math.prod(size for size in given if size != -1)
    whole = tuple(total // known if size == -1 and known else size for size in given)
    if given.count(-1) > 1 or math.prod(whole) != total or any(size < 0 for size in whole):
        raise ShapeError(
            f"unflatten: sizes must multiply to {total}, one may be -1. Received: {tuple(sizes)}"
        )
    return reshape(input, (*input.shape[:d], *whole, *input.shape[d + 1 :]))


def moveaxis(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Another name of `movedim`.

    >>> import everygrad as eg
    >>> eg.moveaxis(eg.zeros(2, 3, 4), 0, -1).shape
    (3, 4, 2)
    """
    need_tensor("moveaxis", "input", input)
    return movedim(input, source, destination)


def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Another name of `transpose`.

    >>> import everygrad as eg
    >>> eg.swapaxes(eg.zeros(2, 3), 0, 1).shape
    (3, 2)
    """
    need_tensor("swapaxes", "input", input)
    return transpose(input, axis0, axis1)


def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Another name of `transpose`.

    >>> import everygrad as eg
    >>> eg.swapdims(eg.zeros(2, 3), 0, 1).shape
    (3, 2)
    """
    return transpose(input, dim0, dim1)


def _place(op: str, input: Tensor, dim: int, index: int) -> tuple[int, int]:
    """(dim, index) counted from the start."""
    need_tensor(op, "input", input)
    if not input.ndim:
        raise ShapeError(f"{op}: needs a tensor with dims. Received: shape ()")
    d, i = one_dim(op, dim, input.ndim), plain(index)
    size = input.shape[d]
    if not -size <= i < size:
        raise IndexError(
            f"{op}: index {index} is out of range for dim {d} of size {size}. "
            + (f"Write an index from {-size} to {size - 1}" if size else "There is nothing to select")
        )
    return d, i % size


def _put(op: str, input: Tensor, src: Tensor, dim: int, start: int, step: int) -> Tensor:
    """The input with src, from `start` on, along a dim."""
    x, s = on_one_backend(op, input, src)
    b, values = x.backend, same_dtype(op, s, x)
    if s.ndim != x.ndim:
        raise ShapeError(f"{op}: src must have {x.ndim} dims. Received: {s.shape}")
    try:
        out = b.slice_scatter(x.array, values.array, part(x.shape, dim, start, s.shape[dim], step))
    except ShapeError as error:
        raise ShapeError(f"{op}: src does not fit. Received: {s.shape} for {x.shape} ({error})") from None
    return wrap(out, b, x.known_dtype)
