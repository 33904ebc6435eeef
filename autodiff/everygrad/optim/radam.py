"""RAdam: Adam with a rectified variance."""

from __future__ import annotations

import math
from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need, need_betas
from everygrad.optim.weight_decay import decayed
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["RAdam"]

A = TypeVar("A")


class RAdam(Optimizer):
    """Adam that trusts the mean square only once it is of enough steps.

    With r = 2 / (1 - b2) - 1 and r(t) = r - 2 * t * b2**t / (1 - b2**t): where r(t) > 5, Adam's step times
    sqrt((r(t) - 4) (r(t) - 2) r / ((r - 4) (r - 2) r(t))); before, a step along the mean gradient alone.
    `weight_decay` adds weight_decay * x to g, or with `decoupled_weight_decay` shrinks x by lr * weight_decay.

    Source: Liu et al., "On the variance of the adaptive learning rate and beyond", 2020.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([1.0])
    >>> optimizer = eg.optim.RAdam([p], lr=0.25)
    >>> optimizer.step([eg.full((1,), 2.0)])
    >>> round(p.item(), 6)
    0.5
    """

    arrays: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_avg_sq")
    counts: ClassVar[tuple[str, ...]] = ("step",)

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        switches = {"decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize}
        super().__init__(params, {**options, **switches})

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        need_betas(options["betas"], (0.9, 0.999))
        need("eps", options["eps"], 0)
        need("weight_decay", options["weight_decay"], 0)

    @override
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        x, g = decayed(b, x, g, options)
        (beta1, beta2), step = options["betas"], state["step"] + 1
        mean = b.lerp_(state["exp_avg"], g, 1 - beta1)
        square = b.addcmul_(b.mul_(state["exp_avg_sq"], beta2), g, g, 1 - beta2)
        new = {"step": step, "exp_avg": mean, "exp_avg_sq": square}
        rate, rest = options["lr"] / (1 - beta1**step), 1 - beta2**step
        limit = 2 / (1 - beta2) - 1
        length = limit - 2 * step * beta2**step / rest
        if length <= 5:
            return b.add_(x, mean, -rate), new
        trust = (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
        scale = b.add_(b.sqrt(square), options["eps"])
        return b.addcdiv_(x, mean, scale, -rate * math.sqrt(trust * rest)), new
