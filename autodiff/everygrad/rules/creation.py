"""Gradients of conversions."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend, DType

A = TypeVar("A")


@gradient("cast", "x")
def cast_x(b: Backend[A], g: A, x_dtype: DType) -> A:
    return b.cast(g, x_dtype)
