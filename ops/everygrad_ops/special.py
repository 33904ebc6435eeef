"""Special functions: the optional group, whose default goes through SciPy on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.host import on_host
from everygrad_ops.marks import optional

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class SpecialOps(Protocol[A]):
    """Functions that no short composition gives."""

    @optional
    def erf(self: Backend[A], x: A) -> A:
        """Error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x."""
        from scipy.special import erf

        return on_host(self, erf, x)
