"""Reductions. `dims` is a tuple of normalised dims; an empty tuple reduces nothing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import check_dims
from everygrad_ops.errors import missing
from everygrad_ops.marks import non_differentiable, primitive
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class ReductionOps(Protocol[A]):
    """Many elements to one."""

    @primitive
    def sum(self, x: A, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """Sum; float16 and bfloat16 accumulate in float32, integers and bools in int64."""
        raise missing(self, "sum")

    @primitive
    def prod(self, x: A, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """Product; its gradient is right where entries are zero. Integers and bools give int64."""
        raise missing(self, "prod")

    @primitive
    def amax(self, x: A, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """Largest value; NaN wins; ties share the gradient evenly. Over nothing it raises `ShapeError`."""
        raise missing(self, "amax")

    @primitive
    def amin(self, x: A, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """Smallest value; NaN wins; ties share the gradient evenly. Over nothing it raises `ShapeError`."""
        raise missing(self, "amin")

    def mean(self: Backend[A], x: A, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """Mean of floats; over nothing it is NaN with a zero gradient."""
        shape = self.shape(x)
        check_dims("mean", dims, len(shape))
        count = size_of(shape, dims)
        total = self.sum(wide(self, x), dims, keepdim)
        result = self.div(total, count) if count else self.mul(total, float("nan"))
        return narrow(self, result, self.dtype(x))

    def var(self: Backend[A], x: A, dims: tuple[int, ...], correction: float = 1, keepdim: bool = False) -> A:
        """Sum of (x - mean)^2 divided by (count - correction); NaN where that divisor is not positive.

        Two passes: the variance of equal values is exactly 0.
        """
        shape = self.shape(x)
        check_dims("var", dims, len(shape))
        divisor = size_of(shape, dims) - correction
        squares = self.sum(self.square(centred(self, wide(self, x), dims)), dims, keepdim)
        result = self.div(squares, divisor) if divisor > 0 else self.mul(squares, float("nan"))
        return narrow(self, result, self.dtype(x))

    def std(self: Backend[A], x: A, dims: tuple[int, ...], correction: float = 1, keepdim: bool = False) -> A:
        """Square root of `var`; the gradient at equal values is 0."""
        return narrow(self, self.sqrt(self.var(wide(self, x), dims, correction, keepdim)), self.dtype(x))

    def logsumexp(self: Backend[A], x: A, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """log(sum(exp(x))), shifted by the largest value so that nothing overflows.

        Over nothing, or where all are -inf, it is -inf with a zero gradient.
        """
        shape = self.shape(x)
        check_dims("logsumexp", dims, len(shape))
        y = wide(self, x)
        if size_of(shape, dims) == 0:
            result = self.log(self.sum(y, dims, keepdim))
        else:
            top = self.amax(self.detach(y), dims, True)
            top = self.where(self.isinf(top), 0, top)
            result = self.add(self.log(self.sum(self.exp(self.sub(y, top)), dims, True)), top)
            result = result if keepdim else self.reshape(result, without(shape, dims))
        return narrow(self, result, self.dtype(x))

    @non_differentiable
    def any(self: Backend[A], x: A, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """Whether any boolean is true; over nothing False."""
        return self.gt(self.sum(x, dims, keepdim), 0)

    @non_differentiable
    def all(self: Backend[A], x: A, dims: tuple[int, ...], keepdim: bool = False) -> A:
        """Whether every boolean is true; over nothing True."""
        return self.eq(self.sum(self.logical_not(x), dims, keepdim), 0)


def size_of(shape: tuple[int, ...], dims: tuple[int, ...]) -> int:
    """How many elements meet in one result.

    >>> size_of((2, 3, 4), (0, 2)), size_of((2, 3), ())
    (8, 1)
    """
    return math.prod(shape[d] for d in dims)


def without(shape: tuple[int, ...], dims: tuple[int, ...]) -> tuple[int, ...]:
    """`shape` with `dims` left out."""
    return tuple(size for d, size in enumerate(shape) if d not in dims)


def centred(b: Backend[A], x: A, dims: tuple[int, ...]) -> A:
    """x less its mean over `dims`; exactly 0 where all are equal.

    A first mean is rounded, so equal values can differ from it by a last bit; the mean of what is left
    over puts that right.
    """
    mean = b.mean(x, dims, True)
    rest = b.mean(b.detach(b.sub(x, mean)), dims, True)
    return b.sub(x, b.add(mean, b.where(b.isfinite(rest), rest, 0)))
