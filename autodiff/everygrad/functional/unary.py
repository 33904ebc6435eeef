"""Elementwise functions of one tensor. Functions that are not whole-numbered take integers as float32."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.tensor.operands import cast_to, floating, known_dtype, no_booleans
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType, DTypeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "abs",
    "absolute",
    "ceil",
    "cos",
    "exp",
    "expm1",
    "fix",
    "floor",
    "log",
    "log1p",
    "neg",
    "negative",
    "reciprocal",
    "round",
    "rsqrt",
    "sgn",
    "sign",
    "sin",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
]


def neg(input: Tensor) -> Tensor:
    """Negative.

    >>> import everygrad as eg
    >>> eg.neg(eg.tensor([1.0, -2.0])).tolist()
    [-1.0, 2.0]
    """
    dtype = known_dtype("neg", input)
    if dtype is DType.bool_:
        raise no_booleans("neg", input)
    return wrap(input.backend.neg(input.array), input.backend, dtype)


def abs(input: Tensor) -> Tensor:
    """Absolute value; derivative 0 at 0.

    >>> import everygrad as eg
    >>> eg.abs(eg.tensor([1.0, -2.0])).tolist()
    [1.0, 2.0]
    """
    dtype = known_dtype("abs", input)
    if dtype is DType.bool_:
        return input
    return wrap(input.backend.abs(input.array), input.backend, dtype)


def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1; derivative 0.

    >>> import everygrad as eg
    >>> eg.sign(eg.tensor([3.0, -2.0])).tolist()
    [1.0, -1.0]
    """
    dtype = known_dtype("sign", input)
    if dtype is DType.bool_:
        return input
    return wrap(input.backend.sign(input.array), input.backend, dtype)


def exp(input: Tensor) -> Tensor:
    """e to the power.

    >>> import everygrad as eg
    >>> eg.exp(eg.tensor([0.0])).tolist()
    [1.0]
    """
    input = floating(input)
    return wrap(input.backend.exp(input.array), input.backend, input.dtype)


def expm1(input: Tensor) -> Tensor:
    """e to the power, minus 1; exact near 0.

    >>> import everygrad as eg
    >>> eg.expm1(eg.tensor([0.0])).tolist()
    [0.0]
    """
    input = floating(input)
    return wrap(input.backend.expm1(input.array), input.backend, input.dtype)


def log(input: Tensor) -> Tensor:
    """Natural logarithm.

    >>> import everygrad as eg
    >>> eg.log(eg.tensor([1.0])).tolist()
    [0.0]
    """
    input = floating(input)
    return wrap(input.backend.log(input.array), input.backend, input.dtype)


def log1p(input: Tensor) -> Tensor:
    """log(1 + input); exact near 0.

    >>> import everygrad as eg
    >>> eg.log1p(eg.tensor([0.0])).tolist()
    [0.0]
    """
    input = floating(input)
    return wrap(input.backend.log1p(input.array), input.backend, input.dtype)


def sqrt(input: Tensor) -> Tensor:
    """Square root.

    >>> import everygrad as eg
    >>> eg.sqrt(eg.tensor([4.0])).tolist()
    [2.0]
    """
    input = floating(input)
    return wrap(input.backend.sqrt(input.array), input.backend, input.dtype)


def rsqrt(input: Tensor) -> Tensor:
    """1 / square root.

    >>> import everygrad as eg
    >>> eg.rsqrt(eg.tensor([4.0])).tolist()
    [0.5]
    """
    input = floating(input)
    return wrap(input.backend.rsqrt(input.array), input.backend, input.dtype)


def reciprocal(input: Tensor) -> Tensor:
    """1 / input.

    >>> import everygrad as eg
    >>> eg.reciprocal(eg.tensor([4.0])).tolist()
    [0.25]
    """
    input = floating(input)
    return wrap(input.backend.reciprocal(input.array), input.backend, input.dtype)


def square(input: Tensor) -> Tensor:
    """The square.

    >>> import everygrad as eg
    >>> eg.square(eg.tensor([3.0])).tolist()
    [9.0]
    """
    dtype = known_dtype("square", input)
    if dtype is DType.bool_:
        input, dtype = cast_to(input, DType.int64), DType.int64
    return wrap(input.backend.square(input.array), input.backend, dtype)


def sin(input: Tensor) -> Tensor:
    """Sine of radians.

    >>> import everygrad as eg
    >>> eg.sin(eg.tensor([0.0])).tolist()
    [0.0]
    """
    input = floating(input)
    return wrap(input.backend.sin(input.array), input.backend, input.dtype)


def cos(input: Tensor) -> Tensor:
    """Cosine of radians.

    >>> import everygrad as eg
    >>> eg.cos(eg.tensor([0.0])).tolist()
    [1.0]
    """
    input = floating(input)
    return wrap(input.backend.cos(input.array), input.backend, input.dtype)


def tan(input: Tensor) -> Tensor:
    """Tangent of radians.

    >>> import everygrad as eg
    >>> eg.tan(eg.tensor([0.0])).tolist()
    [0.0]
    """
    input = floating(input)
    return wrap(input.backend.tan(input.array), input.backend, input.dtype)


def floor(input: Tensor) -> Tensor:
    """Largest whole number not above; derivative 0.

    >>> import everygrad as eg
    >>> eg.floor(eg.tensor([1.5])).tolist()
    [1.0]
    """
    dtype = known_dtype("floor", input)
    if not dtype.is_floating:
        return input
    return wrap(input.backend.floor(input.array), input.backend, dtype)


def ceil(input: Tensor) -> Tensor:
    """Smallest whole number not below; derivative 0.

    >>> import everygrad as eg
    >>> eg.ceil(eg.tensor([1.5])).tolist()
    [2.0]
    """
    dtype = known_dtype("ceil", input)
    if not dtype.is_floating:
        return input
    return wrap(input.backend.ceil(input.array), input.backend, dtype)


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Nearest whole number, or number of so many decimals, halves to even; derivative 0.

    >>> import everygrad as eg
    >>> eg.round(eg.tensor([2.5])).tolist(), eg.round(eg.tensor([123.0]), decimals=-1).tolist()
    ([2.0], [120.0])
    """
    dtype = known_dtype("round", input)
    if not dtype.is_floating:
        if decimals < 0:
            raise DTypeError(
                f"round: integers have no decimals. Received: decimals={decimals}; write x.to(eg.float64)"
            )
        return input
    b, scale = input.backend, 10.0**-decimals if decimals < 0 else 10.0**decimals
    if decimals == 0:
        return wrap(b.round(input.array), b, dtype)
    if decimals < 0:
        return wrap(b.mul(b.round(b.div(input.array, scale)), scale), b, dtype)
    return wrap(b.div(b.round(b.mul(input.array, scale)), scale), b, dtype)


def trunc(input: Tensor) -> Tensor:
    """The whole part; derivative 0.

    >>> import everygrad as eg
    >>> eg.trunc(eg.tensor([-1.5])).tolist()
    [-1.0]
    """
    dtype = known_dtype("trunc", input)
    if not dtype.is_floating:
        return input
    return wrap(input.backend.trunc(input.array), input.backend, dtype)


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent.

    >>> import everygrad as eg
    >>> eg.tanh(eg.tensor([0.0])).tolist()
    [0.0]
    """
    input = floating(input)
    return wrap(input.backend.tanh(input.array), input.backend, input.dtype)


absolute, fix, negative, sgn = abs, trunc, neg, sign
