"""Bessel functions under torch's names, and Airy's; `everygrad.special` lists them with the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.tensor.operands import floating
from everygrad.tensor.wrap import wrap

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "airy_ai",
    "bessel_y0",
    "bessel_y1",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
]


def airy_ai(input: Tensor) -> Tensor:
    """Airy's function Ai: the solution of y'' = x y that vanishes at inf.

    >>> import everygrad as eg
    >>> round(eg.special.airy_ai(eg.tensor(0.0)).item(), 4)
    0.355
    """
    x = floating(input)
    return wrap(x.backend.airy_ai(x.array, False), x.backend, x.known_dtype)


def bessel_y0(input: Tensor) -> Tensor:
    """The Bessel function of the second kind, of order 0: -inf at 0, NaN below.

    >>> import everygrad as eg
    >>> round(eg.special.bessel_y0(eg.tensor(2.0)).item(), 4)
    0.5104
    """
    x = floating(input)
    return wrap(x.backend.bessel_y(x.array, 0), x.backend, x.known_dtype)


def bessel_y1(input: Tensor) -> Tensor:
    """The Bessel function of the second kind, of order 1: -inf at 0, NaN below.

    >>> import everygrad as eg
    >>> round(eg.special.bessel_y1(eg.tensor(2.0)).item(), 4)
    -0.107
    """
    x = floating(input)
    return wrap(x.backend.bessel_y(x.array, 1), x.backend, x.known_dtype)


def modified_bessel_k0(input: Tensor) -> Tensor:
    """The modified Bessel function of the second kind, of order 0: inf at 0, NaN below.

    >>> import everygrad as eg
    >>> round(eg.special.modified_bessel_k0(eg.tensor(1.0)).item(), 4)
    0.421
    """
    x = floating(input)
    return wrap(x.backend.bessel_k(x.array, 0), x.backend, x.known_dtype)


def modified_bessel_k1(input: Tensor) -> Tensor:
    """The modified Bessel function of the second kind, of order 1: inf at 0, NaN below.

    >>> import everygrad as eg
    >>> round(eg.special.modified_bessel_k1(eg.tensor(1.0)).item(), 4)
    0.6019
    """
    x = floating(input)
    return wrap(x.backend.bessel_k(x.array, 1), x.backend, x.known_dtype)


def scaled_modified_bessel_k0(input: Tensor) -> Tensor:
    """exp(input) modified_bessel_k0(input), which does not vanish.

    >>> import everygrad as eg
    >>> round(eg.special.scaled_modified_bessel_k0(eg.tensor(1.0)).item(), 4)
    1.1445
    """
    x = floating(input)
    return wrap(x.backend.bessel_ke(x.array, 0), x.backend, x.known_dtype)


def scaled_modified_bessel_k1(input: Tensor) -> Tensor:
    """exp(input) modified_bessel_k1(input), which does not vanish.

    >>> import everygrad as eg
    >>> round(eg.special.scaled_modified_bessel_k1(eg.tensor(1.0)).item(), 4)
    1.6362
    """
    x = floating(input)
    return wrap(x.backend.bessel_ke(x.array, 1), x.backend, x.known_dtype)


def modified_bessel_i0(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind, of order 0: the same as `i0`.

    >>> import everygrad as eg
    >>> round(eg.special.modified_bessel_i0(eg.tensor(1.0)).item(), 4)
    1.2661
    """
    x = floating(input)
    return wrap(x.backend.bessel_i(x.array, 0), x.backend, x.known_dtype)


def modified_bessel_i1(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind, of order 1: the same as `i1`.

    >>> import everygrad as eg
    >>> round(eg.special.modified_bessel_i1(eg.tensor(1.0)).item(), 4)
    0.5652
    """
    x = floating(input)
    return wrap(x.backend.bessel_i(x.array, 1), x.backend, x.known_dtype)
