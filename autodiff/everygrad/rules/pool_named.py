"""Gradients of the pools by rank: they stay among the rank's own ops, so that a backend's kernels are used."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.pool import read
from everygrad.rules.registry import gradient, residual_form
from everygrad_ops import Backend
from everygrad_ops.geometry import Ints, Padding

A = TypeVar("A")


def stand_in(b: Backend[A], like: A, shape: tuple[int, ...]) -> A:
    """Something of this shape for an argument of which only the shape is read; it takes no memory."""
    return b.broadcast_to(b.full((), 0, b.dtype(like)), shape)


def _avg_pool(forward: str, backward: str) -> None:
    @gradient(forward, "x")
    def x(
        b: Backend[A],
        g: A,
        x_shape: tuple[int, ...],
        kernel_size: Ints,
        stride: Ints | None,
        padding: Padding,
        count_include_pad: bool,
        ceil_mode: bool,
        divisor_override: int | None,
    ) -> A:
        options = kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override
        result: A = getattr(b, backward)(stand_in(b, g, x_shape), g, *options)
        return result

    @gradient(backward, "x")
    def only_its_shape(b: Backend[A], g: A) -> None:
        return None

    @gradient(backward, "grad")
    def grad(
        b: Backend[A],
        g: A,
        kernel_size: Ints,
        stride: Ints | None,
        padding: Padding,
        count_include_pad: bool,
        ceil_mode: bool,
        divisor_override: int | None,
    ) -> A:
        result: A = getattr(b, forward)(
            g, kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override
        )
        return result


def _max_pool(forward: str, with_indices: str, backward: str) -> None:
    residual_form(forward, with_indices)

    @gradient(forward, "x")
    def x(
        b: Backend[A],
        g: A,
        x_shape: tuple[int, ...],
        indices: A,
        kernel_size: Ints,
        stride: Ints | None,
        padding: Padding,
        dilation: Ints,
        ceil_mode: bool,
    ) -> A:
        options = kernel_size, stride, padding, dilation, ceil_mode
        result: A = getattr(b, backward)(stand_in(b, g, x_shape), g, indices, *options)
        return result

    @gradient(with_indices, "x")
    def values_x(
        b: Backend[A],
        g_values: A,
        x_shape: tuple[int, ...],
        out_indices: A,
        kernel_size: Ints,
        stride: Ints | None,
        padding: Padding,
        dilation: Ints,
        ceil_mode: bool,
    ) -> A:
        options = kernel_size, stride, padding, dilation, ceil_mode
        result: A = getattr(b, backward)(stand_in(b, g_values, x_shape), g_values, out_indices, *options)
        return result

    @gradient(backward, "x")
    def only_its_shape(b: Backend[A], g: A) -> None:
        return None

    @gradient(backward, "grad")
    def grad(b: Backend[A], g: A, indices: A) -> A:
        return read(b, g, indices)


for _name in ("pool1d", "pool2d", "pool3d"):
    _avg_pool(f"avg_{_name}", f"avg_{_name}_backward")
    _max_pool(f"max_{_name}", f"max_{_name}_with_indices", f"max_{_name}_with_indices_backward")
