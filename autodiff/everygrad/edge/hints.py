"""Reading one argument as its annotation declares it."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import index
from types import NoneType, UnionType
from typing import Any, Literal, Union

import numpy as np

from everygrad.tensor.wrap import is_tensor
from everygrad_ops import Backend, DType, as_dtype

MISFIT = object()
"""What `read` gives for a value that the annotation does not take."""

EXACT = 2**53
"""Up to here integers are floats, too."""

WORD = 2**63
"""From here on no dtype holds an integer."""


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function as objects: also of names that its module imports for type checkers alone."""
    from numpy.typing import NDArray

    from everygrad.tensor.tensor import Tensor

    known = {"Tensor": Tensor, "NDArray": NDArray, "Callable": Callable, "Sequence": Sequence, "Any": Any}
    return typing.get_type_hints(function, localns=known | {"Gradients": Any, "Backend": Backend})


def choices(hint: Any) -> tuple[Any, ...]:
    """The members of a union, or the one hint there is."""
    return typing.get_args(hint) if typing.get_origin(hint) in (Union, UnionType) else (hint,)


def takes_tensor(hint: Any) -> bool:
    """Whether a tensor, or an array, is among what is declared, or among the items."""
    if typing.get_origin(hint) is Callable:
        return False
    return is_array(hint) or any(map(takes_tensor, typing.get_args(hint)))


def takes_number(hint: Any) -> bool:
    """Whether a number may stand in place of a tensor."""
    return float in choices(hint) or int in choices(hint)


def is_array(kind: Any) -> bool:
    """Whether a class is the Tensor or NumPy's array."""
    return (typing.get_origin(kind) or kind) is np.ndarray or getattr(kind, "__name__", "") == "Tensor"


def read(value: Any, hint: Any) -> Any:
    """The value as the annotation wants it, numbers of NumPy as Python's; or MISFIT."""
    kinds = choices(hint)
    for kind in kinds:
        if isinstance(kind, type) and type(value) is kind and kind is not int:
            return value
    if takes_tensor(hint) and takes_number(hint):
        return _read_operand(value, hint)
    for kind in kinds:
        found = _read_one(value, kind)
        if found is not MISFIT:
            return found
    return MISFIT


def _read_operand(value: Any, hint: Any) -> Any:
    """A tensor, an array, which the function takes as one, or a number that keeps its kind."""
    if is_tensor(value) or _has_dims(value):
        return value
    if type(value) is bool or (type(value) is int and -WORD <= value < WORD):
        return value
    kinds = [kind for kind in choices(hint) if not takes_tensor(kind)]
    found = MISFIT
    for kind in kinds:
        found = _read_one(value, kind) if found is MISFIT else found
    return found


def _has_dims(value: object) -> bool:
    return isinstance(value, np.ndarray) and np.ndim(value) > 0  # pyright: ignore[reportUnknownArgumentType]  # any array


def _read_one(value: Any, kind: Any) -> Any:
    origin = typing.get_origin(kind) or kind
    if origin in _READERS:
        return _READERS[origin](value)
    if origin is Literal:
        return value if isinstance(value, str) else MISFIT
    if origin in (tuple, list, Sequence, Iterable):
        return _read_items(value, origin, typing.get_args(kind))
    if origin is Callable:
        return value if callable(value) else MISFIT
    if origin is Backend:
        return value if Backend in type(value).__mro__ else MISFIT
    return value if not isinstance(origin, type) or isinstance(value, origin) else MISFIT


def _read_int(value: Any) -> Any:
    if type(value) is int:
        return value if -WORD <= value < WORD else MISFIT
    if isinstance(value, (bool, np.bool_, str)) or not hasattr(value, "__index__"):
        return MISFIT
    try:
        return index(value)
    except (TypeError, ValueError):  # an array of several, or of floats
        return MISFIT


def _read_float(value: Any) -> Any:
    if type(value) is float or type(value) is bool:
        return value
    if type(value) is int:
        return value if -EXACT <= value <= EXACT else _as_float(value)
    if isinstance(value, str) or not hasattr(value, "__float__") or getattr(value, "shape", ()) != ():
        return MISFIT
    whole = _read_int(value)
    return _as_float(value) if whole is MISFIT else whole


def _as_float(value: Any) -> Any:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return MISFIT


def _read_bool(value: Any) -> Any:
    if type(value) is bool:
        return value
    return bool(value) if isinstance(value, np.bool_) else MISFIT  # pyright: ignore[reportUnknownArgumentType]  # of either value


def _read_dtype(value: Any) -> Any:
    return value if isinstance(value, DType) else MISFIT if value is None else as_dtype(value)


def _read_items(value: Any, origin: Any, kinds: Sequence[Any]) -> Any:
    """A sequence whose items are read one by one; kept as it is where they are as declared."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (str, bytes, Mapping)) or is_tensor(value) or not isinstance(value, Iterable):
        return MISFIT
    if isinstance(value, Iterator) and any(map(takes_tensor, kinds)):
        return MISFIT  # tensors are gone through more than once
    given: list[Any] = list(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # of anything
    fixed = origin is tuple and Ellipsis not in kinds
    if fixed and len(given) != len(kinds):
        return MISFIT
    each: Sequence[Any] = kinds if fixed else [kinds[0] if kinds else Any] * len(given)
    items = [read(item, kind) for item, kind in zip(given, each)]
    if any(item is MISFIT for item in items):
        return MISFIT
    kept = isinstance(value, (list, tuple)) and all(a is b for a, b in zip(items, given))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # the same
    return value if kept else tuple(items)  # pyright: ignore[reportUnknownVariableType]  # the same


_READERS: dict[Any, Callable[[Any], Any]] = {
    Any: lambda value: value,
    NoneType: lambda value: value if value is None else MISFIT,
    int: _read_int,
    float: _read_float,
    bool: _read_bool,
    str: lambda value: value if isinstance(value, str) else MISFIT,
    DType: _read_dtype,
}
