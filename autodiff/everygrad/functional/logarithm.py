"""Logarithms and powers of other bases, and products with a logarithm. Integers are taken as float32."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.tensor.operands import floating, floating_arrays
from everygrad.tensor.wrap import wrap

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "exp2",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "xlogy",
]


def log2(input: Tensor) -> Tensor:
    """Logarithm of base 2.

    >>> import everygrad as eg
    >>> eg.log2(eg.tensor([8.0])).tolist()
    [3.0]
    """
    x = floating(input)
    return wrap(x.backend.log2(x.array), x.backend, x.known_dtype)


def log10(input: Tensor) -> Tensor:
    """Logarithm of base 10.

    >>> import everygrad as eg
    >>> eg.log10(eg.tensor([100.0])).tolist()
    [2.0]
    """
    x = floating(input)
    return wrap(x.backend.log10(x.array), x.backend, x.known_dtype)


def exp2(input: Tensor) -> Tensor:
    """2 to the power.

    >>> import everygrad as eg
    >>> eg.exp2(eg.tensor([3.0])).tolist()
    [8.0]
    """
    x = floating(input)
    return wrap(x.backend.exp2(x.array), x.backend, x.known_dtype)


def logaddexp(input: Tensor | float, other: Tensor | float) -> Tensor:
    """log(exp(input) + exp(other)) without overflow; of two -inf it is -inf, with gradient 0.

    >>> import everygrad as eg
    >>> eg.logaddexp(eg.tensor([1000.0]), eg.tensor([0.0])).tolist()
    [1000.0]
    """
    b, x, y, dtype = floating_arrays("logaddexp", input, other)
    return wrap(b.logaddexp(x, y), b, dtype)


def logaddexp2(input: Tensor | float, other: Tensor | float) -> Tensor:
    """log2(2**input + 2**other) without overflow.

    >>> import everygrad as eg
    >>> eg.logaddexp2(eg.tensor([3.0]), eg.tensor([3.0])).tolist()
    [4.0]
    """
    b, x, y, dtype = floating_arrays("logaddexp2", input, other)
    return wrap(b.logaddexp2(x, y), b, dtype)


def xlogy(input: Tensor | float, other: Tensor | float) -> Tensor:
    """input * log(other), and 0 where input is 0 and other is not NaN.

    >>> import everygrad as eg
    >>> eg.xlogy(eg.tensor([0.0, 2.0]), eg.tensor([0.0, 1.0])).tolist()
    [0.0, 0.0]
    """
    b, x, y, dtype = floating_arrays("xlogy", input, other)
    return wrap(b.xlogy(x, y), b, dtype)


def xlog1py(input: Tensor | float, other: Tensor | float) -> Tensor:
    """input * log(1 + other), and 0 where input is 0 and other is not NaN.

    >>> import everygrad as eg
    >>> eg.special.xlog1py(eg.tensor([0.0, 2.0]), eg.tensor([-1.0, 0.0])).tolist()
    [0.0, 0.0]
    """
    b, x, y, dtype = floating_arrays("xlog1py", input, other)
    return wrap(b.xlog1py(x, y), b, dtype)
