"""Lion: steps along a sign."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need, need_betas
from everygrad.optim.weight_decay import decayed
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["Lion"]

A = TypeVar("A")


class Lion(Optimizer):
    """Steps along the sign of an interpolated momentum: x = x - lr * sign(b1 * m + (1 - b1) * g).

    Then m = b2 * m + (1 - b2) * g. `weight_decay` first shrinks x by lr * weight_decay. Every element moves by lr,
    so lr is best 3 to 10 times smaller than for AdamW, and weight_decay as much larger.

    Source: Chen et al., "Symbolic discovery of optimization algorithms", 2023.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([1.0, 1.0])
    >>> eg.optim.Lion([p], lr=0.25).step([eg.tensor([5.0, -1.0])])
    >>> p.tolist()
    [0.75, 1.25]
    """

    arrays: ClassVar[tuple[str, ...]] = ("exp_avg",)

    def __init__(
        self,
        params: Any,
        lr: float = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "betas": betas, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, options)

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        need_betas(options["betas"], (0.9, 0.99))
        need("weight_decay", options["weight_decay"], 0)

    @override
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        x, _ = decayed(b, x, g, {**options, "decoupled_weight_decay": True})
        beta1, beta2 = options["betas"]
        along = b.sign(b.add_(b.mul(state["exp_avg"], beta1), g, 1 - beta1))
        return b.add_(x, along, -options["lr"]), {"exp_avg": b.lerp_(state["exp_avg"], g, 1 - beta2)}
