"""Schedules made of others."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from typing_extensions import override

from everygrad.nn.state import StateDictError
from everygrad.optim.lr_scheduler.plateau import ReduceLROnPlateau
from everygrad.optim.lr_scheduler.scheduler import LRScheduler
from everygrad.optim.optimizer import Optimizer
from everygrad.optim.options import need, need_choice, need_count

__all__ = ["ChainedScheduler", "ComposedLR", "SequentialLR", "WarmupLR"]


def as_schedules(name: str, schedulers: Any) -> list[LRScheduler]:
    """A list of schedules, each of which knows its rate from the step alone."""
    given: list[Any] = list(schedulers) if isinstance(schedulers, Iterable) else [schedulers]  # pyright: ignore[reportUnknownArgumentType]  # checked next
    if not given:
        raise ValueError(f"{name}: needs schedules. Received: none")
    for part in given:
        if not isinstance(part, LRScheduler) or isinstance(part, ReduceLROnPlateau):
            raise TypeError(
                f"{name}: takes schedules whose rate depends on the step alone. Received: {type(part).__name__}, which cannot be "
                "part of another; write [StepLR(optimizer, 10), ...]"
            )
    return given


class Composite(LRScheduler):
    """A schedule that asks others for their rates."""

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None, last_epoch: int = -1
    ) -> None:
        parts = as_schedules(type(self).__name__, schedulers)
        home = parts[0].optimizer if optimizer is None else optimizer
        strangers = [i for i, part in enumerate(parts) if part.optimizer is not home]
        if strangers:
            raise ValueError(
                f"{type(self).__name__}: all schedules must be of one optimizer. Received: schedule {strangers[0]} "
                "of another"
            )
        self._schedulers = parts
        super().__init__(home, last_epoch)

    @override
    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "_schedulers": [part.state_dict() for part in self._schedulers]}

    @override
    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        states = state_dict.get("_schedulers", [])
        if len(states) != len(self._schedulers):
            raise StateDictError(
                f"load_state_dict: this {type(self).__name__} has {len(self._schedulers)} schedules. "
                f"Received: a state of {len(states)}; nothing was changed"
            )
        for part, state in zip(self._schedulers, states):
            part.load_state_dict(state)
        first = [group["initial_lr"] for group in self.optimizer.param_groups]
        super().load_state_dict({"base_lrs": first, **state_dict})


class SequentialLR(Composite):
    """One schedule after the other: the next begins, at its step 0, at each milestone.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> parts = [
    ...     eg.optim.lr_scheduler.ConstantLR(optimizer, factor=0.25, total_iters=9),
    ...     eg.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5),
    ... ]
    >>> schedule = eg.optim.lr_scheduler.SequentialLR(optimizer, parts, milestones=[2])
    >>> rates = []
    >>> for _ in range(5):
    ...     rates.append(optimizer.lr)
    ...     schedule.step()
    >>> rates
    [0.25, 0.25, 1.0, 0.5, 0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        parts = as_schedules("SequentialLR", schedulers)
        given: list[Any] = list(milestones) if isinstance(milestones, Iterable) else [milestones]  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        for milestone in given:
            need_count("milestones", milestone, 0)
        if len(given) != len(parts) - 1 or given != sorted(given):
            raise ValueError(
                f"milestones: must be {len(parts) - 1} rising steps for {len(parts)} schedules. Received: {given}"
            )
        self._milestones: list[int] = given
        super().__init__(parts, optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        part, local = self._now(epoch)
        return part.at(local, part.base_lrs[group], group)

    @override
    def momentum_at(self, epoch: float, group: int) -> float | None:
        part, local = self._now(epoch)
        return part.momentum_at(local, group)

    def _now(self, epoch: float) -> tuple[LRScheduler, float]:
        i = bisect_right(self._milestones, epoch)
        return self._schedulers[i], epoch - (self._milestones[i - 1] if i else 0)


class ChainedScheduler(Composite):
    """Schedules that act at once: each takes the rate of the one before as its first rate.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> parts = [
    ...     eg.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=1),
    ...     eg.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5),
    ... ]
    >>> schedule = eg.optim.lr_scheduler.ChainedScheduler(parts)
    >>> rates = []
    >>> for _ in range(3):
    ...     rates.append(optimizer.lr)
    ...     schedule.step()
    >>> rates
    [0.5, 0.5, 0.25]
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        super().__init__(schedulers, optimizer)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        for part in self._schedulers:
            base = part.at(epoch, base, group)
        return base

    @override
    def momentum_at(self, epoch: float, group: int) -> float | None:
        found = [part.momentum_at(epoch, group) for part in self._schedulers]
        return next((momentum for momentum in reversed(found) if momentum is not None), None)


class ComposedLR(Composite):
    """The mean ("avg"), sum or product of the factors by which schedules multiply the first rate.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=2.0)
    >>> parts = [eg.optim.lr_scheduler.ExponentialLR(optimizer, gamma=g) for g in (0.5, 0.25)]
    >>> schedule = eg.optim.lr_scheduler.ComposedLR(parts, reduction="avg")
    >>> schedule.step()
    >>> optimizer.lr
    0.75
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], reduction: str = "prod", last_epoch: int = -1
    ) -> None:
        need_choice("reduction", reduction, ("avg", "sum", "prod"))
        self.reduction = reduction
        super().__init__(schedulers, None, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        rates = [part.at(epoch, base, group) for part in self._schedulers]
        if self.reduction == "prod":
            return base * math.prod(rate / base for rate in rates) if base else 0.0
        return sum(rates) / (len(rates) if self.reduction == "avg" else 1)


class WarmupLR(LRScheduler):
    """A line from start_factor times the rate to the rate in `warmup_steps` steps; from there another schedule.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> after = eg.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> schedule = eg.optim.lr_scheduler.WarmupLR(optimizer, 2, start_factor=0.5, after=after)
    >>> rates = []
    >>> for _ in range(5):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [0.5, 0.75, 1.0, 0.5, 0.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        warmup_steps: int,
        start_factor: float = 0.0,
        after: LRScheduler | None = None,
        last_epoch: int = -1,
    ) -> None:
        need_count("warmup_steps", warmup_steps, 0)
        need("start_factor", start_factor, 0)
        self.warmup_steps = warmup_steps
        self.start_factor = start_factor
        if after is not None:
            as_schedules("WarmupLR", [after])
        self._after = after
        super().__init__(optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        top = base if self._after is None else self._after.at(max(epoch - self.warmup_steps, 0), base, group)
        if epoch >= self.warmup_steps:
            return top
        return top * (self.start_factor + (1 - self.start_factor) * epoch / self.warmup_steps)

    @override
    def momentum_at(self, epoch: float, group: int) -> float | None:
        if self._after is None:
            return None
        return self._after.momentum_at(max(epoch - self.warmup_steps, 0), group)
