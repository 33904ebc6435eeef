"""What one coordinate of a sampling grid reads on its axis: indices, weights and their slopes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from everygrad_ops.dtypes import DType

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")
MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")
FAR = 2.0**20
"""How many elements outside a place can be: float32 still counts them."""


@dataclass(frozen=True, slots=True)
class Axis(Generic[A]):
    """The taps of one axis: (index, weight, slope of the weight), and the slope of the place in the grid."""

    taps: list[tuple[A, A, A]]
    factor: A


def axis_taps(
    b: Backend[A], grid: A, length: int, mode: str, padding_mode: str, align_corners: bool
) -> Axis[A]:
    """The taps on an axis of this length, for a vector of coordinates without NaN."""
    scale = (length - 1) / 2 if align_corners else length / 2
    place = b.mul(b.add(grid, 1), scale)
    place = b.clamp(place if align_corners else b.sub(place, 0.5), -FAR, FAR)
    inside = b.logical_and(b.gt(place, -FAR), b.lt(place, FAR))
    factor = b.where(inside, b.full(b.shape(grid), scale, b.dtype(grid)), 0)
    if mode == "bicubic":
        low = b.floor(b.detach(place))
        t = b.sub(place, low)
        steps = [b.add(low, float(k)) for k in (-1, 0, 1, 2)]
        found = [
            _tap(b, _padded(b, at, length, padding_mode, align_corners), length, *_cubic(b, t, k))
            for k, at in enumerate(steps)
        ]
        return Axis(found, factor)
    if padding_mode == "reflection":
        place, turn = _reflected(b, place, length, align_corners)
        factor = b.mul(factor, turn)
    if padding_mode != "zeros":
        within = b.logical_and(b.gt(place, 0), b.lt(place, length - 1))
        place = b.where(within, place, b.clamp(b.detach(place), 0, length - 1))
        factor = b.where(within, factor, 0)
    ones = b.add(b.mul(place, 0.0), 1)  # with a gradient of zeros, not without one
    if mode == "nearest":
        return Axis([_tap(b, b.round(b.detach(place)), length, ones, b.zeros_like(place))], factor)
    low = b.floor(b.detach(place))
    t = b.sub(place, low)
    left = _tap(b, low, length, b.sub(ones, t), b.neg(ones))
    return Axis([left, _tap(b, b.add(low, 1), length, t, ones)], factor)


def _tap(b: Backend[A], at: A, length: int, weight: A, slope: A) -> tuple[A, A, A]:
    """A tap outside of the axis weighs nothing."""
    real = b.logical_and(b.ge(at, 0), b.le(at, length - 1))
    index = b.cast(b.clamp(at, 0, length - 1), DType.int64)
    return index, b.where(real, weight, 0), b.where(real, slope, 0)


def _padded(b: Backend[A], at: A, length: int, padding_mode: str, align_corners: bool) -> A:
    """Whole places, brought inside as `padding_mode` says."""
    if padding_mode == "zeros":
        return at
    if padding_mode == "reflection":
        at = _reflected(b, at, length, align_corners)[0]
    return b.clamp(b.round(at), 0, length - 1)


def _reflected(b: Backend[A], place: A, length: int, align_corners: bool) -> tuple[A, A]:
    """(places folded back into the axis, 1 or -1: the slope of that), about the outer edges or centres."""
    low, span = (0.0, float(length - 1)) if align_corners else (-0.5, float(length))
    if span == 0:
        return b.mul(place, 0.0), b.zeros_like(place)
    ahead = b.sub(place, low)
    turn = b.sign(b.detach(ahead))
    distance = b.mul(ahead, turn)
    laps = b.floor(b.div(b.detach(distance), span))
    rest = b.sub(distance, b.mul(laps, span))
    odd = b.eq(b.remainder(laps, 2.0), 1.0)
    folded = b.where(odd, b.sub(b.full(b.shape(rest), span, b.dtype(rest)), rest), rest)
    return b.add(folded, low), b.where(odd, b.neg(turn), turn)


def _cubic(b: Backend[A], t: A, k: int) -> tuple[A, A]:
    """(weight, slope) of tap k - 1 for a place t beyond tap 0: Keys's kernel with a = -0.75."""
    a = -0.75
    d = b.add(b.mul(t, 1.0 if k < 2 else -1.0), (1.0, 0.0, 1.0, 2.0)[k])  # the distance of the tap
    side = 1.0 if k < 2 else -1.0
    if k in (1, 2):  # ((a + 2) d - (a + 3)) d^2 + 1
        weight = b.add(b.mul(b.sub(b.mul(d, a + 2), a + 3), b.square(d)), 1)
        slope = b.mul(b.sub(b.mul(d, 3 * (a + 2)), 2 * (a + 3)), d)
    else:  # ((a d - 5 a) d + 8 a) d - 4 a
        weight = b.sub(b.mul(b.add(b.mul(b.sub(b.mul(d, a), 5 * a), d), 8 * a), d), 4 * a)
        slope = b.add(b.mul(b.sub(b.mul(d, 3 * a), 10 * a), d), 8 * a)
    return weight, b.mul(slope, side)
