"""Gradients of selection."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend

A = TypeVar("A")


@gradient("where", "x")
def where_x(b: Backend[A], g: A, condition: A) -> A:
    return b.where(condition, g, 0)


@gradient("where", "y")
def where_y(b: Backend[A], g: A, condition: A) -> A:
    return b.where(condition, 0, g)
