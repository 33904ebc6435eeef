"""Bessel functions of whole order: the optional group, by SciPy on the host.

Their derivatives are those of the neighbouring orders, so each is right at 0, to every order of differentiation.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from everygrad_ops.gamma import check_order
from everygrad_ops.host import on_host, scipy_special
from everygrad_ops.marks import optional, pointwise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everygrad_ops.backend import Backend

A = TypeVar("A")


class BesselOps(Protocol[A]):
    """Of the first kind; n >= 0."""

    @optional
    @pointwise
    def bessel_i(self: Backend[A], x: A, n: int) -> A:
        """The modified function I_n: the mean of exp(x cos t) cos(n t) over t from 0 to pi."""
        check_order("bessel_i", n)
        return on_host(self, functools.partial(scipy_special().iv, n), x)

    @optional
    @pointwise
    def bessel_ie(self: Backend[A], x: A, n: int) -> A:
        """exp(-|x|) I_n(x), which does not overflow; its derivative at the kink in 0 is that of I_n."""
        check_order("bessel_ie", n)
        return on_host(self, functools.partial(_scaled, n), x)

    @optional
    @pointwise
    def bessel_j(self: Backend[A], x: A, n: int) -> A:
        """The function J_n: the mean of cos(n t - x sin t) over t from 0 to pi."""
        check_order("bessel_j", n)
        return on_host(self, functools.partial(scipy_special().jv, n), x)


def _scaled(n: int, x: NDArray[Any]) -> NDArray[Any]:
    """exp(-|x|) I_n(x); far out, where SciPy gives up, by the first two terms of Hankel's expansion."""
    import numpy as np

    out: NDArray[Any] = np.asarray(scipy_special().ive(n, x))
    far = np.isnan(out) & ~np.isnan(x)
    if far.any():
        size = np.abs(x)
        with np.errstate(all="ignore"):
            tail = (1 - (4 * n * n - 1) / (8 * size)) / np.sqrt(2 * np.pi * size)
        signed: NDArray[Any] = np.where((x < 0) & (n % 2 == 1), -tail, tail)
        out = np.where(far, signed, out)
    return out
