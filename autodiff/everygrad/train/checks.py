"""What a learner is given, checked before any work."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from everygrad.nn.module import Module
from everygrad.optim.optimizer import Optimizer
from everygrad.optim.options import need, need_choice, need_count
from everygrad.tensor.wrap import is_tensor
from everygrad_ops import DType, DTypeError, as_dtype

if TYPE_CHECKING:
    from everygrad.train.learner import Learner

__all__: list[str] = []


def check_parts(model: Any, optimizer: Any, loss: Any, scheduler: Any, schedule: Any) -> None:
    """Refuse parts that cannot be trained with, and a schedule that would change nothing."""
    if not isinstance(model, Module):
        raise TypeError(f"Learner: model must be a Module. Received: {_kind(model)}; write an eg.nn.Module")
    if not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"Learner: optimizer must be an Optimizer. Received: {_kind(optimizer)}; write eg.optim.AdamW(model.parameters())"
        )
    if loss is not None and not callable(loss):
        raise TypeError(
            f"Learner: loss must be a function of (prediction, target). Received: {_kind(loss)}; write eg.nn.CrossEntropyLoss()"
        )
    need_choice("schedule", schedule, ("epoch", "step"))
    if scheduler is None:
        return
    if not callable(getattr(scheduler, "step", None)):
        raise TypeError(
            f"Learner: scheduler must have a method step. Received: {_kind(scheduler)}; write one of "
            "eg.optim.lr_scheduler, ChainedScheduler([...]) for several"
        )
    if getattr(scheduler, "optimizer", optimizer) is not optimizer:
        raise ValueError(
            "Learner: the scheduler must be of the learner's optimizer. Received: one of another; its steps would "
            "change nothing here. Write the same optimizer in both"
        )
    if schedule == "step" and is_told(scheduler):
        raise ValueError(
            f"Learner: {_kind(scheduler)} is told a number of each epoch. Received: schedule='step'; write schedule='epoch'"
        )


def check_options(accumulate: Any, clip: Any, autocast: Any, seed: Any, monitor: Any) -> None:
    """Refuse options that fail, or mean something else, once training goes on."""
    need_count("accumulate", accumulate)
    if clip is not None and not callable(clip):
        if isinstance(clip, bool):
            raise TypeError(f"clip: must be a number or a function. Received: {clip}; write clip=1.0")
        need("clip", clip, 0, float("inf"))
    if autocast is not None and as_dtype(autocast) not in (DType.bfloat16, DType.float16):
        raise DTypeError(
            f"autocast: must be bfloat16 or float16. Received: {autocast}; write autocast=eg.bfloat16"
        )
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer))):
        raise TypeError(f"seed: must be a whole number. Received: {seed!r}; write seed=0, or leave it out")
    if not isinstance(monitor, str):
        raise TypeError(f"monitor: must be a name. Received: {monitor!r}; write monitor='valid/loss'")


def check_loss(loss: Any) -> None:
    """Refuse what has no gradient to step along."""
    if not is_tensor(loss) or loss.numel() != 1:
        got = f"a Tensor of shape {loss.shape}" if is_tensor(loss) else type(loss).__name__
        raise TypeError(
            f"the loss of a step must be a Tensor with one element. Received: {got}; write loss.mean(), for instance"
        )


def checked_callbacks(callbacks: Any, kind: type) -> list[Any]:
    """A list of callbacks."""
    given: list[Any] = [callbacks] if not isinstance(callbacks, Iterable) else list(callbacks)  # pyright: ignore[reportUnknownArgumentType]  # checked next
    wrong = [one for one in given if not isinstance(one, kind)]
    if wrong or isinstance(callbacks, kind):
        got = _kind(wrong[0] if wrong else callbacks)  # pyright: ignore[reportUnknownArgumentType]  # of anything
        raise TypeError(
            f"callbacks: must be a list of Callbacks. Received: {got}; write callbacks=[eg.train.EarlyStopping()]"
        )
    return given


def check_folder(folder: Any) -> None:
    """Refuse what is no path."""
    if not isinstance(folder, (str, os.PathLike)):
        raise TypeError(f"folder: must be a path. Received: {folder!r}; write folder='run'")


def check_fit(learner: Learner, loaders: Sequence[Any], epochs: Any) -> None:
    """Refuse data that cannot be trained on for so many epochs, and a monitor that nothing will be called."""
    if isinstance(epochs, bool) or not isinstance(epochs, int):
        raise TypeError(f"fit: epochs must be a whole number. Received: {epochs!r}; write epochs=10")
    if epochs < 0:
        raise ValueError(
            f"fit: epochs must be at least 0, and is how many there are in all. Received: {epochs}"
        )
    for name, loader in zip(("training", "validation"), loaders):
        if loader is None and name == "validation":
            continue
        if not hasattr(loader, "__iter__") and not hasattr(loader, "__getitem__"):
            raise TypeError(
                f"fit: the {name} data must give batches. Received: {_kind(loader)}; write eg.data.DataLoader(dataset, batch_size=32)"
            )
        if hasattr(loader, "__next__") and epochs - learner.epoch > 1:
            raise ValueError(
                f"fit: the {name} data must be gone through anew in each epoch. Received: {_kind(loader)}, which is read "
                f"once, for {epochs} epochs; write a DataLoader or a list"
            )
    _check_monitor(learner, with_valid=loaders[1] is not None)


def _check_monitor(learner: Learner, with_valid: bool) -> None:
    needed = learner.scheduler is not None and is_told(learner.scheduler)
    name, there = learner.monitor, learner.names
    if name in there or not (needed or learner.checkpoints is not None):
        return
    if not with_valid and name.startswith("valid/"):
        if needed:
            raise ValueError(
                f"fit: the schedule needs {name!r} of each epoch. Received: no validation data; write "
                "fit(train, valid, ...), or Learner(..., monitor='train/loss')"
            )
        return  # the best epochs are not kept, the last ones are
    raise KeyError(
        f"monitor: must be a number of the epoch. Received: {name!r}; there are: {', '.join(there)}"
    )


def is_told(scheduler: Any) -> bool:
    """Whether the schedule takes a number."""
    code = getattr(getattr(scheduler, "step", None), "__code__", None)
    names: Sequence[str] = code.co_varnames[1 : code.co_argcount] if code is not None else ()
    return bool(names) and names[0] in ("metric", "metrics")


def _kind(value: Any) -> str:
    return "None" if value is None else type(value).__name__
