"""Angles, inverse trigonometric and hyperbolic functions. Integers are taken as float32."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from everygrad.tensor.operands import floating, floating_arrays
from everygrad.tensor.wrap import wrap

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cosh",
    "deg2rad",
    "hypot",
    "rad2deg",
    "sinc",
    "sinh",
]


def asin(input: Tensor) -> Tensor:
    """Inverse sine, in radians from -pi/2 to pi/2; NaN outside of [-1, 1].

    >>> import everygrad as eg
    >>> eg.asin(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.asin(x.array), x.backend, x.known_dtype)


def acos(input: Tensor) -> Tensor:
    """Inverse cosine, in radians from 0 to pi; NaN outside of [-1, 1].

    >>> import everygrad as eg
    >>> eg.acos(eg.tensor([1.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.acos(x.array), x.backend, x.known_dtype)


def atan(input: Tensor) -> Tensor:
    """Inverse tangent, in radians from -pi/2 to pi/2.

    >>> import everygrad as eg
    >>> eg.atan(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.atan(x.array), x.backend, x.known_dtype)


def sinh(input: Tensor) -> Tensor:
    """Hyperbolic sine.

    >>> import everygrad as eg
    >>> eg.sinh(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.sinh(x.array), x.backend, x.known_dtype)


def cosh(input: Tensor) -> Tensor:
    """Hyperbolic cosine.

    >>> import everygrad as eg
    >>> eg.cosh(eg.tensor([0.0])).tolist()
    [1.0]
    """
    x = floating(input)
    return wrap(x.backend.cosh(x.array), x.backend, x.known_dtype)


def asinh(input: Tensor) -> Tensor:
    """Inverse hyperbolic sine.

    >>> import everygrad as eg
    >>> eg.asinh(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.asinh(x.array), x.backend, x.known_dtype)


def acosh(input: Tensor) -> Tensor:
    """Inverse hyperbolic cosine; NaN below 1.

    >>> import everygrad as eg
    >>> eg.acosh(eg.tensor([1.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.acosh(x.array), x.backend, x.known_dtype)


def atanh(input: Tensor) -> Tensor:
    """Inverse hyperbolic tangent; NaN outside of [-1, 1].

    >>> import everygrad as eg
    >>> eg.atanh(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.atanh(x.array), x.backend, x.known_dtype)


def sinc(input: Tensor) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0; right there in every derivative.

    >>> import everygrad as eg
    >>> eg.sinc(eg.tensor([0.0, 0.5])).tolist()[0]
    1.0
    """
    x = floating(input)
    return wrap(x.backend.sinc(x.array), x.backend, x.known_dtype)


def atan2(input: Tensor | float, other: Tensor | float) -> Tensor:
    """The angle of the point (other, input), in radians from -pi to pi; gradient 0 at (0, 0).

    >>> import everygrad as eg
    >>> eg.atan2(eg.tensor([0.0]), eg.tensor([1.0])).tolist()
    [0.0]
    """
    b, x, y, dtype = floating_arrays("atan2", input, other)
    return wrap(b.atan2(x, y), b, dtype)


def hypot(input: Tensor | float, other: Tensor | float) -> Tensor:
    """sqrt(input**2 + other**2) without overflow; gradient 0 at (0, 0).

    >>> import everygrad as eg
    >>> eg.hypot(eg.tensor([3.0, 3e30]), eg.tensor([4.0, 4e30])).tolist()[0]
    5.0
    """
    b, x, y, dtype = floating_arrays("hypot", input, other)
    return wrap(b.hypot(x, y), b, dtype)


def deg2rad(input: Tensor) -> Tensor:
    """Degrees as radians.

    >>> import everygrad as eg
    >>> eg.deg2rad(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.mul(x.array, math.pi / 180), x.backend, x.known_dtype)


def rad2deg(input: Tensor) -> Tensor:
    """Radians as degrees.

    >>> import everygrad as eg
    >>> eg.rad2deg(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.mul(x.array, 180 / math.pi), x.backend, x.known_dtype)


arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2
arcsinh, arccosh, arctanh = asinh, acosh, atanh
