"""Inverse trigonometric and hyperbolic functions: the optional group, whose default goes through the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.host import on_host, pair_on_host
from everygrad_ops.marks import broadcasting, optional, pointwise

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class TrigonometricOps(Protocol[A]):
    """Angles, and lengths in the plane."""

    @optional
    @pointwise
    def asin(self: Backend[A], x: A) -> A:
        """Inverse sine, in radians from -pi/2 to pi/2; NaN outside of [-1, 1], with infinite slope on its ends."""
        import numpy as np

        return on_host(self, np.arcsin, x)

    @optional
    @pointwise
    def acos(self: Backend[A], x: A) -> A:
        """Inverse cosine, in radians from 0 to pi; NaN outside of [-1, 1], with infinite slope on its ends."""
        import numpy as np

        return on_host(self, np.arccos, x)

    @optional
    @pointwise
    def atan(self: Backend[A], x: A) -> A:
        """Inverse tangent, in radians from -pi/2 to pi/2."""
        import numpy as np

        return on_host(self, np.arctan, x)

    @optional
    @pointwise
    def sinh(self: Backend[A], x: A) -> A:
        """Hyperbolic sine, (exp(x) - exp(-x)) / 2, exact near 0."""
        import numpy as np

        return on_host(self, np.sinh, x)

    @optional
    @pointwise
    def cosh(self: Backend[A], x: A) -> A:
        """Hyperbolic cosine, (exp(x) + exp(-x)) / 2."""
        import numpy as np

        return on_host(self, np.cosh, x)

    @optional
    @pointwise
    def asinh(self: Backend[A], x: A) -> A:
        """Inverse hyperbolic sine, log(x + sqrt(x * x + 1)), exact near 0."""
        import numpy as np

        return on_host(self, np.arcsinh, x)

    @optional
    @pointwise
    def acosh(self: Backend[A], x: A) -> A:
        """Inverse hyperbolic cosine, log(x + sqrt(x * x - 1)); NaN below 1, with infinite slope at 1."""
        import numpy as np

        return on_host(self, np.arccosh, x)

    @optional
    @pointwise
    def atanh(self: Backend[A], x: A) -> A:
        """Inverse hyperbolic tangent, log((1 + x) / (1 - x)) / 2; inf at 1, NaN outside of [-1, 1]."""
        import numpy as np

        return on_host(self, np.arctanh, x)

    @optional
    @broadcasting
    def atan2(self: Backend[A], y: A, x: A) -> A:
        """The angle of the point (x, y), in radians from -pi to pi; at (0, 0) its gradient is 0.

        The signs of zeros count, as in C: atan2(0, -0.0) is pi.
        """
        import numpy as np

        return pair_on_host(self, "atan2", np.arctan2, y, x)

    @optional
    @broadcasting
    def hypot(self: Backend[A], x: A, y: A) -> A:
        """sqrt(x * x + y * y) without overflow; inf where either is infinite. At (0, 0) its gradient is 0."""
        import numpy as np

        return pair_on_host(self, "hypot", np.hypot, x, y)
