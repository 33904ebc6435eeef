"""Metrics over a loader."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from everygrad.engine import no_grad
from everygrad.tensor.wrap import is_tensor
from everygrad.train.metrics.base import Loss, Metric, StepOutput
from everygrad.train.missing import need
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

    def numbers(self) -> dict[str, float]:
        """The metrics that are numbers."""
        return {name: float(value) for name, value in self.all().items() if np.ndim(value) == 0}

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
    gathered = MetricSet(metrics).fresh()
    with evaluating(model), no_grad():
        for batch in loader:
            inputs, target = batch
            prediction = model(inputs)
            found = None if loss is None else loss(prediction, target)
            gathered.observe(plain(StepOutput(found, prediction, target, size_of_batch(target))))
    values = gathered.all()
    if loss is None:
        del values["loss"]
    return Evaluation(name, values)


class evaluating:
    """Inside the block the modules are in eval mode; after it each is in the mode it was in."""

    def __init__(self, model: Any) -> None:
        self.modes = [(module, module.training) for module in model.modules()]

    def __enter__(self) -> None:
        for module, _ in self.modes:
            module.training = False

    def __exit__(self, *args: object) -> None:
        for module, mode in self.modes:
            module.training = mode


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
    if hasattr(metrics, "items"):
        return dict(metrics)
    return {_name(metric): metric for metric in metrics or ()}


def _name(metric: Any) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", type(metric).__name__).lower()
