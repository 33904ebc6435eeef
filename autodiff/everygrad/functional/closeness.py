"""Nearness and kind of values, and selection that keeps a branch not taken out of the gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.functional.comparison import eq, isfinite, isnan, le, logical_and, logical_or, lt, where
from everygrad.functional.elementwise import add, mul, sub
from everygrad.functional.unary import abs
from everygrad.tensor.operands import cast_to, known_dtype, together
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import DType, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["allclose", "equal", "isclose", "isneginf", "isposinf", "safe_where", "signbit"]

Branch = Any
"""A tensor, a number, or a function of the operands that gives one."""


def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Whether |input - other| <= atol + rtol * |other|, at each position; equal infinities are close.

    >>> import everygrad as eg
    >>> eg.isclose(eg.tensor([1.0, 2.0]), eg.tensor([1.0 + 1e-7, 2.1])).tolist()
    [True, False]
    """
    need_tensor("isclose", "input", input)
    need_tensor("isclose", "other", other)
    if rtol < 0 or atol < 0:
        raise ShapeError(f"isclose: rtol and atol must not be negative. Received: {rtol}, {atol}; write 0")
    x, y = together("isclose", input, other)
    if not x.dtype.is_floating:
        x, y = cast_to(x, DType.float64), cast_to(y, DType.float64)
    close = eq(x, y)
    if equal_nan:
        close = logical_or(close, logical_and(isnan(x), isnan(y)))
    distance = abs(sub(x, y))
    near = le(distance, add(mul(abs(y), rtol), atol))
    return logical_or(close, logical_and(isfinite(distance), near))


def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all are close, by `isclose`.

    >>> import everygrad as eg
    >>> eg.allclose(eg.tensor([1.0]), eg.tensor([1.0 + 1e-7]))
    True
    """
    return _all(isclose(input, other, rtol, atol, equal_nan))


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have one shape and equal values; NaN equals nothing.

    >>> import everygrad as eg
    >>> eg.equal(eg.tensor([1.0, 2.0]), eg.tensor([1.0, 2.0])), eg.equal(eg.tensor([1.0]), eg.tensor(1.0))
    (True, False)
    """
    need_tensor("equal", "input", input)
    need_tensor("equal", "other", other)
    return input.shape == other.shape and _all(eq(input, other))


def _all(x: Tensor) -> bool:
    return bool(x.backend.to_numpy(x.array).all())


def isposinf(input: Tensor) -> Tensor:
    """Whether each value is inf.

    >>> import everygrad as eg
    >>> eg.isposinf(eg.tensor([1.0, float("inf"), -float("inf")])).tolist()
    [False, True, False]
    """
    need_tensor("isposinf", "input", input)
    return eq(input, float("inf"))


def isneginf(input: Tensor) -> Tensor:
    """Whether each value is -inf.

    >>> import everygrad as eg
    >>> eg.isneginf(eg.tensor([1.0, float("inf"), -float("inf")])).tolist()
    [False, False, True]
    """
    need_tensor("isneginf", "input", input)
    return eq(input, float("-inf"))


def signbit(input: Tensor) -> Tensor:
    """Whether each value has a minus sign; -0.0 has one.

    >>> import everygrad as eg
    >>> eg.signbit(eg.tensor([1.0, -0.0, -2.0])).tolist()
    [False, True, True]
    """
    if not known_dtype("signbit", input).is_floating:
        return lt(input, 0)
    b = input.backend
    return wrap(b.lt(b.copysign(b.ones_like(input.array), input.array), 0), b, DType.bool_)


def safe_where(
    condition: Tensor, input: Branch, other: Branch, *operands: Tensor, fill: float = 1.0
) -> Tensor:
    """`where(condition, input, other)` in which a branch not taken is computed of `fill`, and so harmless.

    The gradient of a product with a factor that is inf or NaN is NaN, also where the product is not taken:
    `where(x > 0, x * x.log(), 0)` has gradient NaN at 0. Here each branch may be a function of `operands`, and gets
    them with `fill` in the places that it does not answer for.

    Args:
        condition: booleans; broadcasts.
        input: a tensor, a number, or a function of the operands, for where the condition holds.
        other: the same for elsewhere.
        operands: what the functions are called with.
        fill: a value at which both functions and their derivatives are finite.

    >>> import everygrad as eg
    >>> x = eg.tensor([0.0, 1.0], requires_grad=True)
    >>> y = eg.safe_where(x > 0, lambda x: x * x.log(), 0.0, x)
    >>> y.tolist(), y.sum().backward()[x].tolist()
    ([0.0, 0.0], [0.0, 1.0])
    """
    first: Any = input(*(where(condition, x, fill) for x in operands)) if _is_function(input) else input
    second: Any = other(*(where(condition, fill, x) for x in operands)) if _is_function(other) else other
    return where(condition, _number(first), _number(second))


def _number(branch: Any) -> Any:
    """An integer of more than 64 bits as a float: no backend holds it otherwise."""
    return float(branch) if type(branch) is int and not -(2**63) <= branch < 2**63 else branch


def _is_function(branch: Branch) -> bool:
    return callable(branch) and not is_tensor(branch)
