"""What is called while a learner trains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from everygrad.optim.options import need, need_count
from everygrad.train.history import checked_mode, is_better
from everygrad.train.metrics.base import StepOutput

if TYPE_CHECKING:
    from everygrad.train.learner import Learner

__all__ = ["Callback", "EarlyStopping"]


class Callback:
    """Write the methods that are wanted; all do nothing here. Set `learner.stop = True` to end after the epoch.

    >>> import everygrad as eg
    >>> class Tell(eg.train.Callback):
    ...     def on_epoch_end(self, learner, row):
    ...         print("epoch", row["epoch"], "is over")
    """

    def on_fit_begin(self, learner: Learner) -> None:
        """Training begins, or goes on after a resume."""

    def on_epoch_begin(self, learner: Learner) -> None:
        """An epoch begins."""

    def on_step(self, learner: Learner, output: StepOutput) -> None:
        """A batch was trained on; `output` holds plain numbers and no graph."""

    def on_epoch_end(self, learner: Learner, row: Mapping[str, Any]) -> None:
        """An epoch is over, also its validation; `row` holds its numbers."""

    def on_fit_end(self, learner: Learner) -> None:
        """Training is over, or was interrupted."""

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run needs, in plain values and tensors."""
        return {}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from a state."""


class EarlyStopping(Callback):
    """Stops when a number has not become better by more than `min_delta` for `patience` epochs.

    The first `warmup` epochs do not count. `monitor` is a name in the history, such as "valid/loss"; `mode` says whether
    smaller ("min") or larger ("max") is better. `restore_best` loads the weights of the best epoch at the end, for which
    the learner needs a folder.

    >>> import everygrad as eg
    >>> stopping = eg.train.EarlyStopping("valid/accuracy", "max", patience=3)
    """

    def __init__(
        self,
        monitor: str = "valid/loss",
        mode: str = "min",
        patience: int = 5,
        *,
        min_delta: float = 0.0,
        warmup: int = 0,
        restore_best: bool = False,
    ) -> None:
        need_count("patience", patience)
        need_count("warmup", warmup, 0)
        need("min_delta", min_delta, 0)
        self.monitor, self.mode, self.patience = monitor, checked_mode(mode), patience
        self.min_delta, self.warmup, self.restore_best = min_delta, warmup, restore_best
        self.best, self.since = math.nan, 0

    @override
    def on_fit_begin(self, learner: Learner) -> None:
        """Say what would only be found out after the first epoch, or the last one."""
        if self.monitor not in learner.names:
            raise self._unknown(learner.names)
        kept = learner.checkpoints
        if self.restore_best and (
            kept is None or (kept.monitor, kept.mode) != (self.monitor, self.mode) or not kept.keep_best
        ):
            given = (
                "no folder"
                if kept is None
                else f"monitor={kept.monitor!r}, mode={kept.mode!r}, keep_best={kept.keep_best}"
            )
            raise ValueError(
                f"EarlyStopping: restore_best needs a learner that keeps the epoch best in {self.monitor!r}. Received: {given}; "
                f"write Learner(..., folder=..., monitor={self.monitor!r}, mode={self.mode!r}, keep_best=1)"
            )

    def _unknown(self, names: Iterable[str]) -> KeyError:
        return KeyError(
            f"EarlyStopping: no numbers called {self.monitor!r}. There are: {', '.join(names)}; write monitor=..."
        )

    @override
    def on_epoch_end(self, learner: Learner, row: Mapping[str, Any]) -> None:
        if self.monitor not in row:
            raise self._unknown(row)
        if is_better(row[self.monitor], self.best, self.mode, self.min_delta):
            self.best, self.since = row[self.monitor], 0
        elif row["epoch"] > self.warmup:
            self.since += 1
        if self.since >= self.patience:
            learner.stop = True

    @override
    def on_fit_end(self, learner: Learner) -> None:
        if self.restore_best and not learner.interrupted and len(learner.history):
            learner.load_best(self.monitor, self.mode)

    @override
    def state_dict(self) -> dict[str, Any]:
        return {"best": self.best, "since": self.since}

    @override
    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        self.best, self.since = float(state_dict["best"]), int(state_dict["since"])
