"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State, need
from everygrad_ops import Backend

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
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
            },
        )

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        need("momentum", options["momentum"], 0)
        need("weight_decay", options["weight_decay"], 0)
        if options["nesterov"] and (options["momentum"] <= 0 or options["dampening"] != 0):
            raise ValueError(
                "nesterov: needs momentum above 0 and dampening 0. "
                f"Received: momentum={options['momentum']}, dampening={options['dampening']}"
            )

    @override
    def update(self, b: Backend[A], x: A, g: A, state: State, options: Options) -> tuple[A, State]:
        momentum, decay = options["momentum"], options["weight_decay"]
        if decay:
            g = b.add(g, b.mul(x, decay))
        if momentum:
            v: A = g
            if "momentum_buffer" in state:
                v = b.add(b.mul(state["momentum_buffer"], momentum), b.mul(g, 1 - options["dampening"]))
            state = {"momentum_buffer": v}
            g = b.add(g, b.mul(v, momentum)) if options["nesterov"] else v
        return b.sub(x, b.mul(g, options["lr"])), state
