"""Elementwise arithmetic and functions. Shapes broadcast; dtypes promote by torch's table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from everygrad.functional.comparison import ge, isnan, le, logical_or, where
from everygrad.tensor.operands import (
    as_operand,
    cast_to,
    no_booleans,
    number_for,
    operand_arrays,
    operands,
)
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import DType, DTypeError, ShapeError, promote_scalar

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "add",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "div",
    "divide",
    "floor_divide",
    "maximum",
    "minimum",
    "mul",
    "multiply",
    "pow",
    "remainder",
    "rsub",
    "sub",
    "subtract",
]


def add(input: Tensor | float, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """Sum input + alpha * other.

    >>> import everygrad as eg
    >>> eg.add(eg.tensor([1.0, 2.0]), 3).tolist()
    [4.0, 5.0]
    """
    if alpha != 1:
        other = _times("add", input, other, alpha)
    b, x, y, dtype = operands("add", input, other)
    return wrap(b.add(x, y), b, dtype)


def sub(input: Tensor | float, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """Difference input - alpha * other.

    >>> import everygrad as eg
    >>> eg.sub(1, eg.tensor([1.0, 2.0])).tolist()
    [0.0, -1.0]
    """
    if alpha != 1:
        other = _times("sub", input, other, alpha)
    b, x, y, dtype = operands("sub", input, other)
    if dtype is DType.bool_:
        raise no_booleans("sub", input)
    return wrap(b.sub(x, y), b, dtype)


def _times(op: str, input: Tensor | float, other: Tensor | float, alpha: float) -> Tensor | float:
    """alpha * other, in the dtype of the result: 0.1 times integers would be rounded to the default float."""
    whole = not any(isinstance(v, float) or (is_tensor(v) and v.dtype.is_floating) for v in (input, other))
    if whole and isinstance(alpha, float):
        raise DTypeError(
            f"{op}: alpha must be an integer next to integers. Received: alpha={alpha!r}; write int(alpha)"
        )
    if is_tensor(other) and other.dtype.category < 2:
        *_, dtype = operands(op, input, other)
        other = other if dtype is DType.bool_ else cast_to(other, dtype)
    return alpha * other


def mul(input: Tensor | float, other: Tensor | float) -> Tensor:
    """Product. inf or NaN times a zero gradient is NaN here; see `where` for masking.

    >>> import everygrad as eg
    >>> eg.mul(eg.tensor([1.0, 2.0]), eg.tensor([3.0, 4.0])).tolist()
    [3.0, 8.0]
    """
    b, x, y, dtype = operands("mul", input, other)
    return wrap(b.mul(x, y), b, dtype)


def div(
    input: Tensor | float, other: Tensor | float, *, rounding_mode: Literal["trunc", "floor"] | None = None
) -> Tensor:
    """True quotient; integers give the default float dtype. With a rounding mode the whole quotient, in the operands' dtype.

    >>> import everygrad as eg
    >>> eg.div(eg.tensor([1, 2]), 2).tolist()
    [0.5, 1.0]
    >>> eg.div(eg.tensor([-7, 7]), 2, rounding_mode="trunc").tolist()
    [-3, 3]
    """
    if rounding_mode is not None:
        return _rounded(input, other, rounding_mode)
    b, x, y, dtype = operands("div", input, other)
    if not dtype.is_floating:
        dtype = DType.float32
        x = b.cast(x, dtype)
        y = y if isinstance(y, (int, float)) else b.cast(y, dtype)
    return wrap(b.div(x, y), b, dtype)


def _rounded(input: Tensor | float, other: Tensor | float, mode: str) -> Tensor:
    if mode == "floor":
        return floor_divide(input, other)
    if mode != "trunc":
        raise ShapeError(
            f"div: rounding_mode must be None, 'trunc' or 'floor'. Received: {mode!r}; write one of these"
        )
    b, x, y, dtype = operand_arrays("div", input, other)
    if dtype is DType.bool_:
        raise no_booleans("div", input)
    if dtype.is_floating:
        return wrap(b.trunc(b.div(x, y)), b, dtype)
    whole, rest = b.floor_divide(x, y), b.remainder(x, y)
    crossed = b.logical_and(b.ne(rest, 0), b.lt(whole, 0))  # the floor of a negative quotient is one too low
    return wrap(b.where(crossed, b.add(whole, 1), whole), b, dtype)


def floor_divide(input: Tensor | float, other: Tensor | float) -> Tensor:
    """The floor of the quotient, in the operands' dtype.

    >>> import everygrad as eg
    >>> eg.floor_divide(eg.tensor([-3, 3]), 2).tolist()
    [-2, 1]
    """
    b, x, y, dtype = operands("floor_divide", input, other)
    if dtype is DType.bool_:
        raise no_booleans("floor_divide", input)
    return wrap(b.floor_divide(x, y), b, dtype)


def remainder(input: Tensor | float, other: Tensor | float) -> Tensor:
    """input - floor(input / other) * other: the sign is the divisor's.

    >>> import everygrad as eg
    >>> eg.remainder(eg.tensor([-3.0, 3.0]), 2).tolist()
    [1.0, 1.0]
    """
    b, x, y, dtype = operands("remainder", input, other)
    if dtype is DType.bool_:
        raise no_booleans("remainder", input)
    return wrap(b.remainder(x, y), b, dtype)


def pow(input: Tensor | float, exponent: Tensor | float) -> Tensor:
    """Power. x ** 0 is 1 with gradient 0.

    >>> import everygrad as eg
    >>> eg.pow(eg.tensor([2.0, 3.0]), 2).tolist()
    [4.0, 9.0]
    """
    b, x, y, dtype = operands("pow", input, exponent)
    if dtype is DType.bool_:
        raise no_booleans("pow", input)
    return wrap(b.pow(x, y), b, dtype)


def maximum(input: Tensor | float, other: Tensor | float) -> Tensor:
    """The larger at each position; NaN wins; a tie shares its gradient.

    >>> import everygrad as eg
    >>> eg.maximum(eg.tensor([1.0, 4.0]), eg.tensor([3.0, 2.0])).tolist()
    [3.0, 4.0]
    """
    b, x, y, dtype = operands("maximum", input, other)
    return wrap(b.maximum(x, y), b, dtype)


def minimum(input: Tensor | float, other: Tensor | float) -> Tensor:
    """The smaller at each position; NaN wins; a tie shares its gradient.

    >>> import everygrad as eg
    >>> eg.minimum(eg.tensor([1.0, 4.0]), eg.tensor([3.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    b, x, y, dtype = operands("minimum", input, other)
    return wrap(b.minimum(x, y), b, dtype)


def clamp(input: Tensor, min: Tensor | float | None = None, max: Tensor | float | None = None) -> Tensor:
    """The value limited to [min, max]; the gradient passes on the bounds. Bounds may be tensors, and broadcast.

    >>> import everygrad as eg
    >>> eg.clamp(eg.tensor([-1.0, 0.5, 2.0]), 0, 1).tolist()
    [0.0, 0.5, 1.0]
    >>> eg.clamp(eg.tensor([-1.0, 0.5]), eg.tensor([0.0, 1.0])).tolist()
    [0.0, 1.0]
    """
    need_tensor("clamp", "input", input)
    bounds = [None if v is None else as_operand("clamp", v, input) for v in (min, max)]
    if is_tensor(bounds[0]) or is_tensor(bounds[1]):
        return _between(input, *bounds)
    for bound in bounds:
        if bound is not None:
            input = cast_to(input, promote_scalar(input.dtype, bound))
    low, high = [None if v is None else number_for("clamp", "a bound", v, input) for v in bounds]
    return wrap(input.backend.clamp(input.array, low, high), input.backend, input.dtype)


def _between(input: Tensor, low: Tensor | float | None, high: Tensor | float | None) -> Tensor:
    """The value limited to bounds that broadcast; NaN stays."""
    if low is not None:
        input = where(logical_or(ge(input, low), isnan(input)), input, low)
    return input if high is None else where(logical_or(le(input, high), isnan(input)), input, high)


def clamp_min(input: Tensor, min: Tensor | float) -> Tensor:
    """The value, or `min` where that is larger.

    >>> import everygrad as eg
    >>> eg.clamp_min(eg.tensor([-1.0, 2.0]), 0).tolist()
    [0.0, 2.0]
    """
    return clamp(input, min=min)


def clamp_max(input: Tensor, max: Tensor | float) -> Tensor:
    """The value, or `max` where that is smaller.

    >>> import everygrad as eg
    >>> eg.clamp_max(eg.tensor([-1.0, 2.0]), 0).tolist()
    [-1.0, 0.0]
    """
    return clamp(input, max=max)


clip, divide, multiply, subtract = clamp, div, mul, sub


def to_dtype(input: Tensor, dtype: DType) -> Tensor:
    """The same values in another dtype, differentiably.

    >>> import everygrad as eg
    >>> from everygrad.functional.elementwise import to_dtype
    >>> to_dtype(eg.tensor([1.7]), eg.int64).tolist()
    [1]
    """
    return cast_to(input, dtype)


def rsub(input: Tensor | float, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """Difference other - alpha * input.

    >>> import everygrad as eg
    >>> eg.rsub(eg.tensor([1.0]), 3).tolist()
    [2.0]
    """
    return sub(other, input, alpha=alpha)


def rdiv(input: Tensor | float, other: Tensor | float) -> Tensor:
    """True quotient other / input."""
    return div(other, input)


def rfloor_divide(input: Tensor | float, other: Tensor | float) -> Tensor:
    """The floor of other / input."""
    return floor_divide(other, input)


def rremainder(input: Tensor | float, other: Tensor | float) -> Tensor:
    """The remainder of other by input."""
    return remainder(other, input)


def rpow(input: Tensor | float, other: Tensor | float) -> Tensor:
    """Power other ** input."""
    return pow(other, input)
