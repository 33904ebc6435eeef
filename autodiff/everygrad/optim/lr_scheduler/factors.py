"""Schedules that multiply the first rate by a factor."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

from typing_extensions import override

from everygrad.optim.lr_scheduler.scheduler import LRScheduler
from everygrad.optim.optimizer import Optimizer
from everygrad.optim.options import need, need_count, need_finite

__all__ = ["ConstantLR", "ExponentialLR", "LinearLR", "MultiStepLR", "NoamLR", "PolynomialLR", "StepLR"]


class StepLR(LRScheduler):
    """The rate times gamma after every `step_size` steps.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> rates = []
    >>> for _ in range(5):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        need_count("step_size", step_size)
        need_finite(gamma=gamma)
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        return float(base * self.gamma ** (epoch // self.step_size))


class MultiStepLR(LRScheduler):
    """The rate times gamma at every milestone; a milestone given twice counts twice.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
    >>> rates = []
    >>> for _ in range(5):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [1.0, 0.5, 0.5, 0.25, 0.25]
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        given: list[Any] = list(milestones) if isinstance(milestones, Iterable) else [milestones]  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        for milestone in given:
            need_count("milestones", milestone, 0)
        need_finite(gamma=gamma)
        self.milestones: list[int] = sorted(given)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        return base * self.gamma ** bisect_right(self.milestones, epoch)


class ConstantLR(LRScheduler):
    """The rate times `factor` for `total_iters` steps, then the rate itself.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [0.5, 0.5, 1.0, 1.0]
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        need("factor", factor, 0)
        need_count("total_iters", total_iters, 0)
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        return base * self.factor if epoch < self.total_iters else base


class LinearLR(LRScheduler):
    """A factor that goes in a line from `start_factor` to `end_factor` in `total_iters` steps, and stays.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [0.5, 0.75, 1.0, 1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        need("start_factor", start_factor, 0)
        need("end_factor", end_factor, 0)
        need_count("total_iters", total_iters, 0)
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        if epoch >= self.total_iters:
            return base * self.end_factor
        share = epoch / self.total_iters
        return base * (self.start_factor + (self.end_factor - self.start_factor) * share)


class ExponentialLR(LRScheduler):
    """The rate times gamma at every step.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [1.0, 0.5, 0.25, 0.125]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        need_finite(gamma=gamma)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        return float(base * self.gamma**epoch)


class PolynomialLR(LRScheduler):
    """The rate times (1 - step / total_iters)**power, and 0 from `total_iters` on.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4, power=2.0)
    >>> rates = []
    >>> for _ in range(5):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [1.0, 0.5625, 0.25, 0.0625, 0.0]
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        need_count("total_iters", total_iters)
        self.total_iters = total_iters
        need("power", power, 0)
        self.power = power
        super().__init__(optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        return float(base * (1 - min(epoch, self.total_iters) / self.total_iters) ** self.power)


class NoamLR(LRScheduler):
    """The rate times model_size**-0.5 * min(t**-0.5, t * warmup_steps**-1.5) at the t-th update, counted from 1.

    It rises in a line for `warmup_steps` updates and falls with the root after.

    Source: Vaswani et al., "Attention is all you need", 2017, section 5.3.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.NoamLR(optimizer, model_size=4, warmup_steps=2)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [0.176777, 0.353553, 0.288675, 0.25]
    """

    def __init__(
        self, optimizer: Optimizer, model_size: int = 512, warmup_steps: int = 4000, last_epoch: int = -1
    ) -> None:
        need_count("model_size", model_size)
        need_count("warmup_steps", warmup_steps)
        self.model_size = model_size
        self.warmup_steps = warmup_steps
        super().__init__(optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        t = epoch + 1
        return float(base * self.model_size**-0.5 * min(t**-0.5, t * self.warmup_steps**-1.5))
