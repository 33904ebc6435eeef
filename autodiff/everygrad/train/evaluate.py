"""Metrics over a loader."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from everygrad.engine import no_grad
from everygrad.nn.module import Module
from everygrad.tensor.wrap import is_tensor
from everygrad.train.metrics.base import Loss, Metric, StepOutput
from everygrad.train.missing import need
from everygrad.train.modes import in_mode
from everygrad.tree import replace

__all__ = ["Evaluation", "MetricSet", "evaluate"]

Metrics = Mapping[str, Metric] | Iterable[Metric] | None


class MetricSet:
    """Metrics by name, updated together; those of a list are called by their class: TopKAccuracy is "top_k_accuracy".

    >>> import everygrad as eg
    >>> metrics = eg.train.MetricSet([eg.train.TopKAccuracy(2)])
    >>> list(metrics.metrics)
    ['loss', 'top_k_accuracy']
    """

    def __init__(self, metrics: Metrics = None) -> None:
        self.metrics: dict[str, Metric] = {"loss": Loss()}
        self.metrics.update(_named(metrics))
        for name, metric in self.metrics.items():
            if not isinstance(metric, Metric):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
                raise TypeError(
                    f"metrics: {name!r} must be a Metric. Received: {type(metric).__name__}; write eg.train.Accuracy()"
                )

    def fresh(self) -> MetricSet:
        """The same metrics, empty, and none shared with these."""
        made = MetricSet({name: copy.deepcopy(metric) for name, metric in self.metrics.items()})
        for metric in made.metrics.values():
            metric.reset()
        return made

    def observe(self, output: StepOutput) -> None:
        """Take in the output of a step; without a loss there is no loss to count."""
        for name, metric in self.metrics.items():
            if name == "loss" and output.loss is None:
                continue
            metric.observe(output)

    def split(self) -> tuple[dict[str, float], dict[str, Any]]:
        """(the metrics that are numbers, those that are arrays)."""
        found = self.all()
        numbers = {name: float(value) for name, value in found.items() if np.ndim(value) == 0}
        return numbers, {name: value for name, value in found.items() if name not in numbers}

    def numbers(self) -> dict[str, float]:
        """The metrics that are numbers."""
        return self.split()[0]

    def all(self) -> dict[str, Any]:
        """All metrics, arrays too."""
        return {name: metric.compute() for name, metric in self.metrics.items()}

    def running(self) -> dict[str, float]:
        """The loss so far: what is cheap enough to be shown at every step."""
        return {"loss": float(self.metrics["loss"].compute())}


class Evaluation(dict[str, Any]):
    """Metrics by name; `show()` prints a table of them."""

    def __init__(self, name: str, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.name = name

    def show(self, console: Any = None) -> None:
        """Print the numbers as a table; needs rich."""
        table = need("rich.table", "Evaluation.show").Table("metric", self.name)
        for name, value in self.items():
            shown = f"{value:.6g}" if np.ndim(value) == 0 else np.array2string(np.asarray(value), precision=4)
            table.add_row(name, shown)
        (console or need("rich.console", "Evaluation.show").Console()).print(table)


def evaluate(
    model: Any,
    loader: Iterable[Any],
    metrics: Metrics = None,
    loss: Callable[[Any, Any], Any] | None = None,
    *,
    name: str = "evaluation",
) -> Evaluation:
    """The metrics of a model over the (input, target) batches of a loader, in eval mode and without gradients.

    The model comes back in the mode it was in.

    >>> import everygrad as eg
    >>> batches = [(eg.eye(2), eg.tensor([0, 1])), (eg.eye(2), eg.tensor([1, 1]))]
    >>> eg.train.evaluate(eg.nn.Identity(), batches, [eg.train.Accuracy()])
    {'accuracy': 0.75}
    """
    if not isinstance(model, Module):
        raise TypeError(
            f"evaluate: model must be a Module. Received: {type(model).__name__}; write an eg.nn.Module"
        )
    gathered = MetricSet(metrics).fresh()
    with in_mode(model, training=False), no_grad():
        for batch in loader:
            inputs, target = pair(batch)
            prediction = model(inputs)
            found = None if loss is None else loss(prediction, target)
            gathered.observe(plain(StepOutput(found, prediction, target, size_of_batch(target))))
    values = gathered.all()
    if loss is None:
        del values["loss"]
    return Evaluation(name, values)


def pair(batch: Any) -> tuple[Any, Any]:
    """(inputs, target) of a batch; a tensor of two rows is not taken for one."""
    if not isinstance(batch, (tuple, list)) or len(batch) != 2:  # pyright: ignore[reportUnknownArgumentType]  # of anything
        size = f" of {len(batch)}" if isinstance(batch, (tuple, list)) else ""  # pyright: ignore[reportUnknownArgumentType]  # the same
        raise TypeError(
            f"a batch must be a pair (inputs, target). Received: a {type(batch).__name__}{size}; write a dataset of "  # pyright: ignore[reportUnknownArgumentType]  # the same
            "pairs, or a Learner with a train_step of your own"
        )
    inputs, target = batch  # pyright: ignore[reportUnknownVariableType]  # the same
    return inputs, target  # pyright: ignore[reportUnknownVariableType]  # the same


def plain(output: StepOutput) -> StepOutput:
    """The output without a graph: the loss as a float, tensors as constants."""
    if is_tensor(output.loss):
        output.loss = output.loss.item()
    output.prediction = replace(output.prediction, lambda x: x.detach())
    output.target = replace(output.target, lambda x: x.detach())
    return output


def size_of_batch(target: Any) -> int:
    """How many items a target is of: its first dim, or that of its first part."""
    shape = getattr(target, "shape", None)
    if shape is not None:
        return int(shape[0]) if shape else 1
    if isinstance(target, Mapping):
        return size_of_batch(next(iter(target.values()), None))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]  # of anything
    if isinstance(target, tuple):
        return size_of_batch(target[0]) if target else 1  # pyright: ignore[reportUnknownArgumentType]  # of anything
    return len(target) if isinstance(target, list) else 1  # pyright: ignore[reportUnknownArgumentType]  # of anything


def _named(metrics: Any) -> dict[str, Metric]:
    """Metrics by name."""
    if metrics is None:
        return {}
    if isinstance(metrics, Mapping):
        return dict(metrics)  # pyright: ignore[reportUnknownArgumentType]  # checked by the caller
    if not isinstance(metrics, Iterable):
        raise TypeError(
            f"metrics: must be a list of them, or a dictionary by name. Received: {type(metrics).__name__}; "
            "write [eg.train.Accuracy()]"
        )
    found: dict[str, Metric] = {}
    for metric in metrics:  # pyright: ignore[reportUnknownVariableType]  # checked by the caller
        name = _name(metric)
        if name in found:  # else one would take the place of the other without a word
            raise ValueError(
                f"metrics: two of a list must not be of one class. Received: two of {type(metric).__name__}; "  # pyright: ignore[reportUnknownArgumentType]  # the same
                f'write {{"one": ..., "other": ...}}'
            )
        found[name] = metric
    return found


def _name(metric: Any) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", type(metric).__name__).lower()
