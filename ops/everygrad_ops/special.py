"""Special functions: the optional group, whose default goes through SciPy on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from everygrad_ops.dtypes import LOW_PRECISION, DType
from everygrad_ops.marks import optional

if TYPE_CHECKING:
    from collections.abc import Callable

    from everygrad_ops.backend import Backend

A = TypeVar("A")


class SpecialOps(Protocol[A]):
    """Functions that no short composition gives."""

    @optional
    def erf(self: Backend[A], x: A) -> A:
        """Error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x."""
        from scipy.special import erf

        return _on_host(self, erf, x)


def _on_host(b: Backend[A], function: Callable[[Any], Any], x: A) -> A:
    """A SciPy function of the values on the host; low precision goes through float32."""
    import numpy as np

    dtype = b.dtype(x)
    if dtype in LOW_PRECISION:
        return b.cast(_on_host(b, function, b.cast(x, DType.float32)), dtype)
    return b.from_numpy(np.asarray(function(b.to_numpy(x))), copy=False)
