"""Comparisons, logic and selection. Results are boolean and carry no gradient, `where` excepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from everygrad.tensor.operands import (
    as_operand,
    caller,
    cast_to,
    known_dtype,
    on_one_backend,
    operands,
    together,
)
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import DType, DTypeError, promote_scalar

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "eq",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "ne",
    "not_equal",
    "where",
]


def eq(input: Tensor | float, other: Tensor | float) -> Tensor:
    """Whether input is equal to other, at each position.

    >>> import everygrad as eg
    >>> eg.eq(eg.tensor([1.0, 2.0]), 1).tolist()
    [True, False]
    """
    b, x, y, _ = operands("eq", input, other)
    return wrap(b.eq(x, y), b, DType.bool_)


def ne(input: Tensor | float, other: Tensor | float) -> Tensor:
    """Whether input is not equal to other, at each position.

    >>> import everygrad as eg
    >>> eg.ne(eg.tensor([1.0, 2.0]), 1).tolist()
    [False, True]
    """
    b, x, y, _ = operands("ne", input, other)
    return wrap(b.ne(x, y), b, DType.bool_)


def lt(input: Tensor | float, other: Tensor | float) -> Tensor:
    """Whether input is less than other, at each position.

    >>> import everygrad as eg
    >>> eg.lt(eg.tensor([1.0, 2.0]), 1).tolist()
    [False, False]
    """
    b, x, y, _ = operands("lt", input, other)
    return wrap(b.lt(x, y), b, DType.bool_)


def le(input: Tensor | float, other: Tensor | float) -> Tensor:
    """Whether input is less or equal to other, at each position.

    >>> import everygrad as eg
    >>> eg.le(eg.tensor([1.0, 2.0]), 1).tolist()
    [True, False]
    """
    b, x, y, _ = operands("le", input, other)
    return wrap(b.le(x, y), b, DType.bool_)


def gt(input: Tensor | float, other: Tensor | float) -> Tensor:
    """Whether input is greater than other, at each position.

    >>> import everygrad as eg
    >>> eg.gt(eg.tensor([1.0, 2.0]), 1).tolist()
    [False, True]
    """
    b, x, y, _ = operands("gt", input, other)
    return wrap(b.gt(x, y), b, DType.bool_)


def ge(input: Tensor | float, other: Tensor | float) -> Tensor:
    """Whether input is greater or equal to other, at each position.

    >>> import everygrad as eg
    >>> eg.ge(eg.tensor([1.0, 2.0]), 1).tolist()
    [True, True]
    """
    b, x, y, _ = operands("ge", input, other)
    return wrap(b.ge(x, y), b, DType.bool_)


greater, greater_equal, less, less_equal, not_equal = gt, ge, lt, le, ne


def logical_and(input: Tensor | float, other: Tensor | float) -> Tensor:
    """And of truth values (a number is true where it is not 0).

    >>> import everygrad as eg
    >>> eg.logical_and(eg.tensor([True, False]), eg.tensor([True, True])).tolist()
    [True, False]
    """
    x, y = _truths("logical_and", input, other)
    return wrap(x.backend.logical_and(x.array, y.array), x.backend, DType.bool_)


def logical_or(input: Tensor | float, other: Tensor | float) -> Tensor:
    """Or of truth values (a number is true where it is not 0).

    >>> import everygrad as eg
    >>> eg.logical_or(eg.tensor([True, False]), eg.tensor([True, True])).tolist()
    [True, True]
    """
    x, y = _truths("logical_or", input, other)
    return wrap(x.backend.logical_or(x.array, y.array), x.backend, DType.bool_)


def logical_xor(input: Tensor | float, other: Tensor | float) -> Tensor:
    """Xor of truth values (a number is true where it is not 0).

    >>> import everygrad as eg
    >>> eg.logical_xor(eg.tensor([True, False]), eg.tensor([True, True])).tolist()
    [False, True]
    """
    x, y = _truths("logical_xor", input, other)
    return wrap(x.backend.logical_xor(x.array, y.array), x.backend, DType.bool_)


def logical_not(input: Tensor) -> Tensor:
    """The opposite of truth values.

    >>> import everygrad as eg
    >>> eg.logical_not(eg.tensor([True, False])).tolist()
    [False, True]
    """
    x = truth(input)
    return wrap(x.backend.logical_not(x.array), x.backend, DType.bool_)


def truth(input: Tensor) -> Tensor:
    """A boolean tensor: true where the value is not 0.

    >>> import everygrad as eg
    >>> from everygrad.functional.comparison import truth
    >>> truth(eg.tensor([0.0, 2.0])).tolist()
    [False, True]
    """
    try:
        return input if (input.known_dtype or input.dtype) is DType.bool_ else ne(input, 0)
    except AttributeError:
        need_tensor(caller(), "input", input)
        raise


def isnan(input: Tensor) -> Tensor:
    """Whether each value is NaN.

    >>> import everygrad as eg
    >>> eg.isnan(eg.tensor([1.0, float("nan")])).tolist()
    [False, True]
    """
    known_dtype("isnan", input)
    return wrap(input.backend.isnan(input.array), input.backend, DType.bool_)


def isinf(input: Tensor) -> Tensor:
    """Whether each value is infinite.

    >>> import everygrad as eg
    >>> eg.isinf(eg.tensor([1.0, float("nan")])).tolist()
    [False, False]
    """
    known_dtype("isinf", input)
    return wrap(input.backend.isinf(input.array), input.backend, DType.bool_)


def isfinite(input: Tensor) -> Tensor:
    """Whether each value is neither infinite nor NaN.

    >>> import everygrad as eg
    >>> eg.isfinite(eg.tensor([1.0, float("nan")])).tolist()
    [True, False]
    """
    known_dtype("isfinite", input)
    return wrap(input.backend.isfinite(input.array), input.backend, DType.bool_)


@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...


@overload
def where(condition: Tensor, input: Tensor | float, other: Tensor | float) -> Tensor: ...


def where(
    condition: Tensor, input: Tensor | float | None = None, other: Tensor | float | None = None
) -> Tensor | tuple[Tensor, ...]:
    """input where the condition holds, else other. A gradient of the branch not taken is exactly 0.

    Of a condition alone: the positions of what is not 0, a vector per dim.

    >>> import everygrad as eg
    >>> x = eg.tensor([-1.0, 4.0])
    >>> eg.where(x >= 0, x, 0.0).tolist()
    [0.0, 4.0]
    """
    if input is None or other is None:
        return _positions(condition, input, other)
    if known_dtype("where", condition, "condition") is not DType.bool_:
        raise DTypeError(f"where: condition must be boolean. Received: {condition.dtype}; write x != 0")
    x, y = as_operand("where", input, condition), as_operand("where", other, condition)
    if is_tensor(x) and is_tensor(y):
        x, y = together("where", x, y)
    elif is_tensor(x):
        x = cast_to(x, promote_scalar(x.dtype, y))
    elif is_tensor(y):
        y = cast_to(y, promote_scalar(y.dtype, x))
    else:
        dtype = promote_scalar(promote_scalar(DType.bool_, x), y)
        x = wrap(condition.backend.full((), x, dtype), condition.backend, dtype)
    anchor: Tensor = x if is_tensor(x) else y
    condition, anchor = on_one_backend("where", condition, anchor)
    b = anchor.backend
    arrays = [on_one_backend("where", v, anchor)[0].array if is_tensor(v) else v for v in (x, y)]
    return wrap(b.where(condition.array, arrays[0], arrays[1]), b, anchor.dtype)


def _truths(op: str, input: Any, other: Any) -> tuple[Tensor, Tensor]:
    """Two operands, of which one may be a number, as truth values on one backend."""
    if not (is_tensor(input) or is_tensor(other)):
        raise TypeError(
            f"{op}: one operand must be a Tensor. Received: {type(input).__name__} and {type(other).__name__}; "
            "write eg.tensor(...) around one"
        )
    like: Any = input if is_tensor(input) else other
    pair = [as_operand(op, v, like) for v in (input, other)]
    b = like.backend
    x, y = [
        truth(v) if is_tensor(v) else wrap(b.full((), bool(v), DType.bool_), b, DType.bool_) for v in pair
    ]
    return on_one_backend(op, x, y)  # type: ignore[return-value]  # as many as were given


def _positions(condition: Tensor, *branches: Tensor | float | None) -> tuple[Tensor, ...]:
    from everygrad.functional.indexing import nonzero

    if any(branch is not None for branch in branches):
        raise TypeError("where: needs both input and other, or neither. Received: one of them")
    found: tuple[Tensor, ...] = nonzero(condition, as_tuple=True)
    return found
