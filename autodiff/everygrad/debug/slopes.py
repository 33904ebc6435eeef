"""The slope of a function of one number, from its values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

SHRINK = 2.0
LEVELS = 9


class Slope(NamedTuple):
    """A slope, and by how much it may be wrong."""

    value: float
    error: float


def slope_at_zero(f: Callable[[float], float], step: float) -> Slope:
    """f'(0) by central differences at falling steps, extrapolated to step 0.

    Source: Ridders, "Accurate computation of F'(x) and F'(x) F''(x)", Advances in Engineering Software, 1982.
    """
    best = Slope(math.nan, math.inf)
    before: list[float] = []
    for _ in range(LEVELS):
        row = [(f(step) - f(-step)) / (2 * step)]
        factor = SHRINK**2
        for j, other in enumerate(before):
            row.append((factor * row[j] - other) / (factor - 1))
            error = max(abs(row[-1] - row[j]), abs(row[-1] - other))
            if error <= best.error:
                best = Slope(row[-1], error)
            factor *= SHRINK**2
        before = row
        step /= SHRINK
    return best


def sides_at_zero(f: Callable[[float], float], step: float) -> tuple[float, float]:
    """The slopes to the left and to the right of 0."""
    middle = f(0.0)
    return (middle - f(-step)) / step, (f(step) - middle) / step


def is_kink(left: float, right: float, floor: float) -> bool:
    """Whether the sides differ by more than a smooth function's could."""
    if not (math.isfinite(left) and math.isfinite(right)):
        return True
    return abs(left - right) > 1e-2 * max(abs(left), abs(right)) + floor
