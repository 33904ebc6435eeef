"""Gradients of attention."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import joint_gradient, residual_form
from everygrad_ops import Backend
from everygrad_ops.attention import Four
from everygrad_ops.attention_parts import AttentionOptions

A = TypeVar("A")

residual_form("attention", "attention_with_lse")


@joint_gradient("attention", "q", "k", "v", "mask")
def attention_all(
    b: Backend[A],
    g: A,
    q: A,
    k: A,
    v: A,
    mask: A | None,
    options: AttentionOptions,
    needs: tuple[bool, bool, bool, bool],
    out: A | None,
    lse: A | None,
) -> Four[A]:
    return b.attention_backward(g, q, k, v, mask, options, needs, out, lse)
