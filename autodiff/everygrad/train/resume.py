"""All that a run is between two epochs, as one state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from everygrad.train.history import History

if TYPE_CHECKING:
    from everygrad.train.learner import Learner

__all__: list[str] = []


def snapshot(learner: Learner, loaders: Sequence[Any]) -> dict[str, Any]:
    """The state after an epoch. Draws need none: they are a function of the seed and the epoch."""
    return {
        "model": learner.model.state_dict(),
        "optimizer": learner.optimizer.state_dict(),
        "scheduler": _state_of(learner.scheduler),
        "loaders": [_state_of(loader) for loader in loaders],
        "callbacks": [callback.state_dict() for callback in learner.callbacks],
        "history": learner.history.rows,
        "learner": {"epoch": learner.epoch, "step": learner.step, "seed": learner.seed, "stop": learner.stop},
    }


def restore(learner: Learner, state: Mapping[str, Any], loaders: Sequence[Any]) -> None:
    """Take over a state; what does not fit raises before the learner's own numbers change."""
    if len(state["callbacks"]) != len(learner.callbacks):
        raise ValueError(
            f"resume: the checkpoint is of a learner with {len(state['callbacks'])} callbacks. "
            f"Received: one with {len(learner.callbacks)}; write the same ones in the same order"
        )
    learner.model.load_state_dict(state["model"])
    learner.optimizer.load_state_dict(state["optimizer"])
    for part, saved in ((learner.scheduler, state["scheduler"]), *zip(loaders, state["loaders"])):
        if saved is not None and hasattr(part, "load_state_dict"):
            part.load_state_dict(saved)
    for callback, saved in zip(learner.callbacks, state["callbacks"]):
        if saved:
            callback.load_state_dict(saved)
    learner.history = History(state["history"])
    own = state["learner"]
    learner.epoch, learner.step, learner.seed = int(own["epoch"]), int(own["step"]), int(own["seed"])
    learner.stop = bool(own["stop"])


def _state_of(part: Any) -> Any:
    """The state of a part that has one."""
    return part.state_dict() if hasattr(part, "state_dict") else None
