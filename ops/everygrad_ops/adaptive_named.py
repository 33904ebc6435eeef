"""Adaptive pools under the names people know: thin methods over the N-dimensional ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.adaptive import output_sizes
from everygrad_ops.geometry import Ints
from everygrad_ops.marks import outputs

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class AdaptiveNamedOps(Protocol[A]):
    """adaptive_avg_pool and adaptive_max_pool for one, two and three spatial axes, and their gradients.

    x is (N, C, spatial...) and gives only its shape to `_backward`; indices are flat, into its plane.
    """

    def adaptive_avg_pool1d(self: Backend[A], x: A, output_size: Ints) -> A:
        """1-D `adaptive_avg_pool`."""
        return self.adaptive_avg_pool(x, output_sizes("adaptive_avg_pool1d", output_size, 1))

    def adaptive_avg_pool1d_backward(self: Backend[A], x: A, grad: A) -> A:
        """The gradient of `adaptive_avg_pool1d` in x, from the upstream gradient of the result's shape."""
        return self.adaptive_avg_pool_backward(grad, self.shape(x))

    def adaptive_max_pool1d(self: Backend[A], x: A, output_size: Ints) -> A:
        """1-D `adaptive_max_pool`."""
        return self.adaptive_max_pool(x, output_sizes("adaptive_max_pool1d", output_size, 1))

    @outputs("values", "indices", integer=("indices",))
    def adaptive_max_pool1d_with_indices(self: Backend[A], x: A, output_size: Ints) -> tuple[A, A]:
        """1-D `adaptive_max_pool_with_indices`."""
        return self.adaptive_max_pool_with_indices(
            x, output_sizes("adaptive_max_pool1d_with_indices", output_size, 1)
        )

    def adaptive_max_pool1d_with_indices_backward(self: Backend[A], x: A, grad: A, indices: A) -> A:
        """The gradient of `adaptive_max_pool1d` in x: each upstream value goes to its index."""
        return self.adaptive_max_pool_with_indices_backward(grad, indices, self.shape(x))

    def adaptive_avg_pool2d(self: Backend[A], x: A, output_size: Ints) -> A:
        """2-D `adaptive_avg_pool`."""
        return self.adaptive_avg_pool(x, output_sizes("adaptive_avg_pool2d", output_size, 2))

    def adaptive_avg_pool2d_backward(self: Backend[A], x: A, grad: A) -> A:
        """The gradient of `adaptive_avg_pool2d` in x, from the upstream gradient of the result's shape."""
        return self.adaptive_avg_pool_backward(grad, self.shape(x))

    def adaptive_max_pool2d(self: Backend[A], x: A, output_size: Ints) -> A:
        """2-D `adaptive_max_pool`."""
        return self.adaptive_max_pool(x, output_sizes("adaptive_max_pool2d", output_size, 2))

    @outputs("values", "indices", integer=("indices",))
    def adaptive_max_pool2d_with_indices(self: Backend[A], x: A, output_size: Ints) -> tuple[A, A]:
        """2-D `adaptive_max_pool_with_indices`."""
        return self.adaptive_max_pool_with_indices(
            x, output_sizes("adaptive_max_pool2d_with_indices", output_size, 2)
        )

    def adaptive_max_pool2d_with_indices_backward(self: Backend[A], x: A, grad: A, indices: A) -> A:
        """The gradient of `adaptive_max_pool2d` in x: each upstream value goes to its index."""
        return self.adaptive_max_pool_with_indices_backward(grad, indices, self.shape(x))

    def adaptive_avg_pool3d(self: Backend[A], x: A, output_size: Ints) -> A:
        """3-D `adaptive_avg_pool`."""
        return self.adaptive_avg_pool(x, output_sizes("adaptive_avg_pool3d", output_size, 3))

    def adaptive_avg_pool3d_backward(self: Backend[A], x: A, grad: A) -> A:
        """The gradient of `adaptive_avg_pool3d` in x, from the upstream gradient of the result's shape."""
        return self.adaptive_avg_pool_backward(grad, self.shape(x))

    def adaptive_max_pool3d(self: Backend[A], x: A, output_size: Ints) -> A:
        """3-D `adaptive_max_pool`."""
        return self.adaptive_max_pool(x, output_sizes("adaptive_max_pool3d", output_size, 3))

    @outputs("values", "indices", integer=("indices",))
    def adaptive_max_pool3d_with_indices(self: Backend[A], x: A, output_size: Ints) -> tuple[A, A]:
        """3-D `adaptive_max_pool_with_indices`."""
        return self.adaptive_max_pool_with_indices(
            x, output_sizes("adaptive_max_pool3d_with_indices", output_size, 3)
        )

    def adaptive_max_pool3d_with_indices_backward(self: Backend[A], x: A, grad: A, indices: A) -> A:
        """The gradient of `adaptive_max_pool3d` in x: each upstream value goes to its index."""
        return self.adaptive_max_pool_with_indices_backward(grad, indices, self.shape(x))
