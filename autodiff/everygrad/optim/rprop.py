"""Rprop: resilient backpropagation."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need, several
from everygrad_ops import Backend
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["Rprop"]

A = TypeVar("A")


class Rprop(Optimizer):
    """Steps along the sign of g, of a length of each element's own.

    It grows by etas[1] while the sign stays, shrinks by etas[0] where it turned (there no step is made), and stays
    within `step_sizes`. For full batches: signs of single batches turn too often.

    Source: Riedmiller, Braun, "A direct adaptive method for faster backpropagation learning", 1993.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([1.0])
    >>> optimizer = eg.optim.Rprop([p], lr=0.5)
    >>> optimizer.step([eg.full((1,), 3.0)])
    >>> p.tolist()
    [0.5]
    """

    arrays: ClassVar[tuple[str, ...]] = ("prev", "step_size")
    counts: ClassVar[tuple[str, ...]] = ("step",)

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize})

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        low, high = several("etas", options["etas"], (0.5, 1.2))
        need("etas", low, 0, 1)
        need("etas", high, 1)
        low, high = several("step_sizes", options["step_sizes"], (1e-6, 50))
        need("step_sizes", low, 0)
        need("step_sizes", high, low)

    @override
    def init(self, b: Backend[A], x: A, options: Options) -> State:
        zeros = b.zeros_like(x)
        return {"step": 0, "prev": zeros, "step_size": b.add(zeros, options["lr"])}

    @override
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        one, (shrink, grow), (low, high) = b.backend, options["etas"], options["step_sizes"]

        def length(same: A, size: A) -> A:
            factor = one.where(one.gt(same, 0), grow, one.where(one.lt(same, 0), shrink, one.ones_like(same)))
            return one.clamp(one.mul(size, factor), low, high)

        def rest(same: A, slope: A) -> A:
            return one.where(one.lt(same, 0), 0.0, slope)

        same = b.mul(g, state["prev"])
        size = b.map(length, same, state["step_size"])
        g = b.map(rest, same, g)
        new = {"step": state["step"] + 1, "prev": g, "step_size": size}
        return b.addcmul_(x, b.sign(g), size, -1), new
