"""Weight decay: into the gradient, or decoupled from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from everygrad_ops.multi_tensor import MultiTensor

A = TypeVar("A")


def decayed(b: MultiTensor[A], x: list[A], g: list[A], options: Mapping[str, Any]) -> tuple[list[A], list[A]]:
    """(values, gradients): g + weight_decay * x, or x shrunk by lr * weight_decay where decay is decoupled."""
    decay = options["weight_decay"]
    if not decay:
        return x, g
    if options.get("decoupled_weight_decay"):
        return b.mul_(x, 1 - options["lr"] * decay), g
    return x, b.add(g, x, decay)
