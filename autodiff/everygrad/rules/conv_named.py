"""Gradients of the convolutions by rank: they stay among the rank's own ops, so that a backend's kernels are used."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.pool_named import stand_in
from everygrad.rules.registry import gradient
from everygrad_ops import Backend
from everygrad_ops.geometry import Ints, Padding

A = TypeVar("A")


def _conv(name: str) -> None:
    x_backward, weight_backward, bias_backward = (f"{name}_{arg}_backward" for arg in ("x", "weight", "bias"))

    @gradient(name, "x")
    def x(
        b: Backend[A],
        g: A,
        weight: A,
        x_shape: tuple[int, ...],
        stride: Ints,
        padding: Padding,
        dilation: Ints,
        groups: int,
    ) -> A:
        like = stand_in(b, g, x_shape)
        result: A = getattr(b, x_backward)(like, weight, g, stride, padding, dilation, groups)
        return result

    @gradient(name, "weight")
    def weight(
        b: Backend[A],
        g: A,
        x: A,
        weight_shape: tuple[int, ...],
        stride: Ints,
        padding: Padding,
        dilation: Ints,
        groups: int,
    ) -> A:
        like = stand_in(b, g, weight_shape)
        result: A = getattr(b, weight_backward)(x, like, g, stride, padding, dilation, groups)
        return result

    @gradient(name, "bias")
    def bias(b: Backend[A], g: A, x_shape: tuple[int, ...], bias_shape: tuple[int, ...]) -> A:
        result: A = getattr(b, bias_backward)(stand_in(b, g, x_shape), stand_in(b, g, bias_shape), g)
        return result

    _x_backward(name, x_backward, weight_backward)
    _weight_backward(name, x_backward, weight_backward)


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
