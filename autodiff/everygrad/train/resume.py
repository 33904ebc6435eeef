"""All that a run is between two epochs, as one state."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from everygrad.nn.module import Module
from everygrad.optim.optimizer import Optimizer
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
    """Take over a state; one that does not fit raises, and every part that had taken its own is as it was."""
    _check(learner, state)
    own, history = state["learner"], History(state["history"])
    epoch, step, seed = (int(own[name]) for name in ("epoch", "step", "seed"))
    stop = bool(own["stop"])
    parts = [(learner.model, state["model"]), (learner.optimizer, state["optimizer"])]
    rest = [(learner.scheduler, state["scheduler"]), *zip(loaders, state["loaders"])]
    parts += [(part, saved) for part, saved in rest if saved is not None and hasattr(part, "load_state_dict")]
    parts += [(part, saved) for part, saved in _pairs(learner.callbacks, state["callbacks"]) if saved]
    _load(parts)
    learner.history, learner.stop = history, stop
    learner.epoch, learner.step, learner.seed = epoch, step, seed


def _load(parts: Sequence[tuple[Any, Any]]) -> None:
    """Each part takes its state, or none does."""
    before: list[Any] = []
    try:
        for part, saved in parts:
            before.append(_kept(part))
            part.load_state_dict(saved)
    except BaseException:  # whatever stops it, Ctrl-C too: it is raised again
        for (part, _), state in zip(parts, before):
            # One that takes no state at all fails here as well: the first error is the one to tell.
            with contextlib.suppress(Exception):
                part.load_state_dict(state)
        raise


def _kept(part: Any) -> Any:
    """A state that what follows leaves alone: arrays are never changed, anything else may be."""
    state = part.state_dict()
    return state if isinstance(part, (Module, Optimizer)) else copy.deepcopy(state)


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
