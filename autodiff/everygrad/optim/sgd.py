"""Stochastic gradient descent."""

from __future__ import annotations

import math
from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need
from everygrad.optim.weight_decay import decayed
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["SGD"]

A = TypeVar("A")


class SGD(Optimizer):
    """Gradient descent with momentum v: v = momentum * v + (1 - dampening) * g, x = x - lr * v.

    The first v is g itself. `weight_decay` adds weight_decay * x to g; with `nesterov` the step is
    along g + momentum * v.

    Source: Sutskever et al., "On the importance of initialization and momentum in deep learning", 2013.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([1.0])
    >>> optimizer = eg.optim.SGD([p], lr=0.5, momentum=0.5)
    >>> for _ in range(2):
    ...     optimizer.step([eg.ones(1)])
    >>> p.tolist()
    [-0.25]
    """

    arrays: ClassVar[tuple[str, ...]] = ("momentum_buffer",)

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(params, {**options, "nesterov": nesterov, "maximize": maximize})

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        need("momentum", options["momentum"], 0)
        need("weight_decay", options["weight_decay"], 0)
        need("dampening", options["dampening"], -math.inf)
        if options["nesterov"] and (options["momentum"] <= 0 or options["dampening"] != 0):
            raise ValueError(
                "nesterov: needs momentum above 0 and dampening 0. "
                f"Received: momentum={options['momentum']}, dampening={options['dampening']}"
            )

    @override
    def kept(self, options: Options) -> tuple[str, ...]:
        return self.arrays if options["momentum"] else ()

    @override
    def init(self, b: Any, x: Any, options: Options) -> State:
        return {}  # the first buffer is the first gradient

    @override
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        momentum = options["momentum"]
        x, g = decayed(b, x, g, options)
        if momentum:
            v = state.get("momentum_buffer")
            v = b.copies(g) if v is None else b.add_(b.mul_(v, momentum), g, 1 - options["dampening"])
            state = {"momentum_buffer": v}
            g = b.add(g, v, momentum) if options["nesterov"] else v
        return b.add_(x, g, -options["lr"]), state

    @override
    def fused(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> State | None:
        kernel = b.kernel("sgd")
        if kernel is None:
            return None
        names = ("lr", "momentum", "dampening", "weight_decay", "nesterov")
        kernel(x, g, state.get("momentum_buffer", []), **{name: options[name] for name in names})
        return state if options["momentum"] else {}
