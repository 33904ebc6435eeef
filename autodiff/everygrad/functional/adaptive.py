"""Pools to a given output size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, overload

from everygrad.functional.window import batched, unbatched
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
]

Sizes = int | None | Sequence[int | None]
"""An output size for all axes, or one per axis; None keeps the input's."""


def adaptive_avg_pool1d(input: Tensor, output_size: Sizes) -> Tensor:
    """The means of `output_size` windows over input (N, C, L); the batch dim may be left out.

    Window i of O over L elements covers floor(i L / O) to ceil((i + 1) L / O); None keeps an axis's size.

    >>> import everygrad as eg
    >>> eg.functional.adaptive_avg_pool1d(eg.arange(5.0).reshape(1, 1, 5), 3).tolist()
    [[[0.5, 2.0, 3.5]]]
    """
    return _avg(1, input, output_size)


def adaptive_avg_pool2d(input: Tensor, output_size: Sizes) -> Tensor:
    """The means of `output_size` windows over input (N, C, H, W); the batch dim may be left out.

    Window i of O over L elements covers floor(i L / O) to ceil((i + 1) L / O); None keeps an axis's size.

    >>> import everygrad as eg
    >>> eg.functional.adaptive_avg_pool2d(eg.ones(1, 3, 7, 5), (None, 2)).shape
    (1, 3, 7, 2)
    """
    return _avg(2, input, output_size)


def adaptive_avg_pool3d(input: Tensor, output_size: Sizes) -> Tensor:
    """The means of `output_size` windows over input (N, C, D, H, W); the batch dim may be left out.

    Window i of O over L elements covers floor(i L / O) to ceil((i + 1) L / O); None keeps an axis's size.

    >>> import everygrad as eg
    >>> eg.functional.adaptive_avg_pool3d(eg.ones(1, 2, 4, 5, 6), 2).shape
    (1, 2, 2, 2, 2)
    """
    return _avg(3, input, output_size)


@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: Sizes, return_indices: Literal[False] = False
) -> Tensor: ...
@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: Sizes, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: Sizes, return_indices: bool
) -> Tensor | tuple[Tensor, Tensor]: ...
def adaptive_max_pool1d(
    input: Tensor, output_size: Sizes, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest values of `output_size` windows over input (N, C, L); the batch dim may be left out.

    Window i of O over L elements covers floor(i L / O) to ceil((i + 1) L / O); None keeps an axis's size. NaN
    wins. With `return_indices`, (values, flat indices into the plane).

    >>> import everygrad as eg
    >>> eg.functional.adaptive_max_pool1d(eg.arange(5.0).reshape(1, 1, 5), 3).tolist()
    [[[1.0, 3.0, 4.0]]]
    """
    return _max(1, input, output_size, return_indices)


@overload
def adaptive_max_pool2d(
    input: Tensor, output_size: Sizes, return_indices: Literal[False] = False
) -> Tensor: ...
@overload
def adaptive_max_pool2d(
    input: Tensor, output_size: Sizes, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool2d(
    input: Tensor, output_size: Sizes, return_indices: bool
) -> Tensor | tuple[Tensor, Tensor]: ...
def adaptive_max_pool2d(
    input: Tensor, output_size: Sizes, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest values of `output_size` windows over input (N, C, H, W); the batch dim may be left out.

    Window i of O over L elements covers floor(i L / O) to ceil((i + 1) L / O); None keeps an axis's size. NaN
    wins. With `return_indices`, (values, flat indices into the plane).

    >>> import everygrad as eg
    >>> x = eg.arange(12.0).reshape(1, 1, 3, 4)
    >>> values, indices = eg.functional.adaptive_max_pool2d(x, (1, 2), return_indices=True)
    >>> indices.tolist()
    [[[[9, 11]]]]
    """
    return _max(2, input, output_size, return_indices)


@overload
def adaptive_max_pool3d(
    input: Tensor, output_size: Sizes, return_indices: Literal[False] = False
) -> Tensor: ...
@overload
def adaptive_max_pool3d(
    input: Tensor, output_size: Sizes, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool3d(
    input: Tensor, output_size: Sizes, return_indices: bool
) -> Tensor | tuple[Tensor, Tensor]: ...
def adaptive_max_pool3d(
    input: Tensor, output_size: Sizes, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest values of `output_size` windows over input (N, C, D, H, W); the batch dim may be left out.

    Window i of O over L elements covers floor(i L / O) to ceil((i + 1) L / O); None keeps an axis's size. NaN
    wins. With `return_indices`, (values, flat indices into the plane).

    >>> import everygrad as eg
    >>> eg.functional.adaptive_max_pool3d(eg.ones(1, 2, 4, 5, 6), (1, 2, None)).shape
    (1, 2, 1, 2, 6)
    """
    return _max(3, input, output_size, return_indices)


def _avg(rank: int, input: Tensor, output_size: Sizes) -> Tensor:
    op = f"adaptive_avg_pool{rank}d"
    x, alone = batched(op, input, rank)
    out = getattr(input.backend, op)(x, _size(op, input, rank, output_size))
    return unbatched(out, input, alone)


def _max(
    rank: int, input: Tensor, output_size: Sizes, return_indices: bool
) -> Tensor | tuple[Tensor, Tensor]:
    op = f"adaptive_max_pool{rank}d"
    x, alone = batched(op, input, rank)
    b, size = input.backend, _size(op, input, rank, output_size)
    if not return_indices:
        return unbatched(getattr(b, op)(x, size), input, alone)
    values, indices = getattr(b, f"{op}_with_indices")(x, size)
    whole = wrap(indices, b, DType.int64)
    return unbatched(values, input, alone), unbatched(indices, whole, alone)


def _size(op: str, input: Tensor, rank: int, output_size: Sizes) -> tuple[int, ...]:
    """One size per axis, with None filled in from the input."""
    given = (
        (output_size,) * rank if output_size is None or isinstance(output_size, int) else tuple(output_size)
    )
    if len(given) == 1:
        given *= rank
    sizes = tuple(have if want is None else want for want, have in zip(given, input.shape[-rank:]))
    if len(given) != rank or any(type(v) is not int or v < 1 for v in sizes):
        raise ShapeError(
            f"{op}: output_size must be an integer of at least 1 or None, or {rank} of them. "
            f"Received: output_size={output_size!r}"
        )
    return sizes
