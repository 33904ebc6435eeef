"""Adafactor: Adam's scaling from row and column means, so that the state of a matrix is two vectors."""

from __future__ import annotations

import math
from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.functional.basics import finfo
from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need, several
from everygrad.optim.weight_decay import decayed
from everygrad_ops import Backend
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["Adafactor"]

A = TypeVar("A")


class Adafactor(Optimizer):
    """Steps along g / sqrt(v), where v of a matrix is the product of running means of g * g over its rows and columns.

    At step t the running means take in the new ones with weight t ** beta2_decay. A matrix (the last two dims of an
    array) keeps r and c, and v = r @ c / mean(r), with mean(r) at least eps[0]; other parameters keep v itself. The step
    u = g / max(sqrt(v), eps[0]) is cut to a root mean square of `d`, and taken at the rate
    min(lr, 1 / sqrt(t)) * max(eps[1], root mean square of x). eps[0] of None is the dtype's, 2**-23 in float32 and for
    parameters of less. `weight_decay` first shrinks x by lr * weight_decay.

    Source: Shazeer, Stern, "Adafactor: adaptive learning rates with sublinear memory cost", 2018.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter(eg.ones(2, 3))
    >>> optimizer = eg.optim.Adafactor([p], lr=0.5)
    >>> optimizer.step([eg.full((2, 3), 7.0)])
    >>> p[0, 0].item(), {key: value.shape for key, value in optimizer.state[p].items() if key != "step"}
    (0.5, {'row_var': (2, 1), 'col_var': (1, 3)})
    """

    arrays: ClassVar[tuple[str, ...]] = ("row_var", "col_var", "variance")
    counts: ClassVar[tuple[str, ...]] = ("step",)
    elementwise: ClassVar[bool] = False

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay}
        super().__init__(params, {**options, "maximize": maximize})

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        need("beta2_decay", options["beta2_decay"], -math.inf)
        if options["beta2_decay"] > 0:
            raise ValueError(
                f"beta2_decay: must be at most 0. Received: {options['beta2_decay']!r}; write beta2_decay=-0.8"
            )
        eps = several("eps", options["eps"], (None, 1e-3))
        if eps[0] is not None:
            need("eps[0]", eps[0], 0)
        need("eps[1]", eps[1], 0)
        need("d", options["d"], 1)
        need("weight_decay", options["weight_decay"], 0)

    @override
    def init(self, b: Backend[A], x: A, options: Options) -> State:
        shape, dtype = b.shape(x), b.dtype(x)
        if len(shape) < 2:
            return {"step": 0, "variance": b.zeros_like(x)}
        rows, columns = (*shape[:-1], 1), (*shape[:-2], 1, shape[-1])
        return {"step": 0, "row_var": b.full(rows, 0.0, dtype), "col_var": b.full(columns, 0.0, dtype)}

    @override
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        one, step = b.backend, state["step"] + 1
        share = float(step) ** options["beta2_decay"]
        squares, new = b.mul(g, g), {"step": step}
        if "variance" in state:
            new["variance"] = v = b.lerp_(state["variance"], squares, share)
        else:
            for key, dim in (("row_var", -1), ("col_var", -2)):
                new[key] = b.lerp_(state[key], [_mean(one, s, dim) for s in squares], share)
            v = [_product(one, r, c, _floor(one, r, options)) for r, c in zip(new["row_var"], new["col_var"])]
        rate = min(options["lr"], step**-0.5)
        lengths = [one.mul(one.clamp(_rms(one, value), options["eps"][1], None), rate) for value in x]
        x, _ = decayed(b, x, g, {**options, "decoupled_weight_decay": True})
        for i, (slope, length) in enumerate(zip(g, lengths)):
            low = _floor(one, slope, options)
            along = one.div(slope, one.sqrt(one.clamp(v[i], low * low, None)))
            excess = one.clamp(one.div(_rms(one, along), options["d"]), 1.0, None)
            x[i] = b.add_([x[i]], [one.mul(along, one.div(length, excess))], -1)[0]
        return x, new


def _rms(b: Backend[A], x: A) -> A:
    """The root of the mean square, without a sum of squares that could overflow; 0 of nothing."""
    shape = b.shape(x)
    norm = b.vector_norm(x, 2.0, tuple(range(len(shape)))) if shape else b.abs(x)
    return b.div(norm, math.sqrt(max(math.prod(shape), 1)))


def _mean(b: Backend[A], x: A, dim: int) -> A:
    """The mean over a dim, which stays; zeros over nothing."""
    at = len(b.shape(x)) + dim
    return b.div(b.sum(x, (at,), True), max(b.shape(x)[at], 1))


def _product(b: Backend[A], rows: A, columns: A, low: float) -> A:
    """The matrix of which these are the row and column means, if it is of rank one."""
    return b.div(b.mul(rows, columns), b.clamp(_mean(b, rows, -2), low, None))


def _floor(b: Backend[A], x: A, options: Options) -> float:
    """The smallest divisor."""
    low: float | None = options["eps"][0]
    return low if low is not None else finfo(b.dtype(x)).eps
