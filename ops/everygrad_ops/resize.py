"""How an axis is resampled, parsed once: each output reads a few inputs with weights of its own.

Output i of an axis of size L, resized to O, lies at src = (i + 1/2) * L / O - 1/2 between the inputs, or at
i * (L - 1) / (O - 1) with aligned corners. A given scale stands for O / L.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from everygrad_ops.errors import ShapeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODES = ("nearest", "nearest-exact", "linear", "cubic", "lanczos3", "area")
ALIGNED = ("linear", "cubic", "lanczos3")
"""The modes that take align_corners and antialias."""


@dataclass(frozen=True, slots=True)
class Taps:
    """out[i] = sum over k of weight[i, k] * x[index[i, k]]: a sparse matrix, rows of equal length."""

    index: NDArray[Any]
    weight: NDArray[Any]
    padded: bool = False
    """Whether some entries, with weight 0, only fill a row."""

    @property
    def plain(self) -> bool:
        """Whether each output is one input, as it is."""
        return self.index.shape[1] == 1 and bool((self.weight == 1).all())


@dataclass(frozen=True, slots=True)
class ResizeOptions:
    """The spatial sizes of the result, and how they are read from x."""

    size: tuple[int, ...]
    mode: str = "nearest"
    align_corners: bool = False
    antialias: bool = False
    scale: tuple[float | None, ...] = ()
    """Per axis the ratio that places the samples; None, or nothing at all: that of the sizes."""

    def check(self, op: str, shape: Sequence[int]) -> None:
        """Refuse an x that is not (N, C, spatial...) with something on each axis."""
        if len(shape) != len(self.size) + 2 or 0 in shape[2:]:
            raise ShapeError(
                f"{op}: x must be (N, C, ...) with {len(self.size)} spatial dims, none of size 0, for "
                f"size={self.size}. Received: x of shape {tuple(shape)}"
            )

    def taps(self, axis: int, length: int) -> Taps:
        """What each output of a spatial axis reads."""
        return _taps(length, self.size[axis], self.mode, self.align_corners, self.antialias, self.step(axis))

    def spread(self, axis: int, length: int) -> Taps:
        """The adjoint: which outputs each input went to."""
        return _spread(
            length, self.size[axis], self.mode, self.align_corners, self.antialias, self.step(axis)
        )

    def step(self, axis: int) -> float | None:
        """The given scale of an axis."""
        return self.scale[axis] if self.scale else None

    def order(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The spatial axes that change, those that shrink first."""
        return _order(self, tuple(shape[2:]))


@functools.lru_cache(maxsize=1024)
def _order(options: ResizeOptions, sizes: tuple[int, ...]) -> tuple[int, ...]:
    changed: list[int] = []
    for axis, (size, length) in enumerate(zip(options.size, sizes)):
        taps = options.taps(axis, length)
        if size != length or not taps.plain or (taps.index[:, 0] != np.arange(size)).any():
            changed.append(axis)
    return tuple(sorted(changed, key=lambda axis: options.size[axis] / sizes[axis]))


def resize_options(
    size: Sequence[int],
    mode: str = "nearest",
    align_corners: bool = False,
    antialias: bool = False,
    scale: Sequence[float | None] | None = None,
    *,
    op: str = "interpolate",
) -> ResizeOptions:
    """A checked `ResizeOptions`; a refusal names `op`."""
    sizes, scales = tuple(size), () if scale is None else tuple(scale)
    if mode not in MODES:
        raise ValueError(f"{op}: unknown mode. Received: mode={mode!r}; write one of {', '.join(MODES)}")
    if not sizes or any(type(s) is not int or s < 1 for s in sizes):
        raise ShapeError(
            f"{op}: every size of the result must be an integer, at least 1. Received: size={sizes}"
        )
    if scales and (len(scales) != len(sizes) or any(s is not None and not s > 0 for s in scales)):
        raise ShapeError(
            f"{op}: scale must be one positive number, or None, for each of {len(sizes)} axes. "
            f"Received: scale={scales}"
        )
    for name, given in (("align_corners", align_corners), ("antialias", antialias)):
        if given and mode not in ALIGNED:
            raise ValueError(
                f"{op}: {name} is for the modes {', '.join(ALIGNED)}. Received: {name}=True, mode={mode!r}; "
                f"leave {name} out"
            )
    return ResizeOptions(sizes, mode, bool(align_corners), bool(antialias), scales)


