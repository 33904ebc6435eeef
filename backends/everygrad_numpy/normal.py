"""The error function, gelu and the logistic function in float32, which SciPy computes number by number.

Each works on a block in passes of NumPy, into `out` and a few rows of work space. The coefficients are our own
minimax fits to SciPy's float64, by least squares reweighted towards the largest error (C. L. Lawson's algorithm).
The forms are W. J. Cody's, "Rational Chebyshev approximations for the error function", Math. Comp. 23, 1969: near 0 a
polynomial in x * x, further out exp(-t * t) times a function that changes slowly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from everygrad_numpy.arrays import Array
from everygrad_numpy.passes import BLOCK, in_passes

_SIGN = np.int32(-(2**31))
_ONE_BITS = np.float32(1).view(np.int32)
FAR = 1e4
"""Inputs stop there, where every gate is 0 or 1: inf meets no 0."""
_NEAR = np.float32(0.9)
"""Up to here erf(x) is x plus a polynomial times x; beyond, 1 minus an exponential."""


def _numbers(*values: float) -> list[Array]:
    """As arrays of rank 0: NumPy takes them faster than Python's numbers."""
    return [np.array(value, np.float32) for value in values]


# erf(x) / x - 1 by powers of x * x, on [0, 0.9]: the highest first
_INNER = _numbers(-0.000609036034, 0.00501196289, -0.026778909, 0.112821408, -0.376125233, 0.128379154)
# log(erfc(0.9 + h)) by powers of h; it falls for ever, so that it holds for all h
_OUTER = _numbers(-0.00125156065, 0.00994701373, -0.0451622457, -0.830159759, -2.47162283, -1.59409732)
_AT_NEAR = np.exp(_OUTER[-1])
# ndtr(-t) * exp(t * t / 2) on [0, 13.5] is the quotient of these two by powers of t; the second starts with t**4
_ABOVE = _numbers(0.398809869, 2.99922414, 9.48514156, 13.8739563)
_BELOW = _numbers(7.50698221, 24.9263902, 41.109816, 27.7479126)
_DENSITY, _HALF, _ONE = _numbers(0.3989422804014327, -0.5, 1.0)
_FARTHEST: Array = np.full(BLOCK, 15, np.float32)
_NEARS: Array = np.full(BLOCK, _NEAR, np.float32)
_ZEROS: Array = np.zeros(BLOCK, np.float32)
_LOWEST: Array = np.full(BLOCK, -FAR, np.float32)


def erf(x: Array) -> Array:
    """2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x, to 2 units in the last place."""
    return in_passes(_erf, 3, x)


def gelu(x: Array) -> Array:
    """x * ndtr(x); of negative x, however far, too, to some units in the last place."""
    return in_passes(_gelu, 3, x)


def gelu_backward(x: Array, grad: Array) -> Array:
    """The slope of `gelu` times `grad`."""
    return in_passes(_gelu_backward, 3, x, grad)


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x))."""
    return in_passes(_logistic, 0, x)


def silu(x: Array) -> Array:
    """x * sigmoid(x), 0 at -inf."""
    return in_passes(_silu, 1, x)


def silu_backward(x: Array, grad: Array) -> Array:
    """The slope of `silu` times `grad`."""
    return in_passes(_silu_backward, 2, x, grad)


def _erf(out: Array, room: Array, x: Array) -> None:
    """|x| in two parts, up to _NEAR and what lies beyond: where one varies, the other adds exactly nothing."""
    near, beyond, inner = room
    np.abs(x, out)
    np.minimum(out, _NEARS[: len(x)], out=near)
    np.subtract(out, near, beyond)
    _polynomial(_INNER, np.square(near, out), inner)
    inner *= near
    inner += near
    np.exp(_polynomial(_OUTER, beyond, out), out)
    np.subtract(_AT_NEAR, out, out)
    out += inner
    bits = out.view(np.int32)
    bits |= np.bitwise_and(x.view(np.int32), _SIGN, out=near.view(np.int32))


def _gelu(out: Array, room: Array, x: Array) -> None:
    """max(x, 0) - |x| * ndtr(-|x|)."""
    t, tail, power = room
    _tail(t, tail, power, x)
    tail *= power
    tail *= t
    np.maximum(x, _ZEROS[: len(x)], out=out)
    out -= tail


def _gelu_backward(out: Array, room: Array, x: Array, grad: Array) -> None:
    """1 + w for positive x and -w for negative, where w = |x| times the density less ndtr(-|x|)."""
    t, tail, power = room
    _tail(t, tail, power, x)
    t *= _DENSITY
    t -= tail
    t *= power
    signs, step = x.view(np.int32), tail.view(np.int32)
    np.bitwise_xor(t.view(np.int32), np.bitwise_and(signs, _SIGN, out=step), out=out.view(np.int32))
    np.invert(np.right_shift(signs, 31, out=step), out=step)
    step &= _ONE_BITS  # 1.0 where x is positive, else 0.0
    out += tail
    out *= grad


def _tail(t: Array, tail: Array, power: Array, x: Array) -> None:
    """|x|, as far as it matters, ndtr(-|x|) * exp(x * x / 2), and exp(-x * x / 2)."""
    np.abs(x, out=t)
    np.minimum(t, _FARTHEST[: len(x)], out=t)
    _polynomial(_ABOVE, t, tail)
    np.add(t, _BELOW[0], out=power)
    for coefficient in _BELOW[1:]:
        power *= t
        power += coefficient
    tail /= power
    np.square(t, out=power)
    power *= _HALF
    np.exp(power, out=power)


def _logistic(out: Array, room: Array, x: Array) -> None:
    np.negative(x, out=out)
    np.exp(out, out=out)
    out += _ONE
    np.divide(_ONE, out, out=out)


def _silu(out: Array, room: Array, x: Array) -> None:
    inside = np.maximum(x, _LOWEST[: len(x)], out=room[0])
    _logistic(out, room, inside)
    out *= inside


def _silu_backward(out: Array, room: Array, x: Array, grad: Array) -> None:
    inside, s = room
    np.clip(x, -FAR, FAR, out=inside)
    _logistic(s, room, inside)
    np.subtract(_ONE, s, out=out)
    out *= inside
    out += _ONE
    out *= s
    out *= grad


def _polynomial(coefficients: Sequence[Array], x: Array, out: Array) -> Array:
    """By Horner's scheme."""
    add, multiply = np.add, np.multiply
    multiply(x, coefficients[0], out)
    for coefficient in coefficients[1:-1]:
        add(out, coefficient, out)
        multiply(out, x, out)
    return add(out, coefficients[-1], out)
