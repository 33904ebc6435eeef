"""Resizing, under torch's names."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DTypeError, ShapeError
from everygrad_ops.resize import ALIGNED, ResizeOptions, resize_options

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["interpolate", "upsample"]

N = TypeVar("N", int, float)

_RANKS = {"bilinear": 2, "bicubic": 2, "trilinear": 3}
_NAMES = {"bilinear": "linear", "bicubic": "cubic", "trilinear": "linear", "lanczos": "lanczos3"}


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """input (N, C, spatial...) resized to the spatial `size`, or to floor(sizes * scale_factor).

    Modes: nearest, nearest-exact, area, and with `align_corners` and `antialias` linear, cubic and lanczos
    (of 3 lobes), at any rank; bilinear and bicubic say rank 2, trilinear rank 3. Samples lie at half-pixel
    centres, at the given scale unless `recompute_scale_factor`. Raises `ShapeError` where a size is 0.

    >>> import everygrad as eg
    >>> x = eg.tensor([[[0.0, 3.0]]])
    >>> eg.functional.interpolate(x, 4, mode="linear").tolist()
    [[[0.0, 0.75, 2.25, 3.0]]]
    >>> eg.functional.interpolate(x, 4, mode="linear", align_corners=True).tolist()
    [[[0.0, 1.0, 2.0, 3.0]]]
    """
    need_tensor("interpolate", "input", input)
    plain = size.__class__ in _PLAIN and scale_factor.__class__ in _PLAIN
    options = (_cached_options if plain else _options)(
        input.shape, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias
    )
    if not input.dtype.is_floating and not options.mode.startswith("nearest"):
        raise DTypeError(
            f"interpolate: mode {mode!r} needs floats. Received: {input.dtype}; write input.to(eg.float32)"
        )
    b = input.backend
    return wrap(b.interpolate(input.array, options), b, input.known_dtype)


def _options(
    shape: tuple[int, ...],
    size: int | Sequence[int] | None,
    scale_factor: float | Sequence[float] | None,
    mode: str,
    align_corners: bool | None,
    recompute_scale_factor: bool | None,
    antialias: bool,
) -> ResizeOptions:
    """What users write, parsed for an input of this shape."""
    rank = len(shape) - 2
    if rank < 1 or rank != _RANKS.get(mode, rank):
        needed = f"{_RANKS[mode]}" if mode in _RANKS else "at least 1"
        raise ShapeError(
            f"interpolate: input must be (N, C, ...) with {needed} spatial dims for mode={mode!r}. "
            f"Received: shape {shape}"
        )
    kind = _NAMES.get(mode, mode)
    sizes, scales = _sizes(shape[2:], size, scale_factor)
    if size is not None and recompute_scale_factor:
        raise ValueError(
            "interpolate: recompute_scale_factor is for scale_factor. Received: size and "
            "recompute_scale_factor=True; leave one of them out"
        )
    if recompute_scale_factor or kind == "area":
        scales = None
    if align_corners is not None and kind not in ALIGNED:
        raise ValueError(
            f"interpolate: align_corners is for the modes that weigh. Received: align_corners={align_corners}, "
            f"mode={mode!r}; leave align_corners out"
        )
    return resize_options(sizes, kind, bool(align_corners), antialias, scales)


_PLAIN = (int, float, type(None))
"""What equals only its like when it is looked up: a list is not looked up at all, and (2,) equals (2.0,)."""
_cached_options = functools.lru_cache(maxsize=1024, typed=True)(_options)


def _sizes(
    spatial: Sequence[int], size: int | Sequence[int] | None, scale_factor: float | Sequence[float] | None
) -> tuple[tuple[int, ...], tuple[float, ...] | None]:
    """(the sizes of the result, the scales that were given)"""
    if (size is None) == (scale_factor is None):
        raise ValueError(
            f"interpolate: write either size or scale_factor. Received: size={size}, scale_factor={scale_factor}"
        )
    rank = len(spatial)
    if scale_factor is not None:
        scales = _each("scale_factor", scale_factor, rank)
        if not all(0 < s < math.inf for s in scales):
            raise ShapeError(
                f"interpolate: scale_factor must be positive. Received: scale_factor={scale_factor}"
            )
        return tuple(math.floor(n * s) for n, s in zip(spatial, scales)), scales
    assert size is not None
    return tuple(_each("size", size, rank)), None


def _each(name: str, given: N | Sequence[N], rank: int) -> tuple[N, ...]:
    """One per axis."""
    if isinstance(given, (int, float)):
        return (given,) * rank
    if len(given) != rank:
        raise ShapeError(
            f"interpolate: {name} must be one number, or one for each of {rank} spatial dims. "
            f"Received: {name}={tuple(given)}"
        )
    return tuple(given)


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """`interpolate` under its old name.

    >>> import everygrad as eg
    >>> eg.functional.upsample(eg.tensor([[[1.0, 2.0]]]), scale_factor=2).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """
    return interpolate(input, size, scale_factor, mode, align_corners)
