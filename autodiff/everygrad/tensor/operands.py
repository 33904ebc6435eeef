"""Two operands made ready for one op: on one backend, in one dtype."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from everygrad.engine import move
from everygrad.engine.move import depth
from everygrad.tensor.wrap import is_tensor, kind_of, need_tensor, wrap
from everygrad_ops import Backend, BackendError, DType, DTypeError, follow, inner_of, promote, promote_scalar

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

Scalar = int | float | bool

_COMPARISONS = frozenset(("eq", "ne", "lt", "le", "gt", "ge"))
_WHOLE = range(-(2**63), 2**63)
"""The integers that some dtype holds."""


def operands(op: str, x: Any, y: Any) -> tuple[Backend[Any], Any, Any, DType]:
    """(backend, array of x, array or scalar of y, dtype) of a binary op.

    At least one is a Tensor. Dtypes are promoted by torch's table; Python scalars are weak.
    """
    try:
        b: Backend[Any] = x.backend
    except AttributeError:
        return _scalar_first(op, x, y)
    kind = y.__class__
    if kind is float or kind is int:
        dtype: DType = x.known_dtype or x.dtype
        if kind is int and y not in _WHOLE:
            y = _far(op, y, dtype)
        if dtype.category < 2:
            x = cast_to(x, promote_scalar(dtype, y))
            dtype = x.dtype
        return b, x.array, y, dtype
    try:
        same = y.backend is b
    except AttributeError:
        y = as_operand(op, y, x)
        if y.__class__ is bool:
            y = wrap(b.full((), y, DType.bool_), b, DType.bool_) if x.dtype is DType.bool_ else int(y)
        return operands(op, x, y)
    dtype = x.known_dtype or x.dtype
    if same and (y.known_dtype or y.dtype) is dtype:
        return b, x.array, y.array, dtype
    x, y = together(op, x, y)
    return x.backend, x.array, y.array, x.dtype


def _scalar_first(op: str, x: Any, y: Any) -> tuple[Backend[Any], Any, Any, DType]:
    if not is_tensor(y):
        raise TypeError(
            f"{op}: one operand must be a Tensor. Received: {type(x).__name__} and {type(y).__name__}; "
            "write eg.tensor(...) around one"
        )
    x = as_operand(op, x, y)
    if not is_tensor(x):
        dtype = promote_scalar(y.dtype, x)
        if x.__class__ is int and dtype.category < 2:
            x, dtype = _held(op, x, dtype)
        elif x.__class__ is int and x not in _WHOLE:
            x = _far(op, x, dtype)
        y = cast_to(y, dtype)
        x = wrap(y.backend.full((), x, dtype), y.backend, dtype)
    return operands(op, x, y)


def _held(op: str, value: int, dtype: DType) -> tuple[int, DType]:
    """(a Python integer made to fit next to integers, their dtype): compared as it is, wrapped in sums and products."""
    bits, low = 8 * dtype.itemsize, 0 if dtype is DType.uint8 else -(2 ** (8 * dtype.itemsize - 1))
    if low <= value < low + 2**bits:
        return value, dtype
    if value not in _WHOLE:
        raise _beyond(op, value, dtype)
    if op in _COMPARISONS:
        return value, DType.int64
    if op not in ("add", "sub", "mul"):
        raise _beyond(op, value, dtype)
    return (value - low) % 2**bits + low, dtype


def _far(op: str, value: int, dtype: DType) -> int | float:
    """A Python integer of more than 64 bits next to an array: a float among floats; comparisons take it as it is."""
    if dtype.is_floating:
        try:
            return float(value)
        except OverflowError:
            raise _beyond(op, value, dtype) from None
    if op in _COMPARISONS and dtype is not DType.bool_:
        return value
    raise _beyond(op, value, dtype)


def _beyond(op: str, value: int, dtype: DType) -> DTypeError:
    return DTypeError(
        f"{op}: the dtype {dtype.value} cannot hold this number. Received: an integer of {value.bit_length()} bits; "
        "write a float, or a number in its range"
    )


def no_booleans(op: str, x: object) -> DTypeError:
    """The error for arithmetic that truth values do not have."""
    return DTypeError(
        f"{op}: booleans have no {op}. Received: {x.dtype if is_tensor(x) else type(x).__name__}; "
        "write ~x or x ^ y for logic, or x.to(eg.int64) for numbers"
    )


def as_operand(op: str, value: Any, like: Tensor) -> Any:
    """A Python scalar, or a tensor on the backend of `like`, of whatever stands next to a tensor."""
    given: Any = _python(value) if isinstance(value, np.generic) else value  # pyright: ignore[reportUnknownArgumentType]  # any scalar
    if is_tensor(given) or given.__class__ in (int, float, bool):
        return given
    if isinstance(given, (float, np.floating)):
        return float(given)  # pyright: ignore[reportUnknownArgumentType]  # a kind of float, which must not widen the dtype
    if isinstance(given, int):
        return int(given)
    if isinstance(given, np.ndarray):
        return wrap(like.backend.from_numpy(given), like.backend)  # pyright: ignore[reportUnknownArgumentType]  # any array
    raise TypeError(
        f"{op}: an operand must be a Tensor, a number or a NumPy array. Received: {kind_of(value)}; "  # pyright: ignore[reportUnknownArgumentType]  # anything
        "write eg.tensor(...) around it"
    )


def _python(value: np.generic[Any]) -> Any:
    return value.item()


def number_for(op: str, name: str, value: Any, x: Tensor) -> Any:
    """A Python number that goes into the dtype of `x` as it stands."""
    value = as_operand(op, value, x)
    if is_tensor(value):
        raise TypeError(f"{op}: {name} must be a number. Received: a Tensor; write {name}.item()")
    if promote_scalar(x.dtype, value) is not x.dtype:
        if x.dtype.category == 0 and value in (0, 1):
            return bool(value)
        if x.dtype.category == 1 and float(value).is_integer():
            return number_for(op, name, int(value), x)
        raise DTypeError(f"{op}: {value!r} does not go into {x.dtype}. Write x.to(...) first")
    return _far(op, value, x.dtype) if value.__class__ is int and value not in _WHOLE else value


def cast_to(x: Tensor, dtype: DType) -> Tensor:
    """`x` in `dtype`, differentiably."""
    return x if x.dtype is dtype else wrap(x.backend.cast(x.array, dtype), x.backend, dtype)


def together(op: str, *tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors on one backend and in one dtype."""
    moved = on_one_backend(op, *tensors)
    dtype = meeting(*moved)
    return tuple(cast_to(t, dtype) for t in moved)


