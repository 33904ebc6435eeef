"""Gradients of several batches as those of one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from everygrad.nn.parameter import Parameter
from everygrad.optim.options import need
from everygrad.tensor import Tensor

__all__ = ["GradientAccumulator"]


class GradientAccumulator:
    """The mean of the gradients of several batches, each weighted by its size: that of one batch of all their items.

    That holds for losses that are means over the items of a batch.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([1.0])
    >>> gathered = eg.train.GradientAccumulator([p])
    >>> for x in (eg.tensor([1.0, 2.0]), eg.tensor([6.0])):
    ...     gathered.add((p * x).mean().backward(), size=len(x))
    >>> gathered.take()[p].item()
    3.0
    """

    def __init__(self, params: Iterable[Parameter]) -> None:
        given: list[Any] = list(params) if isinstance(params, Iterable) else [params]  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        wrong = [type(p).__name__ for p in given if not isinstance(p, Parameter)]
        if wrong or not given:
            got = wrong[0] if wrong else "none"
            raise TypeError(
                f"GradientAccumulator: takes parameters. Received: {got}; write GradientAccumulator(model.parameters())"
            )
        self.params: list[Parameter] = given
        self._sums: dict[Parameter, Tensor] = {}
        self._size = 0.0
        self.batches = 0

    def add(self, grads: Any, size: float = 1) -> None:
        """Take in the gradients of a batch of `size` items."""
        need("size", size, 0)
        if not hasattr(grads, "get"):
            raise TypeError(
                f"add: takes what backward() returned, or a dictionary by parameter. Received: {type(grads).__name__}; write "
                "add(loss.backward(), size=len(x))"
            )
        self._size += size
        self.batches += 1
        for p in self.params:
            gradient = grads.get(p)
            if gradient is not None:
                scaled = gradient.detach() * size
                self._sums[p] = self._sums[p] + scaled if p in self._sums else scaled

    def take(self) -> dict[Parameter, Tensor]:
        """The gradients by parameter, for `optimizer.step`; then begin anew."""
        if not self.batches:
            raise ValueError(
                "take: needs gradients. Received: none since the last call; write add(grads, size) first"
            )
        found = {p: total / self._size for p, total in self._sums.items()}
        self.clear()
        return found

    def clear(self) -> None:
        """Forget what was added since the last `take`."""
        self._sums, self._size, self.batches = {}, 0.0, 0
