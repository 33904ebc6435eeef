"""A schedule that looks at how training goes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import override

from everygrad.optim.lr_scheduler.scheduler import LRScheduler, per_group
from everygrad.optim.optimizer import Optimizer
from everygrad.optim.options import need, need_choice, need_count, need_finite

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` once a metric has not improved for more than `patience` steps.

    Better is below best * (1 - threshold) ("rel") or best - threshold ("abs"); above with mode "max". After
    a change, `cooldown` steps are not counted. A metric that is NaN is no improvement.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    >>> for loss in (3.0, 2.0, 2.0, 2.0):
    ...     schedule.step(loss)
    >>> optimizer.lr
    0.5
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        need_finite(factor=factor, threshold=threshold, eps=eps)
        if factor >= 1:
            raise ValueError(f"factor: must be below 1. Received: {factor!r}; write factor=0.1, for instance")
        need_choice("mode", mode, ("min", "max"))
        need_choice("threshold_mode", threshold_mode, ("rel", "abs"))
        need_count("patience", patience, 0)
        need_count("cooldown", cooldown, 0)
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.min_lrs: list[float] = per_group("min_lr", min_lr, optimizer)
        for low in self.min_lrs:
            need("min_lr", low, 0)
        self.eps = eps
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = 0
        self.cooldown_counter = 0
        super().__init__(optimizer)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        raise TypeError(
            "ReduceLROnPlateau: its rate depends on metrics, not on a step alone; it cannot be part of another "
            "schedule. Write schedule.step(metric) beside the other schedule's step()"
        )

    @override
    def step(self, metrics: Any = None, epoch: int | None = None) -> None:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]  # it goes by the metric
        """Take the metric of one more epoch."""
        if metrics is None and self.last_epoch < 0:
            self.last_epoch = 0  # it was only made
            return
        if metrics is None:
            raise TypeError("step: needs the metric. Received: None; write schedule.step(validation_loss)")
        value = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._better(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0

    @override
    def restore(self, state_dict: Mapping[str, Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, state_dict["_last_lr"]):
            group["lr"] = rate

    def _reduce(self) -> None:
        for group, low in zip(self.optimizer.param_groups, self.min_lrs):
            rate = max(group["lr"] * self.factor, low)
            if group["lr"] - rate > self.eps:
                group["lr"] = rate

    def _better(self, value: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        if self.threshold_mode == "rel":
            return sign * value < sign * self.best * (1 - sign * self.threshold)
        return sign * value < sign * self.best - self.threshold
