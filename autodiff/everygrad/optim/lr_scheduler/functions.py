"""Schedules given by a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from typing_extensions import override

from everygrad.optim.lr_scheduler.scheduler import LRScheduler, per_group
from everygrad.optim.optimizer import Optimizer
from everygrad.optim.options import need_function

__all__ = ["LambdaLR", "MultiplicativeLR"]


class LambdaLR(LRScheduler):
    """The rate times lr_lambda(step); a list has a function for each group.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step))
    >>> rates = []
    >>> for _ in range(3):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [1.0, 0.5, 0.333333]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self.lr_lambdas: list[Callable[[int], float]] = per_group("lr_lambda", lr_lambda, optimizer)
        for function in self.lr_lambdas:
            need_function("lr_lambda", function)
        super().__init__(optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        return base * self.lr_lambdas[group](int(epoch))


class MultiplicativeLR(LRScheduler):
    """The rate times lr_lambda(1) * ... * lr_lambda(step); a list has a function for each group.

    >>> import everygrad as eg
    >>> optimizer = eg.optim.SGD([eg.nn.Parameter([1.0])], lr=1.0)
    >>> schedule = eg.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda step: 0.5)
    >>> rates = []
    >>> for _ in range(3):
    ...     rates.append(round(optimizer.lr, 6))
    ...     schedule.step()
    >>> rates
    [1.0, 0.5, 0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self.lr_lambdas: list[Callable[[int], float]] = per_group("lr_lambda", lr_lambda, optimizer)
        for function in self.lr_lambdas:
            need_function("lr_lambda", function)
        self._products: list[list[float]] = [[1.0] for _ in self.lr_lambdas]
        super().__init__(optimizer, last_epoch)

    @override
    def at(self, epoch: float, base: float, group: int) -> float:
        products = self._products[group]
        while len(products) <= epoch:
            products.append(products[-1] * self.lr_lambdas[group](len(products)))
        return base * products[int(epoch)]
