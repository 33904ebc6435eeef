"""A line search for the strong Wolfe conditions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class Point:
    """A place on the line: step length, value, gradient, and slope along the line."""

    t: float
    value: float
    grad: Any
    slope: float


def strong_wolfe(
    evaluate: Callable[[float], Point],
    start: Point,
    t: float,
    largest: float,
    *,
    tolerance: float = 1e-9,
    evaluations: int = 25,
    c1: float = 1e-4,
    c2: float = 0.9,
) -> tuple[Point, int]:
    """(a place that has f <= f(0) + c1 * t * f'(0) and |f'| <= c2 * |f'(0)|, how often f was evaluated).

    `start` is the place at 0, `t` the first step to try, `largest` the largest element of the direction. First the
    step grows until it brackets such a place, then cubic interpolation narrows the bracket;
    when evaluations run out, or the bracket is smaller than `tolerance`, the lowest place so far is taken.

    Source: Nocedal, Wright, "Numerical optimization", 2006, algorithms 3.5 and 3.6.
    """
    before, now = start, evaluate(t)
    used, rounds = 1, 0
    pair: list[Point] = []
    while rounds < evaluations:
        if _too_high(now, start, c1) or (rounds > 1 and now.value >= before.value):
            pair = [before, now]
            break
        if abs(now.slope) <= -c2 * start.slope:
            return now, used
        if now.slope >= 0:
            pair = [before, now]
            break
        ahead = (now.t + 0.01 * (now.t - before.t), now.t * 10)
        before, now = now, evaluate(cubic_minimum(before, now, ahead))
        used, rounds = used + 1, rounds + 1
    low, high = _sorted(*(pair or [start, now]))
    stalled = False
    while rounds < evaluations and abs(high.t - low.t) * largest >= tolerance:
        t, stalled = _inside(cubic_minimum(low, high), low, high, stalled)
        now = evaluate(t)
        used, rounds = used + 1, rounds + 1
        if _too_high(now, start, c1) or now.value >= low.value:
            low, high = _sorted(low, now)
            continue
        if abs(now.slope) <= -c2 * start.slope:
            return now, used
        high = low if now.slope * (high.t - low.t) >= 0 else high
        low = now
    return low, used


def cubic_minimum(p: Point, q: Point, bounds: tuple[float, float] | None = None) -> float:
    """Where the cubic through two places and their slopes is least, within bounds (theirs, unless given)."""
    low, high = (min(p.t, q.t), max(p.t, q.t)) if bounds is None else bounds
    if p.t > q.t:
        p, q = q, p
    middle = (low + high) / 2
    if p.t == q.t:
        return middle
    first = p.slope + q.slope - 3 * (p.value - q.value) / (p.t - q.t)
    square = first * first - p.slope * q.slope
    if not square >= 0:
        return middle
    second = math.sqrt(square)
    below = q.slope - p.slope + 2 * second
    if below == 0:
        return middle
    return min(max(q.t - (q.t - p.t) * (q.slope + second - first) / below, low), high)


def _too_high(now: Point, start: Point, c1: float) -> bool:
    return not now.value <= start.value + c1 * now.t * start.slope


def _sorted(p: Point, q: Point) -> tuple[Point, Point]:
    """(the lower, the higher)."""
    return (p, q) if p.value <= q.value or math.isnan(q.value) else (q, p)


def _inside(t: float, p: Point, q: Point, stalled: bool) -> tuple[float, bool]:
    """(a step kept off the ends of the bracket where it came near them twice, whether it is near now)."""
    low, high = min(p.t, q.t), max(p.t, q.t)
    margin = 0.1 * (high - low)
    if min(high - t, t - low) >= margin:
        return t, False
    if stalled or t >= high or t <= low:
        return (high - margin if abs(t - high) < abs(t - low) else low + margin), False
    return t, True
