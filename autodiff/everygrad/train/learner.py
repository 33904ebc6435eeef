"""The learner: the loop everybody writes, with checkpoints, logs and progress."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from everygrad.autocast import autocast as autocasting
from everygrad.data.seeds import chosen_seed, derive_seed, seeded_everywhere
from everygrad.engine import no_grad
from everygrad.nn.module import Module
from everygrad.optim.optimizer import Optimizer
from everygrad.train.accumulate import GradientAccumulator
from everygrad.train.callbacks import Callback
from everygrad.train.checkpoints import Checkpoints
from everygrad.train.checks import (
    check_fit,
    check_folder,
    check_loss,
    check_options,
    check_parts,
    checked_callbacks,
    is_told,
)
from everygrad.train.evaluate import Evaluation, Metrics, MetricSet, pair, plain, size_of_batch
from everygrad.train.history import History
from everygrad.train.interrupt import Interrupt
from everygrad.train.logs import HistoryLog
from everygrad.train.metrics.base import StepOutput
from everygrad.train.modes import in_mode
from everygrad.train.progress import Renderer, renderer_for
from everygrad.train.resume import restore, snapshot
from everygrad_ops import DType, EverygradError

__all__ = ["Learner", "TrainingError"]


class TrainingError(EverygradError, ArithmeticError):
    """A loss that is NaN or infinite: training on would destroy the weights."""


class Learner:
    """Trains a model; every part may be overridden in a subclass, and the loop left for one's own at any time.

    `train_step`, `valid_step` and `optimize` hold all that a training of another kind changes. What it trains is
    `model` and `optimizer` as they were given: nothing is wrapped, and nothing is lost by going on without it.

    Arguments:
        model, optimizer: what is trained, and how.
        loss: loss(prediction, target) of a batch (inputs, target), a mean over its items.
        metrics: metrics by name, or a list of them; the loss is always there.
        scheduler: anything with `step()`, called after each epoch, or each step with `schedule="step"`; one that
            takes a number gets that of `monitor` after each epoch.
        accumulate: batches whose gradients make one step, weighted by their sizes; what is left at the end of an
            epoch makes a step too.
        clip: clip(gradients by parameter) -> the gradients to step with; a number is the largest global norm.
        autocast: a dtype that matrix products and convolutions compute in; the weights stay as they are.
        callbacks: called at every turn, see `Callback`.
        folder: where checkpoints and log.jsonl go; None keeps nothing. `keep_last`, `keep_best`, `monitor` and
            `mode` say which checkpoints stay.
        seed: of all draws, together with the epoch; None takes one from the current generator.
        progress: True for bars, False for nothing, None for bars in a terminal and lines elsewhere, or a Renderer.

    >>> import everygrad as eg
    >>> model = eg.nn.Linear(1, 1)
    >>> learner = eg.train.Learner(model, eg.optim.SGD(model.parameters(), lr=0.1), eg.nn.MSELoss(), progress=False)
    >>> x = eg.tensor([[0.0], [1.0]])
    >>> history = learner.fit([(x, 2 * x + 1)], epochs=200)
    >>> history[-1]["train/loss"] < 1e-4, round(model.bias.item(), 1)
    (True, 1.0)
    """

    def __init__(
        self,
        model: Module,
        optimizer: Optimizer,
        loss: Callable[[Any, Any], Any] | None = None,
        *,
        metrics: Metrics = None,
        scheduler: Any = None,
        schedule: str = "epoch",
        accumulate: int = 1,
        clip: float | Callable[[Any], Any] | None = None,
        autocast: DType | None = None,
        callbacks: Iterable[Callback] = (),
        folder: str | Path | None = None,
        keep_last: int = 2,
        keep_best: int = 1,
        monitor: str = "valid/loss",
        mode: str = "min",
        seed: int | None = None,
        progress: bool | Renderer | None = None,
    ) -> None:
        check_parts(model, optimizer, loss, scheduler, schedule)
        check_options(accumulate, clip, autocast, seed, monitor)
        self.model, self.optimizer, self.loss = model, optimizer, loss
        self.metrics = MetricSet(metrics)
        self.scheduler, self.schedule = scheduler, schedule
        self.accumulator, self.accumulate = GradientAccumulator(optimizer.params), accumulate
        self.clip, self.autocast = clip, autocast
        self.callbacks = checked_callbacks(callbacks, Callback)
        self.monitor = monitor
        self.checkpoints: Checkpoints | None = None
        if folder is not None:
            check_folder(folder)
            kept = {"keep_last": keep_last, "keep_best": keep_best, "monitor": monitor, "mode": mode}
            self.checkpoints = Checkpoints(Path(folder) / "checkpoints", **kept)  # type: ignore[arg-type]  # each is of its type
            self.callbacks.append(HistoryLog(Path(folder) / "log.jsonl"))
        self.seed = chosen_seed(seed)
        self.renderer = renderer_for(progress)
        self.history = History()
        self.arrays: dict[str, Any] = {}
        """The metrics of the last epoch that are arrays, such as a confusion matrix."""
        self.epoch = self.step = 0
        self.stop = self.interrupted = False
        self.splits: tuple[str, ...] = ("train", "valid")

    @property
    def names(self) -> list[str]:
        """What an epoch has numbers of: what may be monitored."""
        return [*(f"{split}/{name}" for split in self.splits for name in self.metrics.metrics), "seconds"]

    # What a training of another kind overrides.

    def train_step(self, batch: Any) -> StepOutput:
        """The loss of a batch, with its graph."""
        inputs, target = pair(batch)
        prediction = self.model(inputs)
        if self.loss is None:
            raise ValueError(
                "Learner: needs a loss. Received: None; write Learner(..., loss=...), or train_step"
            )
        return StepOutput(self.loss(prediction, target), prediction, target, size_of_batch(target))

    def valid_step(self, batch: Any) -> StepOutput:
        """The same in eval mode and without gradients."""
        return self.train_step(batch)

    def optimize(self, grads: Any) -> None:
        """One step of the optimizer."""
        if callable(self.clip):
            grads = self.clip({p: grads.get(p) for p in self.optimizer.params})
        elif self.clip is not None:
            from everygrad import optim

            grads, _ = optim.clip_grad_norm({p: grads.get(p) for p in self.optimizer.params}, self.clip)
        self.optimizer.step(grads)

    # The loop.

    def fit(
        self,
        train: Iterable[Any],
        valid: Iterable[Any] | None = None,
        epochs: int = 1,
        *,
        resume: bool = False,
    ) -> History:
        """Train until `epochs` epochs are over in all, and return the history.

        With `resume` it goes on from the newest checkpoint of the folder, if there is one; the run then equals one
        that was never broken, bit for bit on the same backend. Ctrl-C stops after the step, twice at once. Draws of Python's,
        NumPy's and everygrad's generators are a function of (seed, epoch) inside; those outside are left alone. Each epoch
        begins in training mode, and validates in eval mode; at the end each module is in the mode it was in before. A part that
        is to stay in eval mode is put there by a callback's `on_epoch_begin`.
        """
        self.splits = ("train",) if valid is None else ("train", "valid")
        check_fit(self, (train, valid), epochs)
        self.stop = self.interrupted = False
        resumed = resume and self.resume(train, valid)
        if self.checkpoints is not None and self.epoch == 0 and not resumed:
            self.checkpoints.begin(snapshot(self, (train, valid)))
        with Interrupt() as interrupt, contextlib.ExitStack() as after:
            after.enter_context(in_mode(self.model, training=True))
            self._call("on_fit_begin")
            self.renderer.begin(self.epoch, epochs)
            after.callback(lambda: self.renderer.end(self.history))
            while self.epoch < epochs and not self.stop and not self.interrupted:
                with seeded_everywhere(derive_seed(self.seed, self.epoch)):
                    self._one_epoch(train, valid, interrupt)
        self._call("on_fit_end")
        return self.history

    def _one_epoch(self, train: Iterable[Any], valid: Iterable[Any] | None, interrupt: Interrupt) -> None:
        begin = time.perf_counter()
        self.accumulator.clear()  # what an epoch that was broken off left there is not this one's
        self.model.train()
        self._call("on_epoch_begin")
        row: dict[str, Any] = {"epoch": self.epoch + 1}
        for name, loader, run in (("train", train, self._train), ("valid", valid, self._validate)):
            if loader is None:
                continue
            gathered = self.metrics.fresh()
            output: StepOutput | None = None
            for batch in self._batches(name, loader):
                output = run(batch)
                gathered.observe(output)
                self.renderer.step(gathered.running())
                if name == "train":
                    self._call("on_step", output)
                if interrupt.asked:
                    self.interrupted = True
                    self.renderer.say(self._farewell())
                    return
            if name == "train" and output is None:
                raise ValueError(
                    f"fit: the training data must have a batch. Received: {type(loader).__name__} that gave none in "
                    f"epoch {self.epoch + 1}; write a DataLoader or a list, since a generator is read once"
                )
            if name == "train" and self.accumulator.batches:
                self._update(self.accumulator.take())
            numbers, arrays = gathered.split()
            row.update({f"{name}/{key}": value for key, value in numbers.items()})
            self.arrays.update({f"{name}/{key}": value for key, value in arrays.items()})
        if self.scheduler is not None and self.schedule == "epoch":
            self._schedule(row)
        row["seconds"] = time.perf_counter() - begin
        self.epoch += 1
        self.history.append(row)
        self._call("on_epoch_end", row)
        if self.checkpoints is not None:
            self.checkpoints.save(self.epoch, snapshot(self, (train, valid)), self.history)
        self.renderer.epoch(row)

    def _batches(self, name: str, loader: Any) -> Iterable[Any]:
        if hasattr(loader, "set_epoch"):
            loader.set_epoch(self.epoch)
        size: Callable[[], int] | None = getattr(loader, "__len__", None)
        steps = None
        if size is not None:
            with contextlib.suppress(TypeError):
                steps = size()
        self.renderer.split(name, self.epoch + 1, steps)
        batches: Iterable[Any] = loader
        return batches

    def _train(self, batch: Any) -> StepOutput:
        rate = float(self.optimizer.param_groups[0]["lr"])
        with self._precision():
            output = self.train_step(batch)
        loss = output.loss
        check_loss(loss)
        output = plain(output)
        if not math.isfinite(output.loss):
            raise TrainingError(
                f"the loss must be finite. Received: {output.loss} in epoch {self.epoch + 1} at step {self.step + 1}; "
                "write eg.debug.anomaly() around the step to find the first op, a lower lr, or clip=1.0"
            )
        grads = loss.backward()
        del loss
        if self.accumulate == 1:
            self._update(grads)
        else:
            self.accumulator.add(grads, output.size)
            if self.accumulator.batches == self.accumulate:
                self._update(self.accumulator.take())
        output.lr = rate
        return output

    def _update(self, grads: Any) -> None:
        self.optimize(grads)
        self.step += 1
        if self.scheduler is not None and self.schedule == "step":
            self.scheduler.step()

    def _validate(self, batch: Any) -> StepOutput:
        with in_mode(self.model, training=False), no_grad(), self._precision():
            output = plain(self.valid_step(batch))
        output.lr = float(self.optimizer.param_groups[0]["lr"])
        return output

    def _precision(self) -> contextlib.AbstractContextManager[Any]:
        return contextlib.nullcontext() if self.autocast is None else autocasting(self.autocast)

    def _schedule(self, row: Mapping[str, Any]) -> None:
        """One step of the schedule; one on a plateau is told the number that it watches."""
        if not is_told(self.scheduler):
            self.scheduler.step()
            return
        if self.monitor not in row:
            raise KeyError(
                f"monitor: the schedule watches a number of the epoch. Received: {self.monitor!r}; "
                f"there are: {', '.join(row)}"
            )
        self.scheduler.step(row[self.monitor])

    def _call(self, name: str, *args: Any) -> None:
        for callback in self.callbacks:
            getattr(callback, name)(self, *args)

    def _farewell(self) -> str:
        kept = f"epoch {self.epoch}" if self.epoch else "the beginning"
        then = f"{kept} is kept: go on with fit(..., resume=True)" if self.checkpoints else "nothing is kept"
        return f"interrupted in epoch {self.epoch + 1}, after step {self.step}; {then}"

    # Afterwards.

    def resume(self, *loaders: Any) -> bool:
        """Take over the newest checkpoint of the folder, and its order of the data by the loaders; False if there is none."""
        if self.checkpoints is None:
            raise ValueError(
                "resume: needs a folder with checkpoints. Received: folder=None; write Learner(..., folder=...)"
            )
        state = self.checkpoints.latest()
        if state is None:
            return False
        restore(self, state, loaders)
        return True

    def load_best(self, monitor: str | None = None, mode: str | None = None) -> int:
        """Load the model's weights of the best epoch that was kept, and return its number."""
        if self.checkpoints is None:
            raise ValueError(
                "load_best: needs a folder with checkpoints. Received: folder=None; write Learner(..., folder=...)"
            )
        there = set(self.checkpoints.epochs())
        ranked = self.history.ranked(monitor or self.monitor, mode or self.checkpoints.mode)
        best = next((int(row["epoch"]) for row in ranked if row["epoch"] in there), None)
        if not ranked and len(self.history):
            self.history.best(monitor or self.monitor)  # raises: NaN in every epoch
        if best is None:
            raise FileNotFoundError(
                f"load_best: no checkpoint of any epoch in {self.checkpoints.folder}. Write keep_best=1"
            )
        self.model.load_state_dict(self.checkpoints.load(best)["model"])
        return best

    def evaluate(self, loader: Iterable[Any], name: str = "test") -> Evaluation:
        """The loss and the metrics over a loader, by `valid_step`; `.show()` prints them as a table."""
        gathered = self.metrics.fresh()
        for batch in loader:
            gathered.observe(self._validate(batch))
        return Evaluation(name, gathered.all())
