"""Normalisation of channels in groups, per sample; statistics as in `everygrad_ops.norm`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.errors import ShapeError
from everygrad_ops.marks import caches, outputs
from everygrad_ops.norm import affine, check_channels, normalised, slope, standardise
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class GroupNormOps(Protocol[A]):
    """Mean 0 and variance 1 in each group of channels of each sample."""

    def group_norm(self: Backend[A], x: A, groups: int, weight: A | None, bias: A | None, eps: float) -> A:
        """(x - mean) / sqrt(var + eps) * weight + bias, over each of `groups` runs of channels of x (N, C, ...).

        `weight` and `bias` are (C,). Source: Wu, He, "Group Normalization", 2018.
        """
        return self.group_norm_with_stats(x, groups, weight, bias, eps)[0]

    @outputs("out", "mean", "rstd")
    def group_norm_with_stats(
        self: Backend[A], x: A, groups: int, weight: A | None, bias: A | None, eps: float
    ) -> tuple[A, A, A]:
        """(group_norm, mean, 1 / sqrt(var + eps)), the statistics (N, groups)."""
        shape = self.shape(x)
        rows = group_rows("group_norm", shape, groups)
        normed, mean, rstd, _ = standardise(self, self.reshape(wide(self, x), rows), (2,), eps)
        channels = check_channels("group_norm", shape)
        out = affine(self, "group_norm", self.reshape(normed, shape), weight, bias, channels, (shape[1],))
        mean, rstd = self.reshape(mean, rows[:2]), self.reshape(rstd, rows[:2])
        return narrow(self, out, self.dtype(x)), mean, rstd

    @caches("mean", "rstd")
    @outputs("grad_x", "grad_weight", "grad_bias")
    def group_norm_backward(
        self: Backend[A],
        grad: A,
        x: A,
        groups: int,
        weight: A | None,
        eps: float,
        needs: tuple[bool, bool, bool],
        mean: A | None = None,
        rstd: A | None = None,
    ) -> tuple[A | None, A | None, A | None]:
        """The gradients of `group_norm` in x, weight and bias; those not in `needs` are None.

        `mean` and `rstd`, each (N, groups), save computing the statistics again.
        """
        shape, dtype = self.shape(x), self.dtype(x)
        rows, channels = group_rows("group_norm_backward", shape, groups), check_channels("group_norm", shape)
        weight_dtype = dtype if weight is None else self.dtype(weight)
        grad, dims = wide(self, grad), (0, *range(2, len(shape)))
        stats = (
            None if mean is None else self.reshape(mean, (*rows[:2], 1)),
            None if rstd is None else self.reshape(rstd, (*rows[:2], 1)),
        )
        normed, scale = normalised(self, self.reshape(wide(self, x), rows), (2,), eps, stats)
        grad_x = grad_weight = grad_bias = None
        if needs[0]:
            scaled = grad if weight is None else self.mul(grad, self.reshape(wide(self, weight), channels))
            slopes = slope(self, self.reshape(scaled, rows), normed, scale, (2,))
            grad_x = narrow(self, self.reshape(slopes, shape), dtype)
        if needs[1]:
            along = self.mul(grad, self.reshape(normed, shape))
            grad_weight = narrow(self, self.sum(along, dims), weight_dtype)
        if needs[2]:
            grad_bias = narrow(self, self.sum(grad, dims), weight_dtype)
        return grad_x, grad_weight, grad_bias

    def instance_norm(self: Backend[A], x: A, weight: A | None, bias: A | None, eps: float) -> A:
        """`group_norm` with each channel a group of its own.

        Source: Ulyanov, Vedaldi, Lempitsky, "Instance Normalization", 2016.
        """
        shape = self.shape(x)
        check_channels("instance_norm", shape)
        return self.group_norm(x, max(shape[1], 1), weight, bias, eps)


def group_rows(op: str, shape: tuple[int, ...], groups: int) -> tuple[int, int, int]:
    """(N, groups, elements of a group) for x of this shape (N, C, ...)."""
    check_channels(op, shape)
    if groups < 1 or shape[1] % groups:
        raise ShapeError(
            f"{op}: the channels of x must divide by groups. Received: x of shape {shape}, groups={groups}; "
            "write a divisor of the channels, at least 1"
        )
    return shape[0], groups, shape[1] // groups * math.prod(shape[2:])
