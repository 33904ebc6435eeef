"""Gated activations: one half of a dim opens or closes the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import check_dim
from everygrad_ops.errors import ShapeError
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class GatedOps(Protocol[A]):
    """Two halves in, one out."""

    def glu(self: Backend[A], x: A, dim: int) -> A:
        """The first half of x along `dim` times the sigmoid of the second.

        Source: Dauphin, Fan, Auli, Grangier, "Language modeling with gated convolutional networks", 2017.
        """
        half = check_even("glu", self.shape(x), dim)
        value, gate = self.split(wide(self, x), (half, half), dim)
        return narrow(self, self.mul(value, self.sigmoid(gate)), self.dtype(x))

    def glu_backward(self: Backend[A], grad: A, x: A, dim: int) -> A:
        """The gradient of glu, of the shape of x: with s the sigmoid of the gate, grad * s and grad * value * s * (1 - s)."""
        half = check_even("glu_backward", self.shape(x), dim)
        value, gate = self.split(wide(self, x), (half, half), dim)
        wide_grad, s = wide(self, grad), self.sigmoid(gate)
        through = self.mul(wide_grad, s)
        to_gate = self.mul(self.mul(through, value), self.add(self.neg(s), 1))
        return narrow(self, self.cat([through, to_gate], dim), self.dtype(x))


def check_even(op: str, shape: tuple[int, ...], dim: int) -> int:
    """Half of the size along `dim`, which must be even."""
    check_dim(op, dim, len(shape))
    if shape[dim] % 2:
        raise ShapeError(f"{op}: the size along dim must be even. Received: shape {shape}, dim={dim}")
    return shape[dim] // 2
