"""Gradients of resizing: it is linear, so it and its backward are each other's."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient
from everygrad_ops import Backend
from everygrad_ops.resize import ResizeOptions

A = TypeVar("A")


@gradient("interpolate", "x")
def interpolate_x(b: Backend[A], g: A, x_shape: tuple[int, ...], options: ResizeOptions) -> A:
    return b.interpolate_backward(g, x_shape, options)


@gradient("interpolate_backward", "grad")
def interpolate_backward_grad(b: Backend[A], g: A, options: ResizeOptions) -> A:
    return b.interpolate(g, options)
