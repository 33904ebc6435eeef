"""Gradients of sliding windows: each op is the adjoint of the other."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend, Window

A = TypeVar("A")


@gradient("unfold", "x")
def unfold_x(b: Backend[A], g: A, x_shape: tuple[int, ...], window: Window) -> A:
    return b.fold(g, x_shape[2:], window)


@gradient("fold", "x")
def fold_x(b: Backend[A], g: A, window: Window) -> A:
    return b.unfold(g, window)