def meeting(*tensors: Tensor) -> DType:
    """The dtype that tensors meet in: of those with dims, unless one of rank 0 is of a higher category."""
    found: dict[bool, DType] = {}
    for t in tensors:
        single, dtype = not t.shape, t.dtype
        found[single] = promote(found.get(single, dtype), dtype)
    return follow(found.get(False), found.get(True))


def on_one_backend(op: str, *tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors lifted to the outermost decorator among them; array libraries never mix silently."""
    try:
        top = max((t.backend for t in tensors), key=depth)
    except AttributeError:
        raise _no_tensor(op, tensors) from None
    for t in tensors:
        if t.backend is not top and not fits(t.backend, top):
            raise _mixed(op, [t.backend for t in tensors])
    return tuple(lift_to(op, t, top) for t in tensors)


def _no_tensor(op: str, given: Sequence[object]) -> TypeError:
    kinds = ", ".join(map(kind_of, given))
    return TypeError(f"{op}: needs tensors. Received: {kinds}; write eg.tensor(...) around what is none")


def is_inside(inner: Backend[Any], outer: Any) -> bool:
    """Whether `outer` is made of decorators around `inner`."""
    while outer is not None and outer is not inner:
        outer = inner_of(outer)
    return outer is not None


def fits(inner: Backend[Any], outer: Backend[Any]) -> bool:
    """Whether both lie on one array library, and `outer` records at least as many levels."""
    return _bottom(inner) is _bottom(outer) and depth(inner) <= depth(outer)


def _bottom(b: Backend[Any]) -> Backend[Any]:
    while (inner := inner_of(b)) is not None:
        b = inner
    return b


def _mixed(op: str, backends: Sequence[Backend[Any]]) -> BackendError:
    names = ", ".join(repr(b.name) for b in dict.fromkeys(backends))
    return BackendError(
        f"{op}: tensors of different array libraries do not mix. Received: {names}; "
        f"write .to({library(backends[0])!r}) on the others, which keeps their gradients"
    )


def lift_to(op: str, x: Tensor, top: Backend[Any]) -> Tensor:
    """`x` as a constant of the decorators of `top` that are outside of it."""
    if x.backend is top:
        return x
    if not fits(x.backend, top):
        raise _mixed(op, [top, x.backend])
    return wrap(move(x.array, x.backend, top), top, x.known_dtype)


def library(backend: Any) -> str:
    """The name of the array library under the decorators."""
    inner = inner_of(backend)
    return str(backend.name) if inner is None else library(inner)


def operand_arrays(op: str, x: Any, y: Any) -> tuple[Backend[Any], Any, Any, DType]:
    """(backend, array of x, array of y, dtype): `operands` for an op that takes no scalars."""
    b, first, second, dtype = operands(op, x, y)
    if second.__class__ is float or second.__class__ is int:
        second = b.full((), second, dtype)
    return b, first, second, dtype


def floating_arrays(op: str, x: Any, y: Any) -> tuple[Backend[Any], Any, Any, DType]:
    """The same in floating point: integers and booleans are cast to the default float dtype."""
    b, first, second, dtype = operand_arrays(op, x, y)
    if dtype.is_floating:
        return b, first, second, dtype
    return b, b.cast(first, DType.float32), b.cast(second, DType.float32), DType.float32


def known_dtype(op: str, x: Tensor, name: str = "input") -> DType:
    """The dtype of a tensor; for what is not one, an error that says what to write."""
    try:
        return x.known_dtype or x.dtype
    except AttributeError:
        need_tensor(op, name, x)
        raise


def floating(x: Tensor) -> Tensor:
    """`x`, integers and booleans cast to the default float dtype."""
    try:
        return x if x.dtype.is_floating else cast_to(x, DType.float32)
    except AttributeError:
        need_tensor(caller(), "input", x)
        raise


def rank_of(op: str, x: Tensor) -> int:
    """The number of dims of a tensor; for what is not one, an error that says what to write."""
    try:
        return len(x.backend.shape(x.array))
    except AttributeError:
        need_tensor(op, "input", x)
        raise


def caller() -> str:
    """The function that called the one that asks, which is the user's; asked for only where it fails."""
    return sys._getframe(2).f_code.co_name  # pyright: ignore[reportPrivateUsage]  # documented, for CPython


def need_floating(op: str, x: Tensor) -> None:
    """Refuse a tensor that cannot carry a gradient."""
    if not known_dtype(op, x).is_floating:
        raise DTypeError(f"{op}: needs a floating-point tensor. Received: {x.dtype}; write x.to(eg.float32)")
