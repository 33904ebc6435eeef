"""Adadelta: steps scaled by the steps before."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need
from everygrad.optim.weight_decay import decayed
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["Adadelta"]

A = TypeVar("A")


class Adadelta(Optimizer):
    """Steps along g scaled by the root mean square of past steps over that of past gradients.

    s = rho * s + (1 - rho) * g * g, d = sqrt(u + eps) / sqrt(s + eps) * g, u = rho * u + (1 - rho) * d * d,
    x = x - lr * d. `weight_decay` adds weight_decay * x to g.

    Source: Zeiler, "ADADELTA: an adaptive learning rate method", 2012.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([1.0])
    >>> eg.optim.Adadelta([p], rho=0.0, eps=1.0).step([eg.zeros(1)])
    >>> p.tolist()
    [1.0]
    """

    arrays: ClassVar[tuple[str, ...]] = ("square_avg", "acc_delta")
    counts: ClassVar[tuple[str, ...]] = ("step",)

    def __init__(
        self,
        params: Any,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, options)

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        need("eps", options["eps"], 0)
        need("weight_decay", options["weight_decay"], 0)
        need("rho", options["rho"], 0)
        if options["rho"] > 1:
            raise ValueError(f"rho: must be at most 1. Received: {options['rho']!r}")

    @override
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        x, g = decayed(b, x, g, options)
        rho, eps = options["rho"], options["eps"]
        square = b.addcmul_(b.mul_(state["square_avg"], rho), g, g, 1 - rho)
        step = b.sqrt_(b.add(state["acc_delta"], eps))
        step = b.mul_(b.div_(step, b.sqrt_(b.add(square, eps))), g)
        steps = b.addcmul_(b.mul_(state["acc_delta"], rho), step, step, 1 - rho)
        new = {"step": state["step"] + 1, "square_avg": square, "acc_delta": steps}
        return b.add_(x, step, -options["lr"]), new
