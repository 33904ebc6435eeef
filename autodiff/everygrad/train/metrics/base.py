"""What a metric is: numbers gathered on the host, in float64, and never a tensor with a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from everygrad.tensor.convert import values
from everygrad.tensor.wrap import is_tensor
from everygrad_ops import ShapeError

__all__ = ["Loss", "Mean", "Metric", "StepOutput"]

Array = NDArray[Any]


@dataclass
class StepOutput:
    """What one step showed: the loss, what the model said, what was right, and of how many items."""

    loss: Any = None
    prediction: Any = None
    target: Any = None
    size: int = 1
    lr: float = float("nan")
    """The learning rate of the step; the learner fills it in."""


class Metric:
    """A number about predictions, gathered batch by batch: write `update`, `compute` and `reset`.

    `observe` is what a learner calls with the output of each step; it hands prediction and target to `update`.
    `higher_is_better` says which way is better, None where neither is.

    >>> import everygrad as eg
    >>> class Longest(eg.train.Metric):
    ...     def reset(self):
    ...         self.longest = 0
    ...     def update(self, prediction, target):
    ...         self.longest = max(self.longest, len(prediction))
    ...     def compute(self):
    ...         return self.longest
    >>> metric = Longest()
    >>> metric.update("abc", None)
    >>> metric.compute()
    3
    """

    higher_is_better: bool | None = True

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything: an epoch begins."""
        raise NotImplementedError(
            f"{type(self).__name__} has no reset. Write one that empties what update gathers"
        )

    def update(self, prediction: Any, target: Any) -> None:
        """Take in a batch."""
        raise NotImplementedError(
            f"{type(self).__name__} has no update. Write `def update(self, prediction, target)`"
        )

    def compute(self) -> Any:
        """The metric over all that was taken in: a number, or an array; NaN where nothing was."""
        raise NotImplementedError(f"{type(self).__name__} has no compute. Write one that returns a number")

    def observe(self, output: StepOutput) -> None:
        """Take in the output of a step."""
        self.update(output.prediction, output.target)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Quotient(Metric):
    """A metric that is a total over a count: `update` adds to both."""

    @override
    def reset(self) -> None:
        self.total: float = 0
        self.count: float = 0

    @override
    def compute(self) -> float:
        return self.total / self.count if self.count else float("nan")


class Mean(Quotient):
    """The mean of numbers, each weighted by how many items it stands for.

    >>> import everygrad as eg
    >>> mean = eg.train.Mean()
    >>> mean.update(1.0, 3)
    >>> mean.update(5.0, 1)
    >>> mean.compute()
    2.0
    """

    higher_is_better: bool | None = None

    @override
    def update(self, prediction: Any, target: Any = 1) -> None:
        weight = float(target)
        if weight:  # the mean of a batch of nothing is NaN, and counts for nothing
            self.total += float(prediction) * weight
            self.count += weight


class Loss(Mean):
    """The mean loss of an item: of a loss that is a mean over its batch, that of all items."""

    higher_is_better: bool | None = False

    @override
    def observe(self, output: StepOutput) -> None:
        self.update(output.loss, output.size)


def host(x: Any) -> Array:
    """The values of a tensor, array or list, for counting."""
    return values(x) if is_tensor(x) else np.asarray(x)


def floats(x: Any) -> Array:
    """The same in float64."""
    return host(x).astype(np.float64)


def need_alike(name: str, x: Array, y: Array) -> None:
    """Refuse prediction and target of unequal shapes: stretching one would count items that are not there."""
    if x.shape != y.shape:
        raise ShapeError(
            f"{name}: prediction and target must have one shape. Received: {x.shape} and {y.shape}"
        )


def ratio(part: Any, whole: Any, empty: float = float("nan")) -> Any:
    """part / whole, and `empty` where whole is 0."""
    whole = np.asarray(whole, np.float64)
    return np.where(whole > 0, np.asarray(part, np.float64) / np.where(whole > 0, whole, 1), empty)
