"""Averaged stochastic gradient descent."""

from __future__ import annotations

import math
from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need
from everygrad.optim.weight_decay import decayed
from everygrad_ops import Backend
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["ASGD"]

A = TypeVar("A")


class ASGD(Optimizer):
    """Gradient descent with a falling rate, and the mean of the values since step t0, kept as `ax`.

    x = (1 - lambd * eta) * x - eta * g, then ax = ax + mu * (x - ax),
    eta = lr / (1 + lambd * lr * t)**alpha and mu = 1 / max(1, t - t0). `weight_decay` adds weight_decay * x to g.

    Source: Polyak, Juditsky, "Acceleration of stochastic approximation by averaging", 1992.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([1.0])
    >>> optimizer = eg.optim.ASGD([p], lr=0.5, lambd=0.0)
    >>> optimizer.step([eg.ones(1)])
    >>> p.tolist()
    [0.5]
    """

    arrays: ClassVar[tuple[str, ...]] = ("ax",)
    counts: ClassVar[tuple[str, ...]] = ("step",)
    numbers: ClassVar[tuple[str, ...]] = ("eta", "mu")

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay}
        super().__init__(params, {**options, "maximize": maximize})

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        need("weight_decay", options["weight_decay"], 0)
        for name in ("lambd", "alpha", "t0"):
            need(name, options[name], -math.inf)

    @override
    def init(self, b: Backend[A], x: A, options: Options) -> State:
        return {**super().init(b, x, options), "eta": options["lr"], "mu": 1.0}

    @override
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        x, g = decayed(b, x, g, options)
        lr, lambd, step = options["lr"], options["lambd"], state["step"] + 1
        x = b.add_(b.mul_(x, 1 - lambd * state["eta"]), g, -state["eta"])
        mu = state["mu"]
        mean = b.replace_(state["ax"], x) if mu == 1 else b.lerp_(state["ax"], x, mu)
        eta = lr / (1 + lambd * lr * step) ** options["alpha"]
        return x, {"step": step, "eta": eta, "mu": 1 / max(1, step - options["t0"]), "ax": mean}
