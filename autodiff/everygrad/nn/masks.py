"""Masks of attention modules, in torch's sense: True hides a key, floats are added to the scores."""

from __future__ import annotations

import math

from everygrad.functional.comparison import logical_or, where
from everygrad.functional.creation import arange, full
from everygrad.functional.shape import cat
from everygrad.nn.build import Place
from everygrad.tensor import Tensor
from everygrad_ops import DType, DTypeError

__all__ = ["generate_padding_mask", "generate_square_subsequent_mask"]


def generate_square_subsequent_mask(sz: int, dtype: DType | None = None, backend: Place = None) -> Tensor:
    """(sz, sz): 0 up to the diagonal and -inf above it, so that no query sees what comes after it.

    >>> import everygrad as eg
    >>> eg.nn.generate_square_subsequent_mask(2).tolist()
    [[0.0, -inf], [0.0, 0.0]]
    """
    return full((sz, sz), -math.inf, dtype=dtype, backend=backend).triu(1)


def generate_padding_mask(lengths: Tensor, size: int | None = None) -> Tensor:
    """(N, size), True behind the end of each sequence: a `key_padding_mask` from the lengths (N,).

    >>> import everygrad as eg
    >>> eg.nn.generate_padding_mask(eg.tensor([1, 2])).tolist()
    [[False, True], [False, False]]
    """
    size = int(lengths.amax().item()) if size is None else size
    places = arange(size, backend=lengths.backend)
    return places.reshape(1, size) >= lengths.reshape(-1, 1)


def combined(first: Tensor | None, second: Tensor | None, like: Tensor) -> Tensor | None:
    """One mask that hides what either hides; a float one where one of them is."""
    masks = [_checked(mask, like) for mask in (first, second) if mask is not None]
    if len(masks) < 2:
        return masks[0] if masks else None
    a, b = masks
    if not a.dtype.is_floating and not b.dtype.is_floating:
        return logical_or(a, b)
    a, b = (_floating(mask, like) for mask in (a, b))
    return a + b


def padded_columns(mask: Tensor | None, extra: int) -> Tensor | None:
    """The mask with columns behind the last that hide nothing."""
    if mask is None or not extra:
        return mask
    shape = (*mask.shape[:-1], extra)
    return cat([mask, full(shape, 0, dtype=mask.dtype, backend=mask.backend)], -1)


def _checked(mask: Tensor, like: Tensor) -> Tensor:
    if mask.dtype.is_floating or mask.dtype is DType.bool_:
        return mask.to(like.dtype) if mask.dtype.is_floating else mask
    raise DTypeError(
        f"attention: a mask is boolean (True hides) or floating-point (added). Received: {mask.dtype}; "
        "write mask.bool() for 0 and 1"
    )


def _floating(mask: Tensor, like: Tensor) -> Tensor:
    if mask.dtype.is_floating:
        return mask
    return where(mask, full((), -math.inf, dtype=like.dtype, backend=mask.backend), 0.0)
