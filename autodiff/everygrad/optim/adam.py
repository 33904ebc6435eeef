"""Adam, and Adam with decoupled weight decay."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State, need
from everygrad_ops import Backend

__all__ = ["Adam", "AdamW"]

A = TypeVar("A")


class Adam(Optimizer):
    """Steps along the mean gradient m, scaled by the root of the mean square v; both corrected for their start.

    m = b1 * m + (1 - b1) * g, v = b2 * v + (1 - b2) * g * g, and at step t
    x = x - lr * (m / (1 - b1**t)) / (sqrt(v / (1 - b2**t)) + eps).
    `weight_decay` adds weight_decay * x to g; `amsgrad` divides by the largest v so far.

    Source: Kingma, Ba, "Adam: a method for stochastic optimization", 2015; Reddi, Kale, Kumar, "On the
    convergence of Adam and beyond", 2018 (amsgrad).

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter(eg.tensor(1.0, eg.float64))
    >>> optimizer = eg.optim.Adam([p], lr=0.1)
    >>> optimizer.step((p * p).backward())
    >>> round(p.item(), 6)
    0.9
    """

    arrays: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    counts: ClassVar[tuple[str, ...]] = ("step",)
    fixed: ClassVar[Mapping[str, Any]] = {"maximize": False, "decoupled_weight_decay": False}

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
    ) -> None:
        super().__init__(
            params,
            {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad},
        )

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        betas: Any = options["betas"]
        if not isinstance(betas, (tuple, list)) or len(betas) != 2:  # pyright: ignore[reportUnknownArgumentType]  # of anything
            raise ValueError(
                f"betas: must be two numbers. Received: {options['betas']!r}; write betas=(0.9, 0.999)"
            )
        for beta in options["betas"]:
            need("betas", beta, 0, 1)
        need("eps", options["eps"], 0)
        need("weight_decay", options["weight_decay"], 0)

    @override
    def init(self, b: Backend[A], x: A) -> State:
        return {"step": 0, "exp_avg": b.zeros_like(x), "exp_avg_sq": b.zeros_like(x)}

    @override
    def update(self, b: Backend[A], x: A, g: A, state: State, options: Options) -> tuple[A, State]:
        x, g = self.decay(b, x, g, options)
        beta1, beta2 = options["betas"]
        step = state["step"] + 1
        mean = b.add(b.mul(state["exp_avg"], beta1), b.mul(g, 1 - beta1))
        square = b.add(b.mul(state["exp_avg_sq"], beta2), b.mul(b.mul(g, g), 1 - beta2))
        state = {"step": step, "exp_avg": mean, "exp_avg_sq": square, **_largest(b, square, state, options)}
        root = b.sqrt(state.get("max_exp_avg_sq", square))
        scale = b.add(b.div(root, math.sqrt(1 - beta2**step)), options["eps"])
        return b.sub(x, b.div(b.mul(mean, options["lr"] / (1 - beta1**step)), scale)), state

    def decay(self, b: Backend[A], x: A, g: A, options: Options) -> tuple[A, A]:
        """(value, gradient) with the weight decay put in: here into the gradient."""
        decay = options["weight_decay"]
        return (x, b.add(g, b.mul(x, decay))) if decay else (x, g)


class AdamW(Adam):
    """Adam whose weight decay shrinks the value itself, by lr * weight_decay, before the step.

    Source: Loshchilov, Hutter, "Decoupled weight decay regularization", 2019.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter(eg.tensor(1.0, eg.float64))
    >>> optimizer = eg.optim.AdamW([p], lr=0.1, weight_decay=0.1)
    >>> optimizer.step((p / 2).backward())
    >>> round(p.item(), 6)
    0.89
    """

    fixed: ClassVar[Mapping[str, Any]] = {"maximize": False, "decoupled_weight_decay": True}

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad)

    @override
    def decay(self, b: Backend[A], x: A, g: A, options: Options) -> tuple[A, A]:
        return b.mul(x, 1 - options["lr"] * options["weight_decay"]), g


def _largest(b: Backend[A], square: A, state: State, options: Options) -> State:
    """With amsgrad, the largest mean square so far."""
    if not options["amsgrad"]:
        return {}
    before = state.get("max_exp_avg_sq")
    return {"max_exp_avg_sq": square if before is None else b.maximum(square, before)}
