"""Gradients of the pools by rank: they stay among the rank's own ops where a backend has kernels for these.

Elsewhere they are the N-dimensional ops at once, which need no array for the shape of x.
"""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.pool import read
from everygrad.rules.registry import gradient, residual_form
from everygrad_ops import Backend, is_overridden
from everygrad_ops.geometry import Ints, Padding, pool_options
from everygrad_ops.stand_in import stand_in

A = TypeVar("A")


def _avg_pool(forward: str, backward: str, rank: int) -> None:
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
        if is_overridden(b, backward) or is_overridden(b, forward):
            options = kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override
            result: A = getattr(b, backward)(stand_in(b, g, x_shape), g, *options)
            return result
        parsed = pool_options(
            kernel_size,
            stride,
            padding,
            rank=rank,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )
        return b.avg_pool_backward(g, x_shape, parsed)

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


def _max_pool(forward: str, with_indices: str, backward: str, rank: int) -> None:
    residual_form(forward, with_indices)

    def back(
        b: Backend[A],
        g: A,
        indices: A,
        x_shape: tuple[int, ...],
        *options: *tuple[Ints, Ints | None, Padding, Ints, bool],
    ) -> A:
        if is_overridden(b, backward):
            result: A = getattr(b, backward)(stand_in(b, g, x_shape), g, indices, *options)
            return result
        parsed = pool_options(*options[:-1], rank=rank, ceil_mode=options[-1])
        return b.max_pool_with_indices_backward(g, indices, x_shape, parsed)

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
        return back(b, g, indices, x_shape, kernel_size, stride, padding, dilation, ceil_mode)

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
        return back(b, g_values, out_indices, x_shape, kernel_size, stride, padding, dilation, ceil_mode)

    @gradient(backward, "x")
    def only_its_shape(b: Backend[A], g: A) -> None:
        return None

    @gradient(backward, "grad")
    def grad(b: Backend[A], g: A, indices: A) -> A:
        return read(b, g, indices)


for _rank in (1, 2, 3):
    _avg_pool(f"avg_pool{_rank}d", f"avg_pool{_rank}d_backward", _rank)
    _max_pool(
        f"max_pool{_rank}d",
        f"max_pool{_rank}d_with_indices",
        f"max_pool{_rank}d_with_indices_backward",
        _rank,
    )
