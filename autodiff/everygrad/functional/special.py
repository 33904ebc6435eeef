"""Special functions that torch has at its top level; `everygrad.special` has these and more."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from everygrad.functional import more_special
from everygrad.functional.elementwise import clamp
from everygrad.tensor.operands import floating
from everygrad.tensor.wrap import wrap
from everygrad_ops import ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "i0",
    "igamma",
    "igammac",
    "lgamma",
    "logit",
    "mvlgamma",
    "polygamma",
]


def erf(input: Tensor) -> Tensor:
    """Error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to input.

    >>> import everygrad as eg
    >>> eg.erf(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.erf(x.array), x.backend, x.known_dtype)


def erfc(input: Tensor) -> Tensor:
    """1 - erf(input), exact where that is small.

    >>> import everygrad as eg
    >>> eg.erfc(eg.tensor([0.0])).tolist()
    [1.0]
    """
    x = floating(input)
    return wrap(x.backend.erfc(x.array), x.backend, x.known_dtype)


def erfinv(input: Tensor) -> Tensor:
    """The inverse of erf; inf at 1, NaN beyond.

    >>> import everygrad as eg
    >>> eg.erfinv(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.erfinv(x.array), x.backend, x.known_dtype)


def lgamma(input: Tensor) -> Tensor:
    """log |gamma(input)|.

    >>> import everygrad as eg
    >>> eg.lgamma(eg.tensor([1.0, 2.0])).tolist()
    [0.0, 0.0]
    """
    x = floating(input)
    return wrap(x.backend.lgamma(x.array), x.backend, x.known_dtype)


def digamma(input: Tensor) -> Tensor:
    """The derivative of lgamma.

    >>> import everygrad as eg
    >>> round(eg.digamma(eg.tensor(1.0)).item(), 5)
    -0.57722
    """
    x = floating(input)
    return wrap(x.backend.digamma(x.array), x.backend, x.known_dtype)


def polygamma(n: int, input: Tensor) -> Tensor:
    """The n-th derivative of digamma.

    >>> import everygrad as eg
    >>> round(eg.polygamma(1, eg.tensor(1.0)).item(), 5)
    1.64493
    """
    x = floating(input)
    return wrap(x.backend.polygamma(x.array, n), x.backend, x.known_dtype)


def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the gamma function of p dims: p (p - 1) / 4 log(pi) + the sum over j < p of lgamma(input - j / 2).

    NaN where input <= (p - 1) / 2.

    >>> import everygrad as eg
    >>> round(eg.mvlgamma(eg.tensor(3.0), 2).item(), 5)
    1.55019
    """
    if p < 1:
        raise ShapeError(f"mvlgamma: p must be at least 1. Received: p={p}; write the number of dims")
    x = floating(input)
    b, given = x.backend, x.array
    total = b.add(b.lgamma(given), p * (p - 1) / 4 * math.log(math.pi))
    for j in range(1, p):
        total = b.add(total, b.lgamma(b.sub(given, j / 2)))
    return wrap(b.where(b.gt(given, (p - 1) / 2), total, math.nan), b, x.known_dtype)


def i0(input: Tensor) -> Tensor:
    """The modified Bessel function of order 0.

    >>> import everygrad as eg
    >>> eg.i0(eg.tensor([0.0])).tolist()
    [1.0]
    """
    x = floating(input)
    return wrap(x.backend.bessel_i(x.array, 0), x.backend, x.known_dtype)


def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(input / (1 - input)), the inverse of sigmoid; `eps` first limits input to [eps, 1 - eps]. NaN outside of [0, 1].

    >>> import everygrad as eg
    >>> eg.logit(eg.tensor([0.5, 1.0])).tolist()
    [0.0, inf]
    """
    x = floating(input)
    if eps is not None:
        x = clamp(x, eps, 1 - eps)
    b = x.backend
    return wrap(b.sub(b.log(x.array), b.log1p(b.neg(x.array))), b, x.dtype)


def igamma(input: Tensor | float, other: Tensor | float) -> Tensor:
    """The lower incomplete gamma function of a = input: the same as `eg.special.gammainc`.

    >>> import everygrad as eg
    >>> round(eg.igamma(eg.tensor(1.0), eg.tensor(1.0)).item(), 5)
    0.63212
    """
    return more_special.gammainc(input, other)


def igammac(input: Tensor | float, other: Tensor | float) -> Tensor:
    """The upper incomplete gamma function of a = input: the same as `eg.special.gammaincc`.

    >>> import everygrad as eg
    >>> round(eg.igammac(eg.tensor(1.0), eg.tensor(1.0)).item(), 5)
    0.36788
    """
    return more_special.gammaincc(input, other)
