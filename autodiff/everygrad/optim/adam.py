"""Adam, and Adam with decoupled weight decay."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need, need_betas
from everygrad.optim.weight_decay import decayed
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["Adam", "AdamW"]

A = TypeVar("A")


class Adam(Optimizer):
    """Steps along the mean gradient m, scaled by the root of the mean square v; both corrected for their start.

    m = b1 * m + (1 - b1) * g, v = b2 * v + (1 - b2) * g * g, and at step t
    x = x - lr * (m / (1 - b1**t)) / (sqrt(v / (1 - b2**t)) + eps).
    `weight_decay` adds weight_decay * x to g, or with `decoupled_weight_decay` shrinks x by
    lr * weight_decay; `amsgrad` divides by the largest v so far.

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

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad}
        switches = {"maximize": maximize, "decoupled_weight_decay": decoupled_weight_decay}
        super().__init__(params, {**options, **switches})

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        need_betas(options["betas"], (0.9, 0.999))
        need("eps", options["eps"], 0)
        need("weight_decay", options["weight_decay"], 0)

    @override
    def kept(self, options: Options) -> tuple[str, ...]:
        return self.arrays if options["amsgrad"] else self.arrays[:2]

    @override
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        cautious = options.get("cautious_weight_decay")
        x, g = (x, g) if cautious else decayed(b, x, g, options)
        (beta1, beta2), step = options["betas"], state["step"] + 1
        mean = b.lerp_(state["exp_avg"], g, 1 - beta1)
        square = b.addcmul_(b.mul_(state["exp_avg_sq"], beta2), g, g, 1 - beta2)
        new: State = {"step": step, "exp_avg": mean, "exp_avg_sq": square}
        if options["amsgrad"]:
            before = state.get("max_exp_avg_sq")
            new["max_exp_avg_sq"] = b.copies(square) if before is None else b.maximum_(before, square)
        root = b.sqrt(new.get("max_exp_avg_sq", square))
        scale = b.add_(b.mul_(root, 1 / math.sqrt(1 - beta2**step)), options["eps"])
        if cautious:
            x = _cautious(b, x, mean, options["lr"] * options["weight_decay"])
        return b.addcdiv_(x, mean, scale, -options["lr"] / (1 - beta1**step)), new

    @override
    def fused(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> State | None:
        kernel = b.kernel("adam")
        if kernel is None or options.get("cautious_weight_decay"):
            return None
        (beta1, beta2), step = options["betas"], state["step"] + 1
        largest: list[A] = state["max_exp_avg_sq"] if options["amsgrad"] else []
        rates = {"lr": options["lr"], "beta1": beta1, "beta2": beta2, "eps": options["eps"]}
        decay = {"weight_decay": options["weight_decay"], "decoupled": options["decoupled_weight_decay"]}
        kernel(x, g, state["exp_avg"], state["exp_avg_sq"], largest, step, **rates, **decay)
        return {**state, "step": step}


class AdamW(Adam):
    """Adam whose weight decay shrinks the value itself, by lr * weight_decay, before the step.

    With `cautious_weight_decay` only where the step leads towards 0 too, or is 0: where m has the sign of x.

    Source: Loshchilov, Hutter, "Decoupled weight decay regularization", 2019; Chen et al., "Cautious weight decay", 2025.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter(eg.tensor(1.0, eg.float64))
    >>> optimizer = eg.optim.AdamW([p], lr=0.1, weight_decay=0.1)
    >>> optimizer.step((p / 2).backward())
    >>> round(p.item(), 6)
    0.89
    """

    fixed: ClassVar[Mapping[str, Any]] = {"decoupled_weight_decay": True}

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        cautious_weight_decay: bool = False,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad}
        switches = {"maximize": maximize, "cautious_weight_decay": cautious_weight_decay}
        Optimizer.__init__(self, params, {**options, **switches, "decoupled_weight_decay": True})


def _cautious(b: MultiTensor[A], x: list[A], along: list[A], decay: float) -> list[A]:
    """Values shrunk where the step is not away from 0."""
    one = b.backend

    def shrunk(value: A, m: A) -> A:
        apart = one.lt(one.mul(one.sign(value), one.sign(m)), 0)
        return one.where(apart, value, one.mul(value, 1 - decay))

    return b.map(shrunk, x, along)
