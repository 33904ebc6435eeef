"""Normalisation by the root of the mean square, and by neighbouring channels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.errors import ShapeError
from everygrad_ops.geometry import pool_options
from everygrad_ops.marks import caches, outputs
from everygrad_ops.norm import check_channels, check_sizes, check_trailing, power_of_two
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class RMSNormOps(Protocol[A]):
    """Scaled to a mean square of 1, without centring."""

    def rms_norm(
        self: Backend[A], x: A, normalized_shape: tuple[int, ...], weight: A | None, eps: float
    ) -> A:
        """x / sqrt(mean(x^2) + eps) * weight over the trailing dims `normalized_shape`.

        Source: Zhang, Sennrich, "Root Mean Square Layer Normalization", 2019.
        """
        return self.rms_norm_with_stats(x, normalized_shape, weight, eps)[0]

    @outputs("out", "rstd")
    def rms_norm_with_stats(
        self: Backend[A], x: A, normalized_shape: tuple[int, ...], weight: A | None, eps: float
    ) -> tuple[A, A]:
        """(rms_norm, 1 / sqrt(mean(x^2) + eps)); the statistic keeps the normalised dims at size 1."""
        dims = _trailing(self, "rms_norm", x, normalized_shape, weight)
        out, rstd = _scaled(self, wide(self, x), dims, eps)
        if weight is not None:
            out = self.mul(out, wide(self, weight))
        return narrow(self, out, self.dtype(x)), rstd

    @caches("rstd")
    @outputs("grad_x", "grad_weight")
    def rms_norm_backward(
        self: Backend[A],
        grad: A,
        x: A,
        normalized_shape: tuple[int, ...],
        weight: A | None,
        eps: float,
        needs: tuple[bool, bool],
        rstd: A | None = None,
    ) -> tuple[A | None, A | None]:
        """The gradients of `rms_norm` in x and weight, None where not in `needs`; `rstd` saves recomputing it."""
        dims = _trailing(self, "rms_norm_backward", x, normalized_shape, weight)
        dtype = self.dtype(x)
        grad, x = wide(self, grad), wide(self, x)
        if rstd is None:
            normed, rstd = _scaled(self, x, dims, eps)
        else:
            normed = self.mul(x, rstd)
        grad_x = grad_weight = None
        if needs[0]:
            scaled = grad if weight is None else self.mul(grad, wide(self, weight))
            along = self.mul(normed, self.mean(self.mul(scaled, normed), dims, True))
            grad_x = narrow(self, self.mul(self.sub(scaled, along), rstd), dtype)
        if needs[1]:
            total = self.sum(self.mul(grad, normed), tuple(range(dims[0])))
            grad_weight = narrow(self, total, dtype if weight is None else self.dtype(weight))
        return grad_x, grad_weight

    def local_response_norm(self: Backend[A], x: A, size: int, alpha: float, beta: float, k: float) -> A:
        """x / (k + alpha * mean of x^2 over `size` channels around)^beta; channels beyond the ends count as 0.

        x is (N, C, ...). Source: Krizhevsky, Sutskever, Hinton, "ImageNet Classification", 2012, section 3.3.
        """
        shape = self.shape(x)
        check_channels("local_response_norm", shape)
        if size < 1:
            raise ShapeError(
                f"local_response_norm: size must be at least 1. Received: size={size}; "
                "write the number of channels to sum over"
            )
        if 0 in shape:
            return self.mul(x, 1.0)
        low, x = self.dtype(x), wide(self, x)
        rows = (shape[0], 1, shape[1], math.prod(shape[2:]))
        squares = self.pad(
            self.reshape(self.square(x), rows), ((0, 0), (0, 0), (size // 2, (size - 1) // 2), (0, 0))
        )
        mean = self.reshape(self.avg_pool(squares, pool_options((size, 1), 1, rank=2)), shape)
        return narrow(self, self.div(x, self.pow(self.add(self.mul(mean, alpha), k), beta)), low)


def _trailing(
    b: Backend[A], op: str, x: A, normalized_shape: tuple[int, ...], weight: A | None
) -> tuple[int, ...]:
    """The dims that are normalised."""
    shape = b.shape(x)
    check_trailing(shape, normalized_shape, op)
    check_sizes(op, b, normalized_shape, weight=weight)
    return tuple(range(len(shape) - len(normalized_shape), len(shape)))


def _scaled(b: Backend[A], x: A, dims: tuple[int, ...], eps: float) -> tuple[A, A]:
    """(x / sqrt(mean(x^2) + eps), 1 / sqrt(mean(x^2) + eps)); rows too large to be squared are scaled down first."""
    factor = power_of_two(b, x, dims)
    scaled = b.mul(x, factor)
    rstd = b.rsqrt(b.add(b.mean(b.square(scaled), dims, True), b.mul(b.square(factor), eps)))
    return b.mul(scaled, rstd), b.mul(rstd, factor)
