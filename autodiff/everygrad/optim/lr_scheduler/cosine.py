"""Schedules along a cosine."""

from __future__ import annotations

import math

from typing_extensions import override

from everygrad.optim.lr_scheduler.scheduler import LRScheduler
from everygrad.optim.optimizer import Optimizer
from everygrad.optim.options import need, need_count, need_finite

__all__ = ["CosineAnnealingLR", "CosineAnnealingWarmRestarts"]


class CosineAnnealingLR(LRScheduler):
    """From the rate to `eta_min` in `T_max` steps, along half a cosine; after that it rises again.

    eta_min + (rate - eta_min) * (1 + cos(pi * step / T_max)) / 2.

    Source: Loshchilov, Hutter, "SGDR: stochastic gradient descent with warm restarts", 2017.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    >>> rates = []
    >>> for _ in range(5):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [1.0, 0.853553, 0.5, 0.146447, 0.0]
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        need_count("T_max", T_max)
        self.T_max = T_max
        need_finite(eta_min=eta_min)
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        return along(self.eta_min, base, epoch / self.T_max)


class CosineAnnealingWarmRestarts(LRScheduler):
    """From the rate to `eta_min` along half a cosine of `T_0` steps, then again, each time `T_mult` times as long.

    `step(epoch)` also takes parts of an epoch.

    Source: Loshchilov, Hutter, "SGDR: stochastic gradient descent with warm restarts", 2017.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2, T_mult=2)
    >>> rates = []
    >>> for _ in range(7):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [1.0, 0.5, 1.0, 0.853553, 0.5, 0.146447, 1.0]
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        need_count("T_0", T_0)
        need_count("T_mult", T_mult)
        self.T_0 = T_0
        self.T_mult = T_mult
        need_finite(eta_min=eta_min)
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    @override
    def step(self, epoch: float | None = None) -> None:
        if epoch is not None:
            need("epoch", epoch, 0)
        super().step(epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return along(self.eta_min, base, epoch / length)


def along(low: float, high: float, share: float) -> float:
    """From high to low along half a cosine."""
    return low + (high - low) * (1 + math.cos(math.pi * share)) / 2
