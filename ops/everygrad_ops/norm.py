"""Normalisation, with two-pass statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.marks import caches, outputs

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class NormOps(Protocol[A]):
    """Mean 0 and variance 1, per row or per channel."""

    def layer_norm(
        self: Backend[A],
        x: A,
        normalized_shape: tuple[int, ...],
        weight: A | None,
        bias: A | None,
        eps: float,
    ) -> A:
        """(x - mean) / sqrt(var + eps) * weight + bias over the trailing dims `normalized_shape`.

        Source: Ba, Kiros, Hinton, "Layer Normalization", 2016.
        """
        return self.layer_norm_with_stats(x, normalized_shape, weight, bias, eps)[0]

    @outputs("out", "mean", "rstd")
    def layer_norm_with_stats(
        self: Backend[A],
        x: A,
        normalized_shape: tuple[int, ...],
        weight: A | None,
        bias: A | None,
        eps: float,
    ) -> tuple[A, A, A]:
        """(layer_norm, mean, 1 / sqrt(var + eps)); the statistics keep the normalised dims at size 1."""
        rank = len(self.shape(x))
        dims = tuple(range(rank - len(normalized_shape), rank))
        mean = self.mean(x, dims, True)
        centred = self.sub(x, mean)
        mean = self.add(mean, self.mean(self.detach(centred), dims, True))  # what rounding left over
        centred = self.sub(x, mean)
        rstd = self.rsqrt(self.add(self.mean(self.square(centred), dims, True), eps))
        out = self.mul(centred, rstd)
        if weight is not None:
            out = self.mul(out, weight)
        if bias is not None:
            out = self.add(out, bias)
        return out, mean, rstd

    @caches("mean", "rstd")
    @outputs("grad_x", "grad_weight", "grad_bias")
    def layer_norm_backward(
        self: Backend[A],
        grad: A,
        x: A,
        normalized_shape: tuple[int, ...],
        weight: A | None,
        eps: float,
        needs: tuple[bool, bool, bool],
        mean: A | None = None,
        rstd: A | None = None,
    ) -> tuple[A | None, A | None, A | None]:
        """The gradients of `layer_norm` in x, weight and bias; those not in `needs` are None.

        `mean` and `rstd` save computing the statistics again.
        """
        rank = len(self.shape(x))
        dims = tuple(range(rank - len(normalized_shape), rank))
        rows = tuple(range(rank - len(normalized_shape)))
        if mean is None or rstd is None:
            _, mean, rstd = self.layer_norm_with_stats(x, normalized_shape, None, None, eps)
        normed = self.mul(self.sub(x, mean), rstd)
        grad_x = grad_weight = grad_bias = None
        if needs[0]:
            scaled = grad if weight is None else self.mul(grad, weight)
            along = self.mul(normed, self.mean(self.mul(scaled, normed), dims, True))
            grad_x = self.mul(self.sub(self.sub(scaled, self.mean(scaled, dims, True)), along), rstd)
        if needs[1]:
            grad_weight = self.sum(self.mul(grad, normed), rows)
        if needs[2]:
            grad_bias = self.sum(grad, rows)
        return grad_x, grad_weight, grad_bias
