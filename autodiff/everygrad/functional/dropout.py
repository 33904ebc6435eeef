"""Dropout and noise, with seeds from the current generator; `inplace` changes nothing: tensors are values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from everygrad.functional.arguments import ready
from everygrad.generator import current_generator
from everygrad.tensor.wrap import wrap
from everygrad_ops import ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "alpha_dropout",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
    "gaussian_noise",
]

_SATURATED = -1.7580993408473766
"""Where selu ends at -inf: minus its scale times its alpha."""


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element is 0 with probability `p`, else scaled by 1 / (1 - p); without `training`, the input.

    The seed is the next one of `everygrad.manual_seed`'s generator.

    >>> import everygrad as eg
    >>> _ = eg.manual_seed(0)
    >>> sorted(set(eg.functional.dropout(eg.ones(100)).tolist()))
    [0.0, 2.0]
    """
    _check("dropout", p)
    if not training or p == 0:
        return input
    b, dtype, (x,) = ready("dropout", input)
    return wrap(b.dropout(x, p, current_generator().next_seed()), b, dtype)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels: input is (N, C, L) or (C, L).

    >>> import everygrad as eg
    >>> rows = eg.functional.dropout1d(eg.ones(1, 9, 3)).tolist()[0]
    >>> all(row in ([0.0] * 3, [2.0] * 3) for row in rows)
    True
    """
    return _channels("dropout1d", 1, input, p, training)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels: input is (N, C, H, W) or (C, H, W).

    >>> import everygrad as eg
    >>> len(set(eg.functional.dropout2d(eg.ones(1, 1, 3, 3)).flatten().tolist()))
    1
    """
    return _channels("dropout2d", 2, input, p, training)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels: input is (N, C, D, H, W) or (C, D, H, W).

    >>> import everygrad as eg
    >>> len(set(eg.functional.dropout3d(eg.ones(1, 1, 2, 2, 2)).flatten().tolist()))
    1
    """
    return _channels("dropout3d", 3, input, p, training)


def _channels(op: str, rank: int, input: Tensor, p: float, training: bool) -> Tensor:
    _check(op, p)
    if not training or p == 0:
        return input
    b, dtype, (x,) = ready(op, input)
    shape = input.shape
    if len(shape) not in (rank + 1, rank + 2):
        raise ShapeError(
            f"{op}: input must be (N, C, ...) or (C, ...) with {rank} spatial dims. Received: shape {shape}"
        )
    keep = _kept(b, (*shape[: len(shape) - rank], *[1] * rank), p)
    return wrap(b.where(keep, x if p == 1 else b.mul(x, 1 / (1 - p)), 0), b, dtype)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Elements are set to selu's lowest value with probability `p`; then mean 0 and variance 1 are restored.

    With p = 1 all is 0. Source: Klambauer et al., "Self-normalizing neural networks", 2017.

    >>> import everygrad as eg
    >>> len(set(eg.functional.alpha_dropout(eg.ones(100), training=True).tolist()))
    2
    """
    return _alpha("alpha_dropout", input, input.shape, p, training)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """`alpha_dropout` of whole channels: input is (N, C, ...).

    >>> import everygrad as eg
    >>> len(set(eg.functional.feature_alpha_dropout(eg.ones(1, 1, 5), training=True).flatten().tolist()))
    1
    """
    if input.ndim < 2:
        raise ShapeError(f"feature_alpha_dropout: input must be (N, C, ...). Received: shape {input.shape}")
    mask = (*input.shape[:2], *[1] * (input.ndim - 2))
    return _alpha("feature_alpha_dropout", input, mask, p, training)


def _alpha(op: str, input: Tensor, mask: tuple[int, ...], p: float, training: bool) -> Tensor:
    _check(op, p)
    if not training or p == 0:
        return input
    b, dtype, (x,) = ready(op, input)
    if p == 1:
        return wrap(b.where(_kept(b, mask, p), x, 0), b, dtype)
    scale = 1 / math.sqrt((1 - p) * (1 + p * _SATURATED**2))
    shift = -scale * p * _SATURATED
    return wrap(b.add(b.mul(b.where(_kept(b, mask, p), x, _SATURATED), scale), shift), b, dtype)


def _kept(b: Any, shape: tuple[int, ...], p: float) -> Any:
    return b.bernoulli(shape, 1 - p, current_generator().next_seed())


def gaussian_noise(input: Tensor, std: float, training: bool = True) -> Tensor:
    """input plus normal noise with the standard deviation `std`; without `training`, the input.

    >>> import everygrad as eg
    >>> bool((eg.functional.gaussian_noise(eg.zeros(9), 1.0) != 0).all())
    True
    """
    if not std >= 0:
        raise ValueError(f"gaussian_noise: std must not be negative. Received: std={std!r}")
    if not training or std == 0:
        return input
    b, dtype, (x,) = ready("gaussian_noise", input)
    noise = b.normal(input.shape, current_generator().next_seed(), dtype)
    return wrap(b.add(x, b.mul(noise, std)), b, dtype)


def _check(op: str, p: float) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"{op}: p must be a probability, from 0 to 1. Received: p={p!r}")