@functools.lru_cache(maxsize=1024)
def _taps(
    length: int, size: int, mode: str, align_corners: bool, antialias: bool, scale: float | None
) -> Taps:
    i: NDArray[Any] = np.arange(size)
    if mode in ("nearest", "nearest-exact"):
        return _nearest(i, length, size, 1 if mode == "nearest-exact" else 0, scale)
    if mode == "area":
        start, stop = i * length // size, -(-(i + 1) * length // size)
        return _run(start, stop, lambda at: np.ones(at.shape))
    if align_corners:
        step = (length - 1) / (size - 1) if size > 1 else 0.0
        src = i * step
    else:
        step = length / size if scale is None else 1 / scale
        src = (i + 0.5) * step - 0.5
    reach, kernel = _KERNELS[mode]
    if antialias:
        if mode == "cubic":
            kernel = functools.partial(_cubic, a=-0.5)
        wide = max(step, 1.0)
        start = np.maximum(np.floor(src - reach * wide + 1), 0).astype(np.int64)
        stop = np.minimum(np.floor(src + reach * wide + 1), length).astype(np.int64)
        stop = np.maximum(stop, start + 1)
        return _run(np.minimum(start, length - 1), stop, lambda at: kernel((at - src[:, None]) / wide))
    if mode == "linear":
        src = np.clip(src, 0, length - 1)
    low = np.floor(src)
    at = (low[:, None] + np.arange(1 - reach, reach + 1)).astype(np.int64)
    weight = kernel(at - src[:, None])
    if mode == "lanczos3":
        weight = weight / weight.sum(1, keepdims=True)
    return Taps(np.clip(at, 0, length - 1), weight)


def _nearest(i: NDArray[Any], length: int, size: int, half: int, scale: float | None) -> Taps:
    """floor((i + half / 2) * L / O), in integers where no scale is given."""
    if scale is None:
        at = (2 * i + half) * length // (2 * size)
    else:
        at = np.floor((i + half / 2) / scale).astype(np.int64)
    return Taps(np.minimum(at, length - 1)[:, None], np.ones((size, 1)))


def _run(start: NDArray[Any], stop: NDArray[Any], kernel: Callable[[NDArray[Any]], NDArray[Any]]) -> Taps:
    """Every input from start to stop, with weights that add up to 1."""
    count = int((stop - start).max())
    at = start[:, None] + np.arange(count)
    inside = at < stop[:, None]
    weight = np.where(inside, kernel(at), 0.0)
    weight = weight / weight.sum(1, keepdims=True)
    return Taps(np.minimum(at, stop[:, None] - 1), weight, not bool(inside.all()))


def _linear(t: NDArray[Any]) -> NDArray[Any]:
    near: NDArray[Any] = np.maximum(1 - np.abs(t), 0.0)
    return near


def _cubic(t: NDArray[Any], a: float = -0.75) -> NDArray[Any]:
    """Keys's cubic convolution kernel. Source: Keys, "Cubic Convolution Interpolation", 1981."""
    t = np.abs(t)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t < 1, near, np.where(t < 2, far, 0.0))


def _lanczos(t: NDArray[Any]) -> NDArray[Any]:
    """sinc(t) sinc(t / 3) within 3."""
    return np.where(np.abs(t) < 3, np.sinc(t) * np.sinc(t / 3), 0.0)


_KERNELS: dict[str, tuple[int, Callable[..., NDArray[Any]]]] = {
    "linear": (1, _linear),
    "cubic": (2, _cubic),
    "lanczos3": (3, _lanczos),
}
"""Per mode how far its kernel reaches, and the kernel."""


@functools.lru_cache(maxsize=1024)
def _spread(
    length: int, size: int, mode: str, align_corners: bool, antialias: bool, scale: float | None
) -> Taps:
    taps = _taps(length, size, mode, align_corners, antialias, scale)
    real = taps.weight.reshape(-1) != 0
    outs = np.broadcast_to(np.arange(size)[:, None], taps.index.shape).reshape(-1)[real]
    keys, which = np.unique(taps.index.reshape(-1)[real] * size + outs, return_inverse=True)
    weights = np.bincount(which.reshape(-1), taps.weight.reshape(-1)[real], len(keys))
    at, out = keys // size, keys % size
    counts = np.bincount(at, minlength=length)
    first = np.concatenate(([0], np.cumsum(counts)[:-1]))
    index: NDArray[Any] = np.zeros((length, max(int(counts.max()), 1)), np.int64)
    weight = np.zeros(index.shape)
    index[counts > 0] = out[first[counts > 0], None]
    place = np.arange(len(keys)) - first[at]
    index[at, place], weight[at, place] = out, weights
    return Taps(index, weight, bool((counts != index.shape[1]).any()))
