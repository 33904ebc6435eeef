"""Floating-point numbers taken apart, and their neighbours: the optional group, by NumPy on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from everygrad_ops.errors import misfit
from everygrad_ops.host import all_on_host
from everygrad_ops.marks import broadcasting, optional, outputs

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class FloatOps(Protocol[A]):
    """What the bits of a float say."""

    @optional
    @outputs("mantissa", "exponent", integer=("exponent",))
    def frexp(self: Backend[A], x: A) -> tuple[A, A]:
        """(mantissa, exponent) with x = mantissa * 2**exponent: 1/2 <= |mantissa| < 1, and an int64.

        0, infinities and NaN are their own mantissas, with exponent 0. The derivative of the mantissa is 2**-exponent.
        """
        mantissa, exponent = all_on_host(self, _taken_apart, x)
        return mantissa, exponent

    @optional
    @broadcasting
    def nextafter(self: Backend[A], x: A, y: A) -> A:
        """The number next to x in the dtype, on the side of y; y where they are equal. Its derivative in x is 1."""
        import numpy as np

        try:
            with np.errstate(all="ignore"):
                found = np.asarray(np.nextafter(self.to_numpy(x), self.to_numpy(y)))
        except ValueError as error:
            raise misfit("nextafter", error, x=x, y=y) from None
        return self.from_numpy(found, copy=False)


def _taken_apart(x: Any) -> tuple[Any, Any]:
    """NumPy's frexp, whose exponent of infinities and NaN is the platform's."""
    import numpy as np

    mantissa, exponent = np.frexp(x)
    return mantissa, np.where(np.isfinite(x), exponent, 0).astype(np.int64)
