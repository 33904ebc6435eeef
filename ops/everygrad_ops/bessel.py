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
    """Of both kinds, and modified, for n >= 0; and Airy's, which is kin to them."""

    @optional
    @pointwise
    def bessel_i(self: Backend[A], x: A, n: int) -> A:
        """The modified function I_n: the mean of exp(x cos t) cos(n t) over t from 0 to pi; inf at inf."""
        check_order("bessel_i", n)
        return on_host(self, functools.partial(_first, True, n), x)

    @optional
    @pointwise
    def bessel_ie(self: Backend[A], x: A, n: int) -> A:
        """exp(-|x|) I_n(x), which does not overflow; its derivative at the kink in 0 is that of I_n."""
        check_order("bessel_ie", n)
        return on_host(self, functools.partial(_scaled, n), x)

    @optional
    @pointwise
    def bessel_j(self: Backend[A], x: A, n: int) -> A:
        """The function J_n: the mean of cos(n t - x sin t) over t from 0 to pi; 0 at inf."""
        check_order("bessel_j", n)
        return on_host(self, functools.partial(_first, False, n), x)

    @optional
    @pointwise
    def bessel_y(self: Backend[A], x: A, n: int) -> A:
        """The function Y_n of the second kind: -inf at 0, NaN below, 0 at inf."""
        check_order("bessel_y", n)
        return on_host(self, functools.partial(_second, n), x)

    @optional
    @pointwise
    def bessel_k(self: Backend[A], x: A, n: int) -> A:
        """The modified function K_n: the integral of exp(-x cosh t) cosh(n t) over t > 0; inf at 0, NaN below."""
        check_order("bessel_k", n)
        return on_host(self, functools.partial(scipy_special().kv, n), x)

    @optional
    @pointwise
    def bessel_ke(self: Backend[A], x: A, n: int) -> A:
        """exp(x) K_n(x), which does not vanish for large x."""
        check_order("bessel_ke", n)
        return on_host(self, functools.partial(_vanishing, scipy_special().kve, n), x)

    @optional
    @pointwise
    def airy_ai(self: Backend[A], x: A, slope: bool = False) -> A:
        """Airy's function Ai, the solution of y'' = x y that vanishes at inf; with `slope`, its derivative."""
        return on_host(self, functools.partial(_airy, slope), x)


def _first(modified: bool, n: int, x: NDArray[Any]) -> NDArray[Any]:
    """I_n or J_n, with the limits at infinity that SciPy does not know."""
    import numpy as np

    special = scipy_special()
    found: NDArray[Any] = np.asarray((special.iv if modified else special.jv)(n, x))
    ends = np.isinf(x)
    if not ends.any():
        return found
    return np.where(ends, (x if n % 2 else np.abs(x)) if modified else 0, found)


def _vanishing(function: Any, n: int, x: NDArray[Any]) -> NDArray[Any]:
    """A function that vanishes at inf; far out, where SciPy gives up, the first term of its expansion."""
    import numpy as np

    found: NDArray[Any] = np.asarray(function(n, x))
    far = np.isnan(found) & (x > 0)
    return np.where(far, np.sqrt(np.pi / 2 / np.where(far, x, 1)), found) if far.any() else found


def _airy(slope: bool, x: NDArray[Any]) -> NDArray[Any]:
    """Ai or Ai' of a NumPy array: at inf 0; at -inf the function vanishes, and its slope has no limit.

    Far out, where SciPy gives up, by the first term of the expansion.
    """
    import numpy as np

    found: NDArray[Any] = np.asarray(scipy_special().airy(x)[int(slope)])
    far = np.isnan(found) & ~np.isnan(x)
    if far.any():
        size = np.where(far, np.abs(x), 1)
        turn, root = 2 / 3 * size**1.5 + np.pi / 4, np.sqrt(np.sqrt(size))
        wave = -np.cos(turn) * root if slope else np.sin(turn) / root
        limit = np.nan if slope else 0.0
        wave = np.where(np.isinf(size), limit, wave / np.sqrt(np.pi))
        found = np.where(far, np.where(x > 0, 0.0, wave), found)
    return found


def _second(n: int, x: NDArray[Any]) -> NDArray[Any]:
    """Y_n, of whose limit at inf SciPy makes NaN."""
    import numpy as np

    found: NDArray[Any] = np.asarray(scipy_special().yn(n, x))
    return np.where(np.isposinf(x), 0.0, found)


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
