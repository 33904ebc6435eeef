"""The 1cycle policy."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from everygrad.optim.lr_scheduler.cosine import along
from everygrad.optim.lr_scheduler.scheduler import LRScheduler, need_momentum, per_group
from everygrad.optim.optimizer import Optimizer
from everygrad.optim.options import need_choice, need_count, need_finite, need_switch

__all__ = ["OneCycleLR"]


class OneCycleLR(LRScheduler):
    """Up to `max_lr` in the first `pct_start` of all steps, then down to far below where it began.

    It begins at max_lr / div_factor and ends at that over `final_div_factor`; with `three_phase` it comes back to
    where it began as fast as it rose, and falls further after. Say how long it lasts by `total_steps`, or by
    `epochs` and `steps_per_epoch`. With `cycle_momentum` the momentum goes the other way.

    Source: Smith, Topin, "Super-convergence: very fast training of neural networks using large learning rates", 2019.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.OneCycleLR(optimizer, 1.0, 6, pct_start=0.5, cycle_momentum=False, div_factor=4.0)
    >>> rates = []
    >>> for _ in range(5):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [0.25, 0.625, 1.0, 0.750006, 0.250019]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.total_steps = _length(total_steps, epochs, steps_per_epoch)
        need_choice("anneal_strategy", anneal_strategy, ("cos", "linear"))
        need_finite(pct_start=pct_start)
        for name, factor in (("div_factor", div_factor), ("final_div_factor", final_div_factor)):
            need_finite(**{name: factor})
            if factor <= 0:
                raise ValueError(f"{name}: must be above 0. Received: {factor!r}; write {name}=25.0")
        need_switch("cycle_momentum", cycle_momentum)
        need_switch("three_phase", three_phase)
        if not 0 <= pct_start <= 1:
            raise ValueError(f"pct_start: must be from 0 to 1. Received: {pct_start!r}")
        if cycle_momentum:
            need_momentum("OneCycleLR", optimizer)
        self.pct_start = pct_start
        self.anneal_strategy = anneal_strategy
        self.cycle_momentum = cycle_momentum
        self.three_phase = three_phase
        self.max_lrs: list[float] = per_group("max_lr", max_lr, optimizer)
        self.base_momentums: list[float] = per_group("base_momentum", base_momentum, optimizer)
        self.max_momentums: list[float] = per_group("max_momentum", max_momentum, optimizer)
        self.final_div_factor = final_div_factor
        for high, low, top in zip(self.max_lrs, self.base_momentums, self.max_momentums):
            need_finite(max_lr=high, base_momentum=low, max_momentum=top)
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, self.max_lrs):
                group["initial_lr"] = high / div_factor
        super().__init__(optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        high, end = self.max_lrs[group], base / self.final_div_factor
        return self._between(epoch, [base, high, base, end] if self.three_phase else [base, high, end])

    @override
    def momentum_at(self, epoch: float, group: int) -> float | None:
        if not self.cycle_momentum:
            return None
        low, high = self.base_momentums[group], self.max_momentums[group]
        return self._between(epoch, [high, low, high, high] if self.three_phase else [high, low, high])

    def _between(self, epoch: float, values: list[float]) -> float:
        """The value at a step, of a line through `values` at the ends of the phases.

        A loop that calls `step()` after each of its batches comes one further than the last: the rate stays there.
        """
        if epoch > self.total_steps:
            raise ValueError(
                f"OneCycleLR: the cycle is over after {self.total_steps} steps. Received: step {epoch}; "
                "write the number of all steps as total_steps"
            )
        rise, last = self.pct_start * self.total_steps - 1, self.total_steps - 1
        epoch = min(epoch, last)
        ends = [0, rise, 2 * rise, last] if self.three_phase else [0, rise, last]
        phase = next((i for i in range(1, len(ends)) if epoch <= ends[i]), len(ends) - 1)
        start, end = ends[phase - 1], ends[phase]
        share = (epoch - start) / (end - start) if end != start else 1.0
        if self.anneal_strategy == "cos":
            return along(values[phase], values[phase - 1], share)
        return values[phase - 1] + (values[phase] - values[phase - 1]) * share


def _length(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    if total_steps is not None:
        need_count("total_steps", total_steps)
        return total_steps
    if epochs is None or steps_per_epoch is None:
        raise ValueError(
            "OneCycleLR: needs its length. Received: neither total_steps nor both epochs and steps_per_epoch; "
            "write total_steps=epochs * len(loader)"
        )
    need_count("epochs", epochs)
    need_count("steps_per_epoch", steps_per_epoch)
    return epochs * steps_per_epoch
