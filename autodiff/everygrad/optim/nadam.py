"""NAdam: Adam with Nesterov momentum."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need, need_betas
from everygrad.optim.weight_decay import decayed
from everygrad_ops import Backend
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["NAdam"]

A = TypeVar("A")


class NAdam(Optimizer):
    """Adam that steps along the gradient and the next mean at once, under a rising momentum.

    With mu(t) = b1 * (1 - 0.96**(t * momentum_decay) / 2), P(t) their product up to t, and m, v as in Adam:
    x = x - lr * ((1 - mu(t)) / (1 - P(t)) * g + mu(t + 1) / (1 - P(t + 1)) * m) / (sqrt(v / (1 - b2**t)) + eps).
    `weight_decay` adds weight_decay * x to g, or with `decoupled_weight_decay` shrinks x by lr * weight_decay.

    Source: Dozat, "Incorporating Nesterov momentum into Adam", 2016.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([1.0])
    >>> optimizer = eg.optim.NAdam([p], lr=0.1)
    >>> optimizer.step([eg.ones(1)])
    >>> round(p.item(), 4)
    0.8944
    """

    arrays: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_avg_sq")
    counts: ClassVar[tuple[str, ...]] = ("step",)
    numbers: ClassVar[tuple[str, ...]] = ("mu_product",)

    def __init__(
        self,
        params: Any,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        switches = {"decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize}
        super().__init__(params, {**options, "momentum_decay": momentum_decay, **switches})

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        need_betas(options["betas"], (0.9, 0.999))
        for name in ("eps", "weight_decay", "momentum_decay"):
            need(name, options[name], 0)

    @override
    def init(self, b: Backend[A], x: A, options: Options) -> State:
        return {**super().init(b, x, options), "mu_product": 1.0}

    @override
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        x, g = decayed(b, x, g, options)
        (beta1, beta2), step, lr = options["betas"], state["step"] + 1, options["lr"]
        now, then = (beta1 * (1 - 0.5 * 0.96 ** (t * options["momentum_decay"])) for t in (step, step + 1))
        product = state["mu_product"] * now
        mean = b.lerp_(state["exp_avg"], g, 1 - beta1)
        square = b.addcmul_(b.mul_(state["exp_avg_sq"], beta2), g, g, 1 - beta2)
        scale = b.add_(b.sqrt_(b.div(square, 1 - beta2**step)), options["eps"])
        x = b.addcdiv_(x, g, scale, -lr * (1 - now) / (1 - product))
        x = b.addcdiv_(x, mean, scale, -lr * then / (1 - product * then))
        return x, {"step": step, "mu_product": product, "exp_avg": mean, "exp_avg_sq": square}
