"""Special functions that torch has in torch.special alone; `everygrad.special` lists them with the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from everygrad.tensor.operands import floating, floating_arrays
from everygrad.tensor.wrap import wrap

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "bessel_j0",
    "bessel_j1",
    "entr",
    "erfcx",
    "gammainc",
    "gammaincc",
    "i0e",
    "i1",
    "i1e",
    "log_ndtr",
    "ndtr",
    "ndtri",
    "spherical_bessel_j0",
    "zeta",
]


def erfcx(input: Tensor) -> Tensor:
    """exp(input**2) * erfc(input), which does not vanish for large input.

    >>> import everygrad as eg
    >>> eg.special.erfcx(eg.tensor([0.0])).tolist()
    [1.0]
    """
    x = floating(input)
    return wrap(x.backend.erfcx(x.array), x.backend, x.known_dtype)


def ndtr(input: Tensor) -> Tensor:
    """The distribution function of the standard normal.

    >>> import everygrad as eg
    >>> eg.special.ndtr(eg.tensor([0.0])).tolist()
    [0.5]
    """
    x = floating(input)
    return wrap(x.backend.ndtr(x.array), x.backend, x.known_dtype)


def ndtri(input: Tensor) -> Tensor:
    """The quantile of the standard normal distribution: the inverse of ndtr.

    >>> import everygrad as eg
    >>> eg.special.ndtri(eg.tensor([0.5])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.ndtri(x.array), x.backend, x.known_dtype)


def log_ndtr(input: Tensor) -> Tensor:
    """The logarithm of ndtr, exact far into the left tail.

    >>> import everygrad as eg
    >>> round(eg.special.log_ndtr(eg.tensor(-30.0)).item(), 1)
    -454.3
    """
    x = floating(input)
    return wrap(x.backend.log_ndtr(x.array), x.backend, x.known_dtype)


def entr(input: Tensor) -> Tensor:
    """-x log(x): 0 at 0, -inf below.

    >>> import everygrad as eg
    >>> eg.special.entr(eg.tensor([0.0, 1.0])).tolist()
    [0.0, -0.0]
    """
    x = floating(input)
    return wrap(x.backend.entr(x.array), x.backend, x.known_dtype)


def zeta(input: Tensor | float, other: Tensor | float) -> Tensor:
    """Hurwitz's zeta: the sum over k >= 0 of (other + k)**-input, for input > 1; at other = 1, Riemann's.

    >>> import everygrad as eg
    >>> round(eg.special.zeta(eg.tensor(2.0), 1).item(), 5)
    1.64493
    """
    b, x, y, dtype = floating_arrays("zeta", input, other)
    return wrap(b.zeta(x, y), b, dtype)


def gammainc(input: Tensor | float, other: Tensor | float) -> Tensor:
    """The lower incomplete gamma of a = input: the integral of t**(a - 1) exp(-t) from 0 to other, over gamma(a).

    >>> import everygrad as eg
    >>> round(eg.special.gammainc(eg.tensor(1.0), eg.tensor(1.0)).item(), 5)
    0.63212
    """
    b, x, y, dtype = floating_arrays("gammainc", input, other)
    return wrap(b.gammainc(x, y), b, dtype)


def gammaincc(input: Tensor | float, other: Tensor | float) -> Tensor:
    """1 - gammainc(input, other), exact where that is small.

    >>> import everygrad as eg
    >>> round(eg.special.gammaincc(eg.tensor(1.0), eg.tensor(1.0)).item(), 5)
    0.36788
    """
    b, x, y, dtype = floating_arrays("gammaincc", input, other)
    return wrap(b.gammaincc(x, y), b, dtype)


def i0e(input: Tensor) -> Tensor:
    """exp(-|x|) i0(x), which does not overflow.

    >>> import everygrad as eg
    >>> eg.special.i0e(eg.tensor([0.0])).tolist()
    [1.0]
    """
    x = floating(input)
    return wrap(x.backend.bessel_ie(x.array, 0), x.backend, x.known_dtype)


def i1(input: Tensor) -> Tensor:
    """The modified Bessel function of order 1.

    >>> import everygrad as eg
    >>> eg.special.i1(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.bessel_i(x.array, 1), x.backend, x.known_dtype)


def i1e(input: Tensor) -> Tensor:
    """exp(-|x|) i1(x), which does not overflow.

    >>> import everygrad as eg
    >>> eg.special.i1e(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.bessel_ie(x.array, 1), x.backend, x.known_dtype)


def bessel_j0(input: Tensor) -> Tensor:
    """The Bessel function of the first kind, of order 0.

    >>> import everygrad as eg
    >>> eg.special.bessel_j0(eg.tensor([0.0])).tolist()
    [1.0]
    """
    x = floating(input)
    return wrap(x.backend.bessel_j(x.array, 0), x.backend, x.known_dtype)


def bessel_j1(input: Tensor) -> Tensor:
    """The Bessel function of the first kind, of order 1.

    >>> import everygrad as eg
    >>> eg.special.bessel_j1(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.bessel_j(x.array, 1), x.backend, x.known_dtype)


def spherical_bessel_j0(input: Tensor) -> Tensor:
    """sin(x) / x, 1 at 0 and 0 at inf; right at 0 in every derivative.

    >>> import everygrad as eg
    >>> eg.special.spherical_bessel_j0(eg.tensor([0.0])).tolist()
    [1.0]
    """
    x = floating(input)
    b = x.backend
    array = b.where(b.isinf(x.array), 0, b.sinc(b.div(x.array, math.pi)))
    return wrap(array, b, x.known_dtype)
