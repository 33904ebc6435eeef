"""Elements in other places: turned, shifted, repeated, padded, and triangles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everygrad.functional.shape import reshape, sizes
from everygrad.tensor.dims import many_dims, one_dim
from everygrad.tensor.operands import number_for
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["flip", "pad", "repeat", "roll", "tile", "tril", "triu"]


def flip(input: Tensor, dims: Any = (), *more: int) -> Tensor:
    """Turned around along dims.

    >>> import everygrad as eg
    >>> eg.flip(eg.tensor([[1, 2], [3, 4]]), (0,)).tolist()
    [[3, 4], [1, 2]]
    """
    need_tensor("flip", "input", input)
    given = sizes("flip", (dims, *more))
    turned = many_dims("flip", given, input.ndim) if given else ()
    return wrap(input.backend.flip(input.array, turned), input.backend, input.known_dtype)


def roll(input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Tensor:
    """Moved along dims; what leaves at the end comes in at the start. Without dims, flattened in between.

    >>> import everygrad as eg
    >>> eg.roll(eg.arange(4), 1).tolist()
    [3, 0, 1, 2]
    """
    need_tensor("roll", "input", input)
    if dims is None:
        if not isinstance(shifts, int):
            raise ShapeError(f"roll: several shifts need as many dims. Received: shifts={shifts}, dims=None")
        return reshape(roll(reshape(input, (input.numel(),)), shifts, 0), input.shape)
    by = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    along = tuple(one_dim("roll", d, input.ndim) for d in ((dims,) if isinstance(dims, int) else dims))
    return wrap(input.backend.roll(input.array, by, along), input.backend, input.known_dtype)


def repeat(input: Tensor, repeats: Any = (), *more: int) -> Tensor:
    """Tiled: the whole tensor, repeats[d] times along dim d; extra counts make new dims in front.

    >>> import everygrad as eg
    >>> eg.repeat(eg.tensor([1, 2]), 2, 2).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    counts = sizes("repeat", (repeats, *more))
    return wrap(input.backend.repeat(input.array, counts), input.backend, input.known_dtype)


def tile(input: Tensor, dims: Any = (), *more: int) -> Tensor:
    """Tiled as by `repeat`, with counts of 1 in front where fewer are given than dims.

    >>> import everygrad as eg
    >>> eg.tile(eg.tensor([[1], [2]]), (2,)).tolist()
    [[1, 1], [2, 2]]
    """
    need_tensor("tile", "input", input)
    counts = sizes("tile", (dims, *more))
    return repeat(input, (*(1,) * (input.ndim - len(counts)), *counts))


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangles of the last two dims, up to a diagonal; the rest is 0.

    >>> import everygrad as eg
    >>> eg.tril(eg.ones(2, 2)).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    need_tensor("tril", "input", input)
    return wrap(input.backend.tril(input.array, diagonal), input.backend, input.known_dtype)


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangles of the last two dims, from a diagonal on; the rest is 0.

    >>> import everygrad as eg
    >>> eg.triu(eg.ones(2, 2), 1).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    need_tensor("triu", "input", input)
    return wrap(input.backend.triu(input.array, diagonal), input.backend, input.known_dtype)


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Elements added at the ends of the last dims: pad = (left, right) of the last, then of the one before, ...

    `mode` is "constant" (with `value`, 0 by default), "reflect", "replicate" or "circular". A negative count
    takes elements away first.

    >>> import everygrad as eg
    >>> eg.functional.pad(eg.tensor([[1, 2, 3]]), (1, 0, 0, 1)).tolist()
    [[0, 1, 2, 3], [0, 0, 0, 0]]
    >>> eg.functional.pad(eg.tensor([1, 2, 3]), (1, 2), mode="reflect").tolist()
    [2, 1, 2, 3, 2, 1]
    """
    need_tensor("pad", "input", input)
    b, shape, given = input.backend, input.shape, tuple(pad)
    if len(given) % 2 or len(given) > 2 * len(shape):
        raise ShapeError(
            f"pad: needs two counts for each of at most {len(shape)} dims, last dim first. Received: pad={given}"
        )
    pairs = list(reversed(list(zip(given[::2], given[1::2]))))
    pairs = [(0, 0)] * (len(shape) - len(pairs)) + pairs
    x = input.array
    if min(given, default=0) < 0:
        cut = [
            (max(0, -left), s - max(0, -left) - max(0, -right), 1) for s, (left, right) in zip(shape, pairs)
        ]
        x = b.slice(x, tuple(cut))
        pairs = [(max(0, left), max(0, right)) for left, right in pairs]
    if mode != "constant":
        return wrap(b.pad_mode(x, tuple(pairs), mode), b, input.known_dtype)
    return wrap(b.pad(x, tuple(pairs), number_for("pad", "value", value or 0, input)), b, input.known_dtype)
