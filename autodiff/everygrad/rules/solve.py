"""Gradients of linear systems, inverses and determinants."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient, joint_gradient
from everygrad_ops import Backend
from everygrad_ops.matrix import columns, identity, rows, spread, turned

A = TypeVar("A")


@joint_gradient("solve", "x", "y", only_for={"out": ("x",)})
def solve_all(
    b: Backend[A], g: A, x: A, y_shape: tuple[int, ...], out: A, needs: tuple[bool, bool]
) -> tuple[A | None, A | None]:
    grad_y = b.solve(turned(b, x), g)
    grad_x = b.sum_to(b.neg(b.matmul(grad_y, turned(b, out))), b.shape(x)) if needs[0] else None
    return grad_x, b.sum_to(grad_y, y_shape) if needs[1] else None


@gradient("solve_triangular", "x")
def solve_triangular_x(
    b: Backend[A], g: A, x: A, x_shape: tuple[int, ...], out: A, upper: bool, unit: bool
) -> A:
    part = b.matmul(b.solve_triangular(turned(b, x), g, not upper, unit), turned(b, out))
    part = b.sum_to(b.neg(part), x_shape)
    return b.triu(part, int(unit)) if upper else b.tril(part, -int(unit))


@gradient("solve_triangular", "y")
def solve_triangular_y(b: Backend[A], g: A, x: A, y_shape: tuple[int, ...], upper: bool, unit: bool) -> A:
    return b.sum_to(b.solve_triangular(turned(b, x), g, not upper, unit), y_shape)


@gradient("inv", "x")
def inv_x(b: Backend[A], g: A, out: A) -> A:
    across = turned(b, out)
    return b.neg(b.matmul(b.matmul(across, g), across))


@gradient("pinv", "x")
def pinv_x(b: Backend[A], g: A, x: A, out: A) -> A:
    m, n = b.shape(x)[-2:]
    across, g_across = turned(b, out), turned(b, g)
    total = b.neg(b.matmul(b.matmul(across, g), across))
    if m:  # from outside of the range of x; none where the rows are independent
        outside = b.sub(identity(b, m, b.dtype(x)), b.matmul(x, out))
        total = b.add(total, b.matmul(b.matmul(outside, g_across), b.matmul(out, across)))
    if n:
        outside = b.sub(identity(b, n, b.dtype(x)), b.matmul(out, x))
        total = b.add(total, b.matmul(b.matmul(b.matmul(across, out), g_across), outside))
    return total


@gradient("slogdet", "x")
def slogdet_x(b: Backend[A], g_sign: A | None, g_logabsdet: A | None, x: A) -> A:
    if g_logabsdet is None:
        return b.zeros_like(x)
    return b.mul(spread(b, g_logabsdet), turned(b, b.inv(x)))


@gradient("det", "x")
def det_x(b: Backend[A], g: A, x: A) -> A:
    return b.mul(spread(b, g), b.cofactors(x))


@gradient("matrix_exp", "x")
def matrix_exp_x(b: Backend[A], g: A, x: A) -> A:
    # exp of [[x^T, g], [0, x^T]] has the derivative in its corner (Mathias, 1996)
    n, last = b.shape(x)[-1], len(b.shape(x)) - 1
    across = turned(b, x)
    top = b.cat([across, g], last)
    bottom = b.cat([b.zeros_like(x), across], last)
    whole = b.matrix_exp(b.cat([top, bottom], last - 1))
    return columns(b, rows(b, whole, 0, n), n, 2 * n)
