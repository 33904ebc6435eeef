"""An array for an argument of which only the shape is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


def stand_in(b: Backend[A], like: A, shape: tuple[int, ...]) -> A:
    """Something of this shape and of the dtype of `like`; it takes no memory."""
    return b.broadcast_to(b.full((), 0, b.dtype(like)), shape)
