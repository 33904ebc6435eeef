"""Times of several sides of the same work, alternating in one run."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Work = Callable[[], Any]
Builder = Callable[[], "Work | None"]
"""Makes a side's work ready, untimed; None where the side has no such op."""

LEAST = 0.01
"""Seconds that one sample takes at least: shorter work is repeated within it."""


@dataclass(frozen=True)
class Case:
    """One row: work that several sides do, and the ratios to stay within.

    The sides are "torch" (its own autograd), "everygrad/torch", "everygrad/numpy" and the peers.
    """

    number: int
    name: str
    sides: Mapping[str, Builder]
    targets: Mapping[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])


@dataclass(frozen=True)
class Ratio:
    """Median of the ratios of neighbouring samples, with their quartiles."""

    median: float
    low: float
    high: float
    target: float | None = None

    @property
    def missed(self) -> bool:
        """Whether it lies over its target."""
        return self.target is not None and self.median > self.target


@dataclass(frozen=True)
class Result:
    """What a case came to: seconds per side (None: it has no such op), and ratios per pair."""

    number: int
    name: str
    seconds: Mapping[str, float | None]
    ratios: Mapping[tuple[str, str], Ratio]


def measure(case: Case, rounds: int, chosen: Callable[[str], bool]) -> Result:
    """Alternate the chosen sides of a case; the order turns from round to round."""
    works: dict[str, Work] = {}
    seconds: dict[str, float | None] = {}
    for side, build in case.sides.items():
        if chosen(side):
            work = build()
            seconds[side] = None
            if work is not None:
                works[side] = work
    samples = alternate(works, rounds)
    seconds |= {side: statistics.median(times) for side, times in samples.items()}
    ratios = {
        pair: ratio(samples[pair[0]], samples[pair[1]], case.targets.get(pair)) for pair in pairs(list(works))
    }
    return Result(case.number, case.name, seconds, ratios)


def pairs(sides: list[str]) -> list[tuple[str, str]]:
    """What is compared with what: each of ours with each other library, and over NumPy with over torch."""
    ours = [side for side in sides if side.startswith("everygrad/")]
    return [(one, other) for one in ours for other in sides if other not in ours]


def alternate(works: Mapping[str, Work], rounds: int) -> dict[str, list[float]]:
    """Seconds for one run of each work, sample by sample."""
    repeats = {side: warm_up(work) for side, work in works.items()}
    samples: dict[str, list[float]] = {side: [] for side in works}
    order = list(works)
    for _ in range(rounds):
        for side in order:
            samples[side].append(timed(works[side], repeats[side]))
        order = order[1:] + order[:1]
    return samples


def warm_up(work: Work) -> int:
    """Run the work until it is warm; how often it goes into one sample."""
    work()
    work()
    return max(1, round(LEAST / max(timed(work, 1), 1e-7)))


def timed(work: Work, repeat: int) -> float:
    """Seconds for one run of the work, over `repeat` runs; the collector waits."""
    gc.disable()
    start = time.perf_counter()
    for _ in range(repeat):
        work()
    taken = time.perf_counter() - start
    gc.enable()
    return taken / repeat


def ratio(ours: list[float], theirs: list[float], target: float | None = None) -> Ratio:
    """The ratio of two rows of samples taken in turn."""
    found = [a / b for a, b in zip(ours, theirs)]
    low, _, high = statistics.quantiles(found, n=4) if len(found) > 1 else [found[0]] * 3
    return Ratio(statistics.median(found), low, high, target)
