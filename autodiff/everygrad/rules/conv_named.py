"""Gradients of the convolutions by rank: they stay among the rank's own ops, so that a backend's kernels are used."""

from __future__ import annotations

import functools
from typing import TypeVar

from everygrad.rules.conv import per_channel
from everygrad.rules.registry import gradient, joint_gradient
from everygrad_ops import Backend
from everygrad_ops.geometry import Ints, Padding
from everygrad_ops.norm import Three
from everygrad_ops.stand_in import stand_in

A = TypeVar("A")


def _conv(name: str) -> None:
    backward, x_backward, weight_backward = (f"{name}{arg}_backward" for arg in ("", "_x", "_weight"))

    @joint_gradient(name, "x", "weight", "bias", only_for={"x": ("weight",), "weight": ("x",)})
    def together(
        b: Backend[A],
        g: A,
        x: A | None,
        weight: A | None,
        x_shape: tuple[int, ...],
        weight_shape: tuple[int, ...],
        stride: Ints,
        padding: Padding,
        dilation: Ints,
        groups: int,
        needs: tuple[bool, bool, bool],
    ) -> Three[A]:
        options = stride, padding, dilation, groups
        result: Three[A] = getattr(b, backward)(g, x, weight, x_shape, weight_shape, *options, needs)
        return result

    _backward(name, backward, x_backward, weight_backward)
    _x_backward(name, x_backward, weight_backward)
    _weight_backward(name, x_backward, weight_backward)


def _backward(name: str, backward: str, x_backward: str, weight_backward: str) -> None:
    @gradient(backward, "x")
    def x(
        b: Backend[A],
        g_grad_weight: A | None,
        grad: A,
        x_shape: tuple[int, ...],
        stride: Ints,
        padding: Padding,
        dilation: Ints,
        groups: int,
    ) -> A | None:
        if g_grad_weight is None:
            return None
        like, options = stand_in(b, grad, x_shape), (stride, padding, dilation, groups)
        result: A = getattr(b, x_backward)(like, g_grad_weight, grad, *options)
        return result

    @gradient(backward, "weight")
    def weight(
        b: Backend[A],
        g_grad_x: A | None,
        grad: A,
        weight_shape: tuple[int, ...],
        stride: Ints,
        padding: Padding,
        dilation: Ints,
        groups: int,
    ) -> A | None:
        if g_grad_x is None:
            return None
        like, options = stand_in(b, grad, weight_shape), (stride, padding, dilation, groups)
        result: A = getattr(b, weight_backward)(g_grad_x, like, grad, *options)
        return result

    @gradient(backward, "grad")
    def grad(
        b: Backend[A],
        g_grad_x: A | None,
        g_grad_weight: A | None,
        g_grad_bias: A | None,
        x: A | None,
        weight: A | None,
        grad_shape: tuple[int, ...],
        stride: Ints,
        padding: Padding,
        dilation: Ints,
        groups: int,
    ) -> A | None:
        terms: list[A] = []
        for left, right in ((g_grad_x, weight), (x, g_grad_weight)):
            if left is not None and right is not None:
                terms.append(getattr(b, name)(left, right, None, stride, padding, dilation, groups))
        if g_grad_bias is not None:
            terms.append(per_channel(b, g_grad_bias, grad_shape))
        return functools.reduce(b.add, terms) if terms else None


def _x_backward(name: str, x_backward: str, weight_backward: str) -> None:
    @gradient(x_backward, "x")
    def only_its_shape(b: Backend[A], g: A) -> None:
        return None

    @gradient(x_backward, "weight")
    def weight(
        b: Backend[A],
        g: A,
        grad: A,
        weight_shape: tuple[int, ...],
        stride: Ints,
        padding: Padding,
        dilation: Ints,
        groups: int,
    ) -> A:
        like = stand_in(b, g, weight_shape)
        result: A = getattr(b, weight_backward)(g, like, grad, stride, padding, dilation, groups)
        return result

    @gradient(x_backward, "grad")
    def grad(
        b: Backend[A], g: A, weight: A, stride: Ints, padding: Padding, dilation: Ints, groups: int
    ) -> A:
        result: A = getattr(b, name)(g, weight, None, stride, padding, dilation, groups)
        return result


def _weight_backward(name: str, x_backward: str, weight_backward: str) -> None:
    @gradient(weight_backward, "weight")
    def only_its_shape(b: Backend[A], g: A) -> None:
        return None

    @gradient(weight_backward, "x")
    def x(
        b: Backend[A],
        g: A,
        grad: A,
        x_shape: tuple[int, ...],
        stride: Ints,
        padding: Padding,
        dilation: Ints,
        groups: int,
    ) -> A:
        like = stand_in(b, g, x_shape)
        result: A = getattr(b, x_backward)(like, g, grad, stride, padding, dilation, groups)
        return result

    @gradient(weight_backward, "grad")
    def grad(b: Backend[A], g: A, x: A, stride: Ints, padding: Padding, dilation: Ints, groups: int) -> A:
        result: A = getattr(b, name)(x, g, None, stride, padding, dilation, groups)
        return result


for _rank in (1, 2, 3):
    _conv(f"conv{_rank}d")
