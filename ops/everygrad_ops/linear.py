"""The affine map of a layer and its three adjoints: each bilinear form is the gradient of the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.errors import ShapeError

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class LinearOps(Protocol[A]):
    """x W^T + b over the last dim; all leading dims are rows."""

    def linear(self: Backend[A], x: A, weight: A, bias: A | None) -> A:
        """x (..., in) times the transpose of weight (out, in), plus bias (out,): (..., out)."""
        shape, sizes = self.shape(x), self.shape(weight)
        if not shape or len(sizes) != 2 or shape[-1] != sizes[1]:
            raise ShapeError(
                f"linear: x must be (..., in) and weight (out, in). Received: x of shape {shape}, "
                f"weight of shape {sizes}"
            )
        if bias is not None and self.shape(bias) != sizes[:1]:
            raise ShapeError(
                f"linear: bias must have shape {sizes[:1]}, the rows of weight. "
                f"Received: bias of shape {self.shape(bias)}"
            )
        out = self.matmul(_rows(self, x), self.permute(weight, (1, 0)))
        if bias is not None:
            out = self.add(out, bias)
        return self.reshape(out, (*shape[:-1], sizes[0]))

    def linear_x_backward(self: Backend[A], weight: A, grad: A) -> A:
        """The gradient of `linear` in x: grad (..., out) times weight (out, in)."""
        if self.shape(grad)[-1:] != self.shape(weight)[:1]:
            raise ShapeError(
                "linear_x_backward: grad must be (..., out) and weight (out, in). "
                f"Received: weight of shape {self.shape(weight)}, grad of shape {self.shape(grad)}"
            )
        out = self.matmul(_rows(self, grad), weight)
        return self.reshape(out, (*self.shape(grad)[:-1], self.shape(weight)[1]))

    def linear_weight_backward(self: Backend[A], x: A, grad: A) -> A:
        """The gradient of `linear` in its weight, (out, in): the rows of grad times the rows of x, summed."""
        if self.shape(x)[:-1] != self.shape(grad)[:-1]:
            raise ShapeError(
                "linear_weight_backward: x (..., in) and grad (..., out) must have equal leading sizes. "
                f"Received: x of shape {self.shape(x)}, grad of shape {self.shape(grad)}"
            )
        return self.matmul(self.permute(_rows(self, grad), (1, 0)), _rows(self, x))

    def linear_bias_backward(self: Backend[A], grad: A) -> A:
        """The gradient of `linear` in its bias, (out,): grad (..., out) summed over all leading dims."""
        return self.sum(grad, tuple(range(len(self.shape(grad)) - 1)))


def _rows(b: Backend[A], x: A) -> A:
    shape = b.shape(x)
    return x if len(shape) == 2 else b.reshape(x, (math.prod(shape[:-1]), shape[-1]))
