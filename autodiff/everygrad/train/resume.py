"""All that a run is between two epochs, as one state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from everygrad.train.history import History

if TYPE_CHECKING:
    from everygrad.train.callbacks import Callback
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


def restore(learner: Learner, state: Any, loaders: Sequence[Any]) -> None:
    """Take over a state; one that does not fit raises, and the model and the optimizer are as they were."""
    _check(learner, state)
    model, optimizer = learner.model, learner.optimizer
    before = model.state_dict(), optimizer.state_dict()
    try:
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        for part, saved in ((learner.scheduler, state["scheduler"]), *zip(loaders, state["loaders"])):
            if saved is not None and hasattr(part, "load_state_dict"):
                part.load_state_dict(saved)
    except Exception:
        model.load_state_dict(before[0])
        optimizer.load_state_dict(before[1])
        raise
    for callback, saved in _pairs(learner.callbacks, state["callbacks"]):
        if saved:
            callback.load_state_dict(saved)
    learner.history = History(state["history"])
    own = state["learner"]
    learner.epoch, learner.step, learner.seed = int(own["epoch"]), int(own["step"]), int(own["seed"])
    learner.stop = bool(own["stop"])


def _check(learner: Learner, state: Any) -> None:
    """Refuse the state of something else."""
    parts = ("model", "optimizer", "scheduler", "loaders", "callbacks", "history", "learner")
    lacking = [key for key in parts if key not in state] if _is_mapping(state) else list(parts)
    if lacking:
        raise ValueError(
            f"resume: must be a checkpoint of a learner. Received: one without {', '.join(lacking)}; write a folder that a "
            "Learner wrote"
        )
    _pairs(learner.callbacks, state["callbacks"])
    if (state["scheduler"] is not None) != hasattr(learner.scheduler, "load_state_dict"):
        had, has = ("one", "none") if state["scheduler"] is not None else ("none", "one")
        raise ValueError(
            f"resume: the rates would be others. Received: a checkpoint with {had} of schedules and a learner with {has}; write "
            "the scheduler that the run began with"
        )


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


def _pairs(callbacks: Sequence[Callback], states: Sequence[Any]) -> list[tuple[Callback, Any]]:
    """Each callback with its state: by place, or, where one that only watches came or went, among those that have a state."""
    if len(callbacks) == len(states):
        return list(zip(callbacks, states))
    having, saved = [c for c in callbacks if c.state_dict()], [s for s in states if s]
    if len(having) != len(saved):
        raise ValueError(
            f"resume: the checkpoint is of a learner with {len(saved)} callbacks that have a state. "
            f"Received: one with {len(having)}; write the same ones in the same order"
        )
    return list(zip(having, saved))


def _state_of(part: Any) -> Any:
    """The state of a part that has one."""
    return part.state_dict() if hasattr(part, "state_dict") else None
