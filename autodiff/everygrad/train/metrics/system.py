"""Metrics of the training itself and of the machine."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typing_extensions import override

from everygrad.train.metrics.base import Mean, Metric, StepOutput

__all__ = ["CpuMemory", "CpuTemperature", "CpuUse", "IterationSpeed", "LearningRate"]


class LearningRate(Metric):
    """The learning rate of the last step."""

    higher_is_better = None

    @override
    def reset(self) -> None:
        self.value = float("nan")

    @override
    def update(self, prediction: Any, target: Any = None) -> None:
        self.value = float(prediction)

    @override
    def observe(self, output: StepOutput) -> None:
        self.update(output.lr)

    @override
    def compute(self) -> float:
        return self.value


class IterationSpeed(Metric):
    """Steps a second since the epoch began; `clock` gives seconds.

    >>> import everygrad as eg
    >>> ticks = iter([0.0, 1.0, 2.0, 4.0])
    >>> speed = eg.train.IterationSpeed(clock=lambda: next(ticks))
    >>> for _ in range(3):
    ...     speed.update(None)
    >>> speed.compute()
    0.75
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.clock = clock
        super().__init__()

    @override
    def reset(self) -> None:
        self.begin = self.last = self.clock()
        self.count = 0

    @override
    def update(self, prediction: Any, target: Any = None) -> None:
        self.count += 1
        self.last = self.clock()

    @override
    def compute(self) -> float:
        return self.count / (self.last - self.begin) if self.last > self.begin else float("nan")


class CpuUse(Metric):
    """The processor time of this process since the epoch began over the time that went by: 1 is one core, busy all along."""

    higher_is_better = None

    @override
    def reset(self) -> None:
        self.begin = time.process_time(), time.perf_counter()

    @override
    def update(self, prediction: Any, target: Any = None) -> None:
        """There is nothing to gather."""

    @override
    def compute(self) -> float:
        busy, passed = time.process_time() - self.begin[0], time.perf_counter() - self.begin[1]
        return busy / passed if passed else float("nan")


class CpuMemory(Metric):
    """The largest memory of this process at a step of the epoch, in GiB; NaN where the system does not say."""

    higher_is_better = None

    @override
    def reset(self) -> None:
        self.largest = float("nan")

    @override
    def update(self, prediction: Any, target: Any = None) -> None:
        pages = _read(Path("/proc/self/statm"), 1)
        if pages > 0:
            size = pages * os.sysconf("SC_PAGE_SIZE") / 2**30
            self.largest = size if math.isnan(self.largest) else max(self.largest, size)

    @override
    def compute(self) -> float:
        return self.largest


class CpuTemperature(Mean):
    """The mean temperature of the processor over the steps, in degrees Celsius; NaN where the system does not say."""

    @override
    def observe(self, output: StepOutput) -> None:
        degrees = _read(Path("/sys/class/thermal/thermal_zone0/temp"), 0) / 1000
        if not math.isnan(degrees):
            self.update(degrees)


def _read(path: Path, place: int) -> float:
    try:
        return float(path.read_text(encoding="ascii").split()[place])
    except (OSError, ValueError, IndexError):
        return float("nan")
