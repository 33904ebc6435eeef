"""Muon: orthogonalised momentum, for matrices."""

from __future__ import annotations

import math
from typing import Any, ClassVar, TypeVar

from typing_extensions import override

from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need, need_choice, need_count, several
from everygrad.optim.weight_decay import decayed
from everygrad_ops import Backend, ShapeError
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["Muon"]

A = TypeVar("A")


class Muon(Optimizer):
    """Momentum whose matrix is replaced by the nearest orthogonal one, so that all directions move alike.

    v = momentum * v + (1 - momentum) * g; the step is along NS(v), or with `nesterov` along
    NS((1 - momentum) * g + momentum * v), where NS is `ns_steps` rounds of the Newton-Schulz iteration
    M = a * M + (b * G + c * G @ G) @ M, G = M @ M.T, from M of norm 1. `weight_decay` first shrinks x by
    lr * weight_decay. For the two-dimensional weights of hidden layers; embeddings, heads and biases are
    AdamW's. `adjust_lr_fn`: "original" (or None) multiplies lr by sqrt(max(1, rows / columns)),
    "match_rms_adamw" by 0.2 * sqrt(max(rows, columns)), which makes rates tuned for AdamW fit.

    The iteration runs in the parameter's own precision, at least float32; torch's runs in bfloat16.

    Source: Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024; Liu et al.,
    "Muon is scalable for LLM training", 2025 (match_rms_adamw).

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter(eg.zeros(2, 2))
    >>> eg.optim.Muon([p], lr=1.0).step([eg.tensor([[3.0, 0.0], [0.0, 3.0]])])
    >>> bool((p.diagonal() < -0.6).all()), p[0, 1].item()
    (True, 0.0)
    """

    arrays: ClassVar[tuple[str, ...]] = ("momentum_buffer",)
    elementwise: ClassVar[bool] = False

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov}
        series = {"ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps}
        super().__init__(params, {**options, **series, "adjust_lr_fn": adjust_lr_fn, "maximize": maximize})

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        for name in ("weight_decay", "momentum", "eps"):
            need(name, options[name], 0)
        need_count("ns_steps", options["ns_steps"])
        need_choice("adjust_lr_fn", options["adjust_lr_fn"], (None, "original", "match_rms_adamw"))
        for number in several("ns_coefficients", options["ns_coefficients"], (3.4445, -4.775, 2.0315)):
            need("ns_coefficients", number, -math.inf)
        for p in options["params"]:
            if len(p.shape) != 2:
                raise ShapeError(
                    f"Muon: takes matrices only. Received: a parameter of shape {p.shape}; give it to "
                    "eg.optim.AdamW instead, for instance [p for p in model.parameters() if p.ndim != 2]"
                )

    @override
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        x, _ = decayed(b, x, g, {**options, "decoupled_weight_decay": True})
        momentum = options["momentum"]
        v = b.lerp_(state["momentum_buffer"], g, 1 - momentum)
        along = b.add_(b.mul(g, 1 - momentum), v, momentum) if options["nesterov"] else v
        for i, m in enumerate(along):
            rows, columns = b.backend.shape(m)
            fit = math.sqrt(max(1, rows / max(columns, 1)))
            if options["adjust_lr_fn"] == "match_rms_adamw":
                fit = 0.2 * math.sqrt(max(rows, columns))
            x[i] = b.add_([x[i]], [_orthogonal(b.backend, m, options)], -options["lr"] * fit)[0]
        return x, {"momentum_buffer": v}


def _orthogonal(b: Backend[A], m: A, options: Options) -> A:
    """Newton-Schulz: singular values drawn towards 1, singular vectors left alone."""
    rows, columns = b.shape(m)
    if not rows or not columns:
        return m
    (first, third, fifth), tall = options["ns_coefficients"], rows > columns
    m = b.permute(m, (1, 0)) if tall else m
    m = b.div(m, b.clamp(b.vector_norm(m, 2, (0, 1), True), options["eps"], None))
    for _ in range(options["ns_steps"]):
        gram = b.matmul(m, b.permute(m, (1, 0)))
        both = b.add(b.mul(gram, third), b.mul(b.matmul(gram, gram), fifth))
        m = b.add(b.mul(m, first), b.matmul(both, m))
    return b.permute(m, (1, 0)) if tall else m
