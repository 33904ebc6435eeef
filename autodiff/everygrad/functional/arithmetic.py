"""More arithmetic: remainders, signs, blends, and sums of products. Shapes broadcast; dtypes promote by torch's table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.functional.comparison import eq, isnan, where
from everygrad.functional.elementwise import add, div, maximum, mul, pow, sub
from everygrad.functional.unary import sign, trunc
from everygrad.tensor.operands import (
    as_operand,
    cast_to,
    floating_arrays,
    known_dtype,
    no_booleans,
    operand_arrays,
    together,
)
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import DType, DTypeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "addcdiv",
    "addcmul",
    "copysign",
    "float_power",
    "fmod",
    "frac",
    "heaviside",
    "ldexp",
    "lerp",
    "nan_to_num",
    "positive",
    "true_divide",
]


def true_divide(input: Tensor | float, other: Tensor | float) -> Tensor:
    """The true quotient, as `div`.

    >>> import everygrad as eg
    >>> eg.true_divide(eg.tensor([1, 2]), 2).tolist()
    [0.5, 1.0]
    """
    return div(input, other)


def positive(input: Tensor) -> Tensor:
    """The tensor itself; booleans have no sign.

    >>> import everygrad as eg
    >>> eg.positive(eg.tensor([1.0, -2.0])).tolist()
    [1.0, -2.0]
    """
    if known_dtype("positive", input) is DType.bool_:
        raise no_booleans("positive", input)
    return input


def frac(input: Tensor) -> Tensor:
    """What `trunc` leaves: input - trunc(input).

    >>> import everygrad as eg
    >>> eg.frac(eg.tensor([1.5, -2.25])).tolist()
    [0.5, -0.25]
    """
    need_tensor("frac", "input", input)
    return sub(input, trunc(input))


def fmod(input: Tensor | float, other: Tensor | float) -> Tensor:
    """input - trunc(input / other) * other: the sign is the dividend's.

    >>> import everygrad as eg
    >>> eg.fmod(eg.tensor([-3.0, 3.0]), 2).tolist()
    [-1.0, 1.0]
    """
    b, x, y, dtype = operand_arrays("fmod", input, other)
    if dtype is DType.bool_:
        raise no_booleans("fmod", input)
    return wrap(b.fmod(x, y), b, dtype)


def copysign(input: Tensor | float, other: Tensor | float) -> Tensor:
    """|input| with the sign of other, in which the sign of a zero counts.

    >>> import everygrad as eg
    >>> eg.copysign(eg.tensor([1.0, 2.0]), eg.tensor([-0.0, 3.0])).tolist()
    [-1.0, 2.0]
    """
    b, x, y, dtype = floating_arrays("copysign", input, other)
    return wrap(b.copysign(x, y), b, dtype)


def float_power(input: Tensor | float, exponent: Tensor | float) -> Tensor:
    """The power, computed and returned in float64.

    >>> import everygrad as eg
    >>> eg.float_power(eg.tensor([2, 3]), -1).tolist()[0]
    0.5
    """
    if not (is_tensor(input) or is_tensor(exponent)):
        return pow(input, exponent)  # which says what to write
    base, power = (cast_to(v, DType.float64) if is_tensor(v) else float(v) for v in (input, exponent))
    return pow(base, power)


def ldexp(input: Tensor | float, other: Tensor | float) -> Tensor:
    """input * 2**other.

    >>> import everygrad as eg
    >>> eg.ldexp(eg.tensor([1.5]), eg.tensor([3])).tolist()
    [12.0]
    """
    b, x, y, dtype = floating_arrays("ldexp", input, other)
    half = b.floor(b.mul(y, 0.5))  # in two steps: 2**other alone may overflow where the result does not
    return wrap(b.mul(b.mul(x, b.exp2(half)), b.exp2(b.sub(y, half))), b, dtype)


def lerp(input: Tensor, end: Tensor, weight: Tensor | float) -> Tensor:
    """input + weight * (end - input), exact at both ends.

    >>> import everygrad as eg
    >>> eg.lerp(eg.tensor([0.0, 10.0]), eg.tensor([4.0, 20.0]), 0.5).tolist()
    [2.0, 15.0]
    """
    need_tensor("lerp", "input", input)
    need_tensor("lerp", "end", end)
    amount: Any = as_operand("lerp", weight, input)
    if is_tensor(amount):
        x, y, w = together("lerp", input, end, amount)
        factor: Any = w.array
    else:
        x, y = together("lerp", input, end)
        factor = float(amount)
    if not x.dtype.is_floating:
        raise DTypeError(f"lerp: needs floating-point tensors. Received: {x.dtype}; write x.to(eg.float32)")
    return wrap(x.backend.lerp(x.array, y.array, factor), x.backend, x.dtype)


def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """NaN and the infinities replaced, by 0 and the dtype's ends unless given; no gradient passes there.

    >>> import everygrad as eg
    >>> eg.nan_to_num(eg.tensor([float("nan"), float("inf"), 1.0]), posinf=9.0).tolist()
    [0.0, 9.0, 1.0]
    """
    dtype = known_dtype("nan_to_num", input)
    if not dtype.is_floating:
        return input
    b = input.backend
    return wrap(b.nan_to_num(input.array, 0.0 if nan is None else nan, posinf, neginf), b, dtype)


def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 below 0, `values` at 0, 1 above; NaN gives 0. The gradient goes to `values`, where input is 0.

    >>> import everygrad as eg
    >>> eg.heaviside(eg.tensor([-1.0, 0.0, 2.0]), eg.tensor([0.5])).tolist()
    [0.0, 0.5, 1.0]
    """
    need_tensor("heaviside", "input", input)
    x, y = together("heaviside", input, values)
    if x.dtype is DType.bool_:
        return x | y
    step = where(isnan(x), 0, maximum(sign(x), 0))
    return where(eq(x, 0), y, step)


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """input + value * tensor1 * tensor2.

    >>> import everygrad as eg
    >>> eg.addcmul(eg.tensor([1.0]), eg.tensor([2.0]), eg.tensor([3.0]), value=10).tolist()
    [61.0]
    """
    need_tensor("addcmul", "input", input)
    product = _beside(input, mul(tensor1, tensor2))
    return add(input, product if value == 1 else mul(product, value))


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """input + value * tensor1 / tensor2.

    >>> import everygrad as eg
    >>> eg.addcdiv(eg.tensor([1.0]), eg.tensor([6.0]), eg.tensor([3.0]), value=10).tolist()
    [21.0]
    """
    need_tensor("addcdiv", "input", input)
    quotient = div(_beside(input, tensor1), tensor2)
    return add(input, quotient if value == 1 else mul(quotient, value))


def _beside(input: Tensor, x: Tensor) -> Tensor:
    """Integers in the dtype of the floats that they are added to: a factor would round them to the default float."""
    whole = input.dtype.is_floating and is_tensor(x) and not x.dtype.is_floating
    return cast_to(x, input.dtype) if whole else x
