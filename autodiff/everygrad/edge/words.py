"""What an annotation takes, what came instead, and what to write, in words."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Sequence
from types import NoneType
from typing import Any, Literal

import numpy as np

from everygrad.edge.hints import choices, is_array, takes_tensor
from everygrad.tensor.wrap import is_tensor
from everygrad_ops import Backend, DType

_NAMES: dict[Any, tuple[str, str]] = {
    NoneType: ("None", ""),
    int: ("an integer", "a plain integer, such as 1"),
    float: ("a number", "a plain number, such as 0.5"),
    bool: ("True or False", "True or False"),
    str: ("a string", "a string"),
    DType: ("a dtype", "a dtype, such as eg.float32"),
    Backend: ("a backend", 'the name of a backend, such as "numpy"'),
}
_SEVERAL: dict[Any, str] = {int: "integers", float: "numbers", str: "strings"}


def expected(hint: Any) -> str:
    """What the annotation takes."""
    return " or ".join(dict.fromkeys(_name(kind) for kind in choices(hint)))


def _name(kind: Any) -> str:
    origin = typing.get_origin(kind) or kind
    if origin in _NAMES:
        return _NAMES[origin][0]
    args = typing.get_args(kind)
    if origin is Literal:
        return " or ".join(map(repr, args))
    if origin is tuple and args and Ellipsis not in args:
        return f"a tuple of {len(args)} ({', '.join(map(expected, args))})"
    if origin in (tuple, list, Sequence, Iterable):
        several = "Tensors" if is_array(args[0]) else _SEVERAL.get(args[0], "")
        return f"a sequence of {several or f'items, each {expected(args[0])}'}"
    if is_array(kind):
        return "a NumPy array" if origin is np.ndarray else "a Tensor"
    return "a function" if "Callable" in str(kind) else getattr(origin, "__name__", str(origin))


def shown(value: Any) -> str:
    """A value, short enough for a message."""
    if is_tensor(value):
        return f"a Tensor of shape {value.shape} and {value.dtype}"
    shape = getattr(value, "shape", None)
    if shape is not None and hasattr(value, "dtype"):
        return f"{_library(value)}{type(value).__name__} of shape {tuple(shape)} and {value.dtype}"
    if isinstance(value, (list, tuple)) and any(map(is_tensor, value)):  # pyright: ignore[reportUnknownArgumentType]  # of anything
        return f"{type(value).__name__} of {', '.join(map(shown, value))}"[:200]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # the same
    text = repr(value)  # pyright: ignore[reportUnknownArgumentType]  # of anything
    return text if len(text) <= 80 else f"{text[:77]}..."


def _library(value: Any) -> str:
    home = type(value).__module__.partition(".")[0]
    return "" if home == "builtins" else f"{home}."


def advice(name: str, value: Any, hint: Any) -> str:
    """What to write instead."""
    kinds = choices(hint)
    if takes_tensor(hint):
        array = isinstance(value, (int, float, list, tuple)) or hasattr(value, "__array__")
        return f"eg.tensor({name})" if array else "eg.tensor(...), a Tensor"
    if getattr(value, "ndim", 1) == 0 and hasattr(value, "item") and (int in kinds or float in kinds):
        return f"{name}.item(), which must be as declared"
    if isinstance(value, float) and int in kinds:
        return f"int({name})"
    if any("[int]" in str(kind) or "[int, ...]" in str(kind) for kind in kinds) and int not in kinds:
        return "several of them, such as (1, 2)"
    for kind in kinds:
        found = _NAMES.get(typing.get_origin(kind) or kind, ("", ""))[1]
        if found:
            return found
    return expected(hint)
