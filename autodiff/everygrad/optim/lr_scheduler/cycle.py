"""Schedules that raise the rate and lower it again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from typing_extensions import override

from everygrad.optim.lr_scheduler.scheduler import LRScheduler, need_momentum, per_group
from everygrad.optim.optimizer import Optimizer
from everygrad.optim.options import need, need_choice, need_count, need_finite, need_function, need_switch

__all__ = ["CyclicLR"]


class CyclicLR(LRScheduler):
    """Between `base_lr` and `max_lr`, up in `step_size_up` steps and down in `step_size_down`.

    The height of a cycle stays ("triangular"), is halved each time ("triangular2"), or is gamma**step ("exp_range");
    or `scale_fn` gives it, of the number of the cycle or of the step (`scale_mode`). With `cycle_momentum` the
    momentum goes the other way.

    Source: Smith, "Cyclical learning rates for training neural networks", 2017.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.CyclicLR(optimizer, 1.0, 2.0, step_size_up=2, cycle_momentum=False)
    >>> rates = []
    >>> for _ in range(5):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [1.0, 1.5, 2.0, 1.5, 1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        need_choice("mode", mode, ("triangular", "triangular2", "exp_range"))
        need_choice("scale_mode", scale_mode, ("cycle", "iterations"))
        need_count("step_size_up", step_size_up)
        if step_size_down is not None:
            need_count("step_size_down", step_size_down)
        need_finite(gamma=gamma)
        if scale_fn is not None:
            need_function("scale_fn", scale_fn)
        need_switch("cycle_momentum", cycle_momentum)
        if cycle_momentum:
            need_momentum("CyclicLR", optimizer)
        self.max_lrs: list[float] = per_group("max_lr", max_lr, optimizer)
        lows: list[float] = per_group("base_lr", base_lr, optimizer)
        for low in lows:
            need("base_lr", low, 0)
        self.step_size_up = step_size_up
        self.step_size_down = step_size_up if step_size_down is None else step_size_down
        self.mode = mode
        self.gamma = gamma
        self.scale_fn = scale_fn
        self.scale_mode = scale_mode if scale_fn else "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        self.base_momentums: list[float] = per_group("base_momentum", base_momentum, optimizer)
        self.max_momentums: list[float] = per_group("max_momentum", max_momentum, optimizer)
        for high, low, top in zip(self.max_lrs, self.base_momentums, self.max_momentums):
            need_finite(max_lr=high, base_momentum=low, max_momentum=top)
        if last_epoch == -1:
            for group, low in zip(optimizer.param_groups, lows):
                group["initial_lr"] = low
        super().__init__(optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        return base + (self.max_lrs[group] - base) * self._height(epoch)

    @override
    def momentum_at(self, epoch: float, group: int) -> float | None:
        if not self.cycle_momentum:
            return None
        high = self.max_momentums[group]
        return high - (high - self.base_momentums[group]) * self._height(epoch)

    def _height(self, epoch: float) -> float:
        """Where in the cycle the step is: 0 at the bottom, 1 at the top of the first."""
        total = self.step_size_up + self.step_size_down
        cycle = math.floor(1 + epoch / total)
        place, turn = epoch / total - (cycle - 1), self.step_size_up / total
        share = place / turn if place <= turn else (1 - place) / (1 - turn)
        return share * self._scale(cycle if self.scale_mode == "cycle" else epoch)

    def _scale(self, x: float) -> float:
        given: Any = self.scale_fn
        if given is not None:
            return float(given(x))
        if self.mode == "exp_range":
            return float(self.gamma**x)
        return 1.0 if self.mode == "triangular" else float(0.5 ** (x - 1))
