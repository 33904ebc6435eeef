"""Adagrad: steps scaled by all squared gradients so far."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need
from everygrad.optim.weight_decay import decayed
from everygrad_ops import Backend
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["Adagrad"]

A = TypeVar("A")


class Adagrad(Optimizer):
    """Steps along g over the root of s, the sum of all its squares: s = s + g * g, x = x - c * g / (sqrt(s) + eps).

    At step t the rate is c = lr / (1 + (t - 1) * lr_decay). `weight_decay` adds weight_decay * x to g.

    Source: Duchi, Hazan, Singer, "Adaptive subgradient methods for online learning", 2011.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([1.0])
    >>> optimizer = eg.optim.Adagrad([p], lr=0.5)
    >>> optimizer.step([eg.full((1,), 3.0)])
    >>> p.tolist()
    [0.5]
    """

    arrays: ClassVar[tuple[str, ...]] = ("sum",)
    counts: ClassVar[tuple[str, ...]] = ("step",)

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay}
        start = {"initial_accumulator_value": initial_accumulator_value, "maximize": maximize}
        super().__init__(params, {**options, **start})

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        for name in ("lr_decay", "weight_decay", "initial_accumulator_value", "eps"):
            need(name, options[name], 0)

    @override
    def init(self, b: Backend[A], x: A, options: Options) -> State:
        return {"step": 0, "sum": b.add(b.zeros_like(x), options["initial_accumulator_value"])}

    @override
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        x, g = decayed(b, x, g, options)
        total = b.addcmul_(state["sum"], g, g)
        rate = options["lr"] / (1 + state["step"] * options["lr_decay"])
        scale = b.add_(b.sqrt(total), options["eps"])
        return b.addcdiv_(x, g, scale, -rate), {"step": state["step"] + 1, "sum": total}

    @override
    def fused(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> State | None:
        kernel, step = b.kernel("adagrad"), state["step"] + 1
        if kernel is None:
            return None
        names = ("lr", "lr_decay", "weight_decay", "eps")
        kernel(x, g, state["sum"], step, **{name: options[name] for name in names})
        return {**state, "step": step}
