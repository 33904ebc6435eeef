"""Adan: adaptive Nesterov momentum."""

from __future__ import annotations

import math
from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need, need_betas
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["Adan"]

A = TypeVar("A")


class Adan(Optimizer):
    """Running means of the gradient m, of its change v and of the squared look-ahead n; steps along m + b2 * v.

    With d = g - (the g before): m = b1 * m + (1 - b1) * g, v = b2 * v + (1 - b2) * d,
    n = b3 * n + (1 - b3) * (g + b2 * d)**2, each corrected for its start like Adam's, and
    x = (x - lr * (m + b2 * v) / (sqrt(n) + eps)) / (1 + lr * weight_decay). With `no_prox` the decay
    is AdamW's: x shrinks by lr * weight_decay before the step.

    Source: Xie et al., "Adan: adaptive Nesterov momentum algorithm for faster optimizing deep models", 2022.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([1.0])
    >>> eg.optim.Adan([p], lr=0.25).step([eg.full((1,), 2.0)])
    >>> round(p.item(), 6)
    0.75
    """

    arrays: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_avg_diff", "exp_avg_sq", "previous_grad")
    counts: ClassVar[tuple[str, ...]] = ("step",)

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float, float] = (0.98, 0.92, 0.99),
        eps: float = 1e-8,
        weight_decay: float = 0,
        no_prox: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**options, "no_prox": no_prox, "maximize": maximize})

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        need_betas(options["betas"], (0.98, 0.92, 0.99))
        need("eps", options["eps"], 0)
        need("weight_decay", options["weight_decay"], 0)

    @override
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        (beta1, beta2, beta3), step, lr = options["betas"], state["step"] + 1, options["lr"]
        change = b.sub(g, state["previous_grad"] if step > 1 else g)
        mean = b.lerp_(state["exp_avg"], g, 1 - beta1)
        drift = b.lerp_(state["exp_avg_diff"], change, 1 - beta2)
        ahead = b.add(g, change, beta2)
        square = b.addcmul_(b.mul_(state["exp_avg_sq"], beta3), ahead, ahead, 1 - beta3)
        scale = b.add_(b.mul_(b.sqrt(square), 1 / math.sqrt(1 - beta3**step)), options["eps"])
        shrink = lr * options["weight_decay"]
        if options["no_prox"] and shrink:
            x = b.mul_(x, 1 - shrink)
        x = b.addcdiv_(x, mean, scale, -lr / (1 - beta1**step))
        x = b.addcdiv_(x, drift, scale, -lr * beta2 / (1 - beta2**step))
        if not options["no_prox"] and shrink:
            x = b.div_(x, 1 + shrink)
        new = {"step": step, "exp_avg": mean, "exp_avg_diff": drift, "exp_avg_sq": square}
        return x, {**new, "previous_grad": b.replace_(state["previous_grad"], g)}
