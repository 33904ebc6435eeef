"""Adamax: Adam in the infinity norm."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need, need_betas
from everygrad.optim.weight_decay import decayed
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["Adamax"]

A = TypeVar("A")


class Adamax(Optimizer):
    """Adam whose steps are scaled by the largest recent |g|, u = max(b2 * u, |g| + eps).

    m = b1 * m + (1 - b1) * g and x = x - lr / (1 - b1**t) * m / u at step t.
    `weight_decay` adds weight_decay * x to g.

    Source: Kingma, Ba, "Adam: a method for stochastic optimization", 2015, section 7.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([1.0])
    >>> eg.optim.Adamax([p], lr=0.25).step([eg.full((1,), 4.0)])
    >>> p.tolist()
    [0.75]
    """

    arrays: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_inf")
    counts: ClassVar[tuple[str, ...]] = ("step",)

    def __init__(
        self,
        params: Any,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, options)

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
        largest = b.maximum_(b.mul_(state["exp_inf"], beta2), b.add_(b.abs(g), options["eps"]))
        rate = options["lr"] / (1 - beta1**step)
        return b.addcdiv_(x, mean, largest, -rate), {"step": step, "exp_avg": mean, "exp_inf": largest}
