"""RMSprop: steps scaled by a running mean of squares."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need
from everygrad.optim.weight_decay import decayed
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["RMSprop"]

A = TypeVar("A")


class RMSprop(Optimizer):
    """Steps along g over the root of s, a running mean of its squares.

    s = alpha * s + (1 - alpha) * g * g, x = x - lr * g / (sqrt(s) + eps); `centered` takes the square of
    the running mean of g off s, `momentum` steps along v = momentum * v + g / (sqrt(s) + eps).
    `weight_decay` adds weight_decay * x to g.

    Source: Tieleman, Hinton, "Lecture 6.5: rmsprop", 2012; Graves, "Generating sequences with recurrent
    neural networks", 2013 (centered).

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([1.0])
    >>> eg.optim.RMSprop([p], lr=0.1, alpha=0.75).step([eg.full((1,), 4.0)])
    >>> round(p.item(), 6)
    0.8
    """

    arrays: ClassVar[tuple[str, ...]] = ("square_avg", "momentum_buffer", "grad_avg")
    counts: ClassVar[tuple[str, ...]] = ("step",)

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum}
        super().__init__(params, {**options, "centered": centered, "maximize": maximize})

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        for name in ("alpha", "eps", "weight_decay", "momentum"):
            need(name, options[name], 0)

    @override
    def kept(self, options: Options) -> tuple[str, ...]:
        extra = {"momentum_buffer": options["momentum"], "grad_avg": options["centered"]}
        return ("square_avg", *(key for key, wanted in extra.items() if wanted))

    @override
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        x, g = decayed(b, x, g, options)
        alpha, momentum = options["alpha"], options["momentum"]
        square = b.addcmul_(b.mul_(state["square_avg"], alpha), g, g, 1 - alpha)
        new: State = {"step": state["step"] + 1, "square_avg": square}
        root: list[A]
        if options["centered"]:
            new["grad_avg"] = mean = b.lerp_(self.entry(b, "grad_avg", state, x), g, 1 - alpha)
            root = b.sqrt_(b.addcmul_(b.copies(square), mean, mean, -1))
        else:
            root = b.sqrt(square)
        scale = b.add_(root, options["eps"])
        if not momentum:
            return b.addcdiv_(x, g, scale, -options["lr"]), new
        v = b.addcdiv_(b.mul_(self.entry(b, "momentum_buffer", state, x), momentum), g, scale)
        return b.add_(x, v, -options["lr"]), {**new, "momentum_buffer": v}
