"""What all schedules share: the rate of each step in closed form, and the state."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, cast

from everygrad.nn.state import StateDictError
from everygrad.optim.optimizer import Optimizer

__all__ = ["LRScheduler"]


class LRScheduler(ABC):
    """Sets the learning rate of each parameter group, as a function of how many steps were made.

    The first update runs at the rate of step 0, which the schedule sets when it is made; call `step()`
    after each `optimizer.step`, or after each epoch. A subclass says in `at` what the rate is; it is
    never computed from the rate before, so a resumed run has the same rates as an unbroken one.
    `last_epoch` starts at a later step: a rate that a group had first is remembered in its "initial_lr".

    >>> import everygrad as eg
    >>> class Halving(eg.optim.lr_scheduler.LRScheduler):
    ...     def at(self, epoch, base, group):
    ...         return base * 0.5**epoch
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=8.0)
    >>> schedule = Halving(optimizer)
    >>> for _ in range(3):
    ...     schedule.step()
    >>> optimizer.lr, schedule.get_last_lr(), schedule.last_epoch
    (1.0, [1.0], 3)
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers need not be typed
            raise TypeError(
                f"{type(self).__name__}: optimizer must be an Optimizer. Received: {type(optimizer).__name__}; "
                "write the optimizer first, then what the schedule needs"
            )
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise ValueError(
                    f"{type(self).__name__}: to start at a later step it needs the first rates. Received: "
                    f"last_epoch={last_epoch} and group {i} without 'initial_lr'; load the optimizer's state first"
                )
        self.base_lrs: list[float] = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.step()

    @abstractmethod
    def at(self, epoch: float, base: float, group: int) -> float:
        """The rate of a group at a step, counted from 0, if its first rate is `base`."""

    def momentum_at(self, epoch: float, group: int) -> float | None:
        """The momentum (of Adam's family, the first beta) of a group at a step; None leaves it alone."""
        return None

    def step(self, epoch: float | None = None) -> None:
        """Go one step on, or to a step, and set the rates."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else int(epoch)
        self.put(self.last_epoch if epoch is None else epoch)

    def put(self, epoch: float) -> None:
        """Set the rates of a step."""
        for i, (group, base) in enumerate(zip(self.optimizer.param_groups, self.base_lrs)):
            rate = self.at(epoch, base, i)
            if not isinstance(rate, Real) or not math.isfinite(rate):  # what a function gave, mostly
                raise ValueError(
                    f"{type(self).__name__}: the rate of a step must be a finite number. Received: {rate!r} at step {epoch}; "
                    "look at the function or the factors that it is made of"
                )
            group["lr"] = rate
            momentum = self.momentum_at(epoch, i)
            if momentum is not None:
                put_momentum(group, momentum)

    def get_last_lr(self) -> list[float]:
        """The rate of each group as it is now."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """All that a resumed run needs, except functions that were passed in.

        >>> import everygrad as eg
        >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
        >>> eg.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5).state_dict()
        {'gamma': 0.5, 'base_lrs': [1.0], 'last_epoch': 0, '_last_lr': [1.0]}
        """
        return {**{key: _copied(vars(self)[key]) for key in self._kept()}, "_last_lr": self.get_last_lr()}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from a saved state (torch's too): the rates are set to those of its last step.

        The order of loading the optimizer and the schedule does not matter. Raises `StateDictError`.
        """
        lacking = [key for key in self._kept() if key not in state_dict]
        groups = len(self.optimizer.param_groups)
        if lacking or len(state_dict["base_lrs"]) != groups:
            problem = (
                f"without {', '.join(lacking)}" if lacking else f"of {len(state_dict['base_lrs'])} groups"
            )
            raise StateDictError(
                f"load_state_dict: the state does not fit this {type(self).__name__} of {groups} groups. "
                f"Received: a state {problem}; write schedule.state_dict() of such a schedule. Nothing was changed"
            )
        for key in self._kept():
            setattr(self, key, _copied(state_dict[key]))
        for group, base in zip(self.optimizer.param_groups, self.base_lrs):
            group["initial_lr"] = base
        self.restore(state_dict)

    def restore(self, state_dict: Mapping[str, Any]) -> None:
        """Set the rates after a load."""
        self.put(self.last_epoch)

    def _kept(self) -> list[str]:
        plain = (bool, int, float, str, list, tuple, type(None))
        return [
            key
            for key, value in vars(self).items()
            if not key.startswith("_") and isinstance(value, plain) and not _holds_functions(value)
        ]


def put_momentum(group: dict[str, Any], momentum: float) -> None:
    """Set a group's momentum, or its first beta."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def need_momentum(name: str, optimizer: Optimizer) -> None:
    """Refuse to cycle a momentum that the optimizer has not."""
    if not {"momentum", "betas"} & {*optimizer.defaults}:
        raise ValueError(
            f"{name}: cycles the momentum, and {type(optimizer).__name__} has none. Received: cycle_momentum=True; "
            "write cycle_momentum=False"
        )


def per_group(name: str, value: Any, optimizer: Optimizer) -> list[Any]:
    """One value for each group: given as such, or one for all."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * groups
    given = cast("Sequence[Any]", value)
    if len(given) != groups:
        raise ValueError(f"{name}: one for all groups, or one for each of {groups}. Received: {len(given)}")
    return list(given)


def _copied(value: Any) -> Any:
    if isinstance(value, Counter):
        counted: Any = value  # pyright: ignore[reportUnknownVariableType]  # of anything
        return sorted(counted.elements())  # as torch keeps milestones
    return list(cast("Sequence[Any]", value)) if isinstance(value, (list, tuple)) else value


def _holds_functions(value: Any) -> bool:
    if not isinstance(value, (list, tuple)):
        return False
    return any(callable(v) or isinstance(v, LRScheduler) for v in cast("Sequence[Any]", value))
