"""Products beyond matrices: Einstein's sums, the cross product, distances between all rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import check_dim, common_shape
from everygrad_ops.dtypes import DType
from everygrad_ops.einsum import contract_all, read_equation
from everygrad_ops.errors import DTypeError, ShapeError, mixed_dtypes
from everygrad_ops.marks import broadcasting, caches
from everygrad_ops.precision import narrow, wide
from everygrad_ops.shape import part

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ProductOps(Protocol[A]):
    """Sums of products."""

    def einsum(self: Backend[A], xs: Sequence[A], equation: str) -> A:
        """The sum over all indices that the result lacks of the products of `xs`: "ij,jk->ik" is a matrix product.

        One letter per dim, the result always written, no dots and no spaces; a letter repeated within an operand
        takes its diagonal. Sizes of 1 stretch. Pairs are multiplied as matrices, the smallest result first.
        """
        inputs, output = read_equation(equation, [self.shape(x) for x in xs])
        for x in xs[1:]:
            if self.dtype(x) is not self.dtype(xs[0]):
                raise mixed_dtypes("einsum", **{f"xs[{i}]": self.dtype(v) for i, v in enumerate(xs)})
        return contract_all(self, list(xs), inputs, output)

    @broadcasting
    def cross(self: Backend[A], x: A, y: A, dim: int) -> A:
        """The vector product along `dim`, of size 3 in both; x and y have one rank, other dims broadcast."""
        check_cross(self.shape(x), self.shape(y), dim)
        if self.dtype(x) is not self.dtype(y):
            raise mixed_dtypes("cross", x=self.dtype(x), y=self.dtype(y))
        if self.dtype(x) is DType.bool_:
            raise DTypeError(
                "cross: booleans have no cross product. Received: bool; write cast(x, DType.int64)"
            )
        a, c = ([self.slice(v, part(self.shape(v), dim, i, 1)) for i in range(3)] for v in (x, y))
        turns = ((1, 2), (2, 0), (0, 1))
        return self.cat([self.sub(self.mul(a[i], c[j]), self.mul(a[j], c[i])) for i, j in turns], dim)

    def cdist(self: Backend[A], x: A, y: A, p: float) -> A:
        """The p-norm of each x[..., i, :] - y[..., j, :]: (..., m, d) and (..., n, d) give (..., m, n).

        p >= 0, inf too. Leading dims broadcast. Equal rows have distance 0 and gradient 0, to every order.
        """
        check_rows("cdist", self.shape(x), self.shape(y), p)
        if self.dtype(x) is not self.dtype(y):
            raise mixed_dtypes("cdist", x=self.dtype(x), y=self.dtype(y))
        apart = self.sub(_widened(self, x, -2), _widened(self, y, -3))
        return row_norm(self, apart, p)

    @caches("distance")
    def cdist_backward(self: Backend[A], grad: A, x: A, y: A, p: float, distance: A | None = None) -> A:
        """The gradient of `cdist` in x, of the shape of x; `distance`, its result, saves computing it again.

        By sign(d) |d|^(p-1) / |d|_p^(p-1), with d = x[..., i, :] - y[..., j, :]: 0 where that is 0, to every order.
        """
        check_rows("cdist_backward", self.shape(x), self.shape(y), p)
        shape, dtype = self.shape(x), self.dtype(x)
        x, y, grad = wide(self, x), wide(self, y), wide(self, grad)
        apart = self.sub(_widened(self, x, -2), _widened(self, y, -3))
        size = row_norm(self, apart, p) if distance is None else wide(self, distance)
        factor, size = _widened(self, grad, -1), _widened(self, size, -1)
        part = _slopes(self, apart, size, p)
        total = self.sum(self.mul(factor, part), (len(self.shape(part)) - 2,))
        return narrow(self, self.sum_to(total, shape), dtype)

    def pdist(self: Backend[A], x: A, p: float) -> A:
        """The p-norms of x[i] - x[j] for all i < j, as a vector in the order of rows: x is (n, d), p >= 0."""
        shape = self.shape(x)
        if len(shape) != 2:
            raise ShapeError(f"pdist: x must be (n, d). Received: shape {shape}")
        check_rows("pdist", shape, shape, p)
        count = self.arange(0, shape[0], 1, DType.int64)
        pairs = self.nonzero(self.lt(self.reshape(count, (shape[0], 1)), count))
        first, second = (self.reshape(i, self.shape(i)[:1]) for i in self.split(pairs, (1, 1), 1))
        return row_norm(self, self.sub(self.index_select(x, 0, first), self.index_select(x, 0, second)), p)


def row_norm(b: Backend[A], x: A, p: float) -> A:
    """The p-norm over the last dim; 0 over nothing."""
    *lead, d = b.shape(x)
    if d == 0:
        return b.sum(x, (len(lead),))
    return b.vector_norm(x, p, (len(lead),))


def _slopes(b: Backend[A], apart: A, size: A, p: float) -> A:
    """The derivative of the p-norm `size` (..., 1) in its components `apart`."""
    if p == 0:
        return b.mul0(apart, b.zeros_like(apart))
    if p == 1:
        return b.sign(apart)
    zero = b.eq(size, 0)
    safe = b.where(zero, 1, size)
    if p == 2:
        return b.where(zero, 0, b.div(apart, safe))
    if p == math.inf:
        top = b.cast(b.logical_and(b.eq(b.abs(apart), size), b.logical_not(zero)), b.dtype(apart))
        count = b.sum(top, (len(b.shape(top)) - 1,), True)
        return b.mul(b.sign(apart), b.div(top, b.maximum(count, 1)))
    still = b.eq(apart, 0)
    ratio = b.div(b.where(still, 1, b.abs(apart)), safe)
    return b.where(still, 0, b.mul(b.sign(apart), b.pow(ratio, p - 1)))


def _widened(b: Backend[A], x: A, at: int) -> A:
    shape = b.shape(x)
    at += len(shape) + 1
    return b.reshape(x, (*shape[:at], 1, *shape[at:]))


def check_cross(x_shape: tuple[int, ...], y_shape: tuple[int, ...], dim: int) -> None:
    """Refuse what has no 3 elements along `dim`."""
    check_dim("cross", dim, len(x_shape))
    if len(x_shape) != len(y_shape) or x_shape[dim] != 3 or y_shape[dim] != 3:
        raise ShapeError(
            f"cross: x and y must have one rank, and size 3 on dim {dim}. "
            f"Received: shapes {x_shape} and {y_shape}"
        )
    common_shape("cross", x_shape, y_shape)


def check_rows(op: str, x_shape: tuple[int, ...], y_shape: tuple[int, ...], p: float) -> None:
    """Refuse rows of unequal length, and an order that is no distance."""
    if not p >= 0:
        raise ShapeError(f"{op}: p must be a number from 0 on, or inf. Received: p={p}")
    if len(x_shape) < 2 or len(y_shape) < 2 or x_shape[-1] != y_shape[-1]:
        raise ShapeError(
            f"{op}: x must be (..., m, d) and y (..., n, d). Received: shapes {x_shape} and {y_shape}"
        )
    common_shape(op, x_shape[:-2], y_shape[:-2])
