"""Nested containers with tensors in them: flattened to names, and written down as JSON."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping
from typing import Any

from everygrad.store.errors import StoreError
from everygrad.store.kinds import is_dict, is_list, is_sequence, is_set, is_tuple
from everygrad_ops import DType, as_dtype

DEEPEST = 100
"""Levels of containers: more is a structure that holds itself."""
MOST = 1_000_000
"""Names in one file: more is a structure that refers to its parts again and again."""


def joined(prefix: str, key: Any) -> str:
    """A dotted name."""
    return f"{prefix}.{key}" if prefix else str(key)


def leaves(tree: Any, wanted: Callable[[Any], bool]) -> dict[str, Any]:
    """All that is wanted inside lists, tuples and dictionaries, by dotted name, in order.

    >>> leaves({"a": 1, "b": [2, {"c": 3}]}, lambda value: isinstance(value, int))
    {'a': 1, 'b.0': 2, 'b.1.c': 3}
    """
    found: dict[str, Any] = {}
    waiting: list[tuple[str, Any, int]] = [("", tree, 0)]
    for _ in range(MOST):
        if not waiting:
            return found
        name, value, depth = waiting.pop()
        if wanted(value):
            found[unused(name or "tensor", found)] = value
        elif depth < DEEPEST:
            waiting.extend((joined(name, key), item, depth + 1) for key, item in reversed(items_of(value)))
    raise StoreError("the structure has too many parts, or holds itself")


def unused(name: str, taken: Mapping[str, Any]) -> str:
    """The name, with a number behind it if it is taken ("a.b" may be a key, and a key of a key)."""
    if name not in taken:
        return name
    return next(made for i in range(2, len(taken) + 3) if (made := f"{name}~{i}") not in taken)


def items_of(tree: Any) -> list[tuple[Any, Any]]:
    """(key or place, item) of a dictionary, a list or a tuple, nothing of all else."""
    if is_dict(tree):
        return list(tree.items())
    return list(enumerate(tree)) if is_sequence(tree) else []


def mapped_leaves(
    tree: Any, kind: type[Any], change: Callable[[Any], Any], done: dict[int, Any] | None = None
) -> Any:
    """The tree with `change` made to all that is of a kind; what is in several places is made once."""
    done = {} if done is None else done
    if id(tree) in done:
        return done[id(tree)]
    made: Any = tree
    if isinstance(tree, kind):
        made = change(tree)
    elif is_dict(tree):
        made = {key: mapped_leaves(item, kind, change, done) for key, item in tree.items()}
    elif is_sequence(tree):
        items = [mapped_leaves(item, kind, change, done) for item in tree]
        made = tuple(items) if isinstance(tree, tuple) else items
    done[id(tree)] = made
    return made


def written(tree: Any, name_of: Callable[[Any, str], str | None], name: str = "", depth: int = 0) -> Any:
    """The tree as JSON; `name_of(value, its place)` is the name of a tensor, None for all else.

    >>> written({"step": 3, 0: (1.5, True)}, lambda value, place: None)
    {'dict': [['step', 3], [0, {'tuple': [1.5, True]}]]}
    """
    if depth > DEEPEST:
        raise StoreError(f"save: {name[:60]!r}... is nested deeper than {DEEPEST} levels, or holds itself")
    tensor = name_of(tree, name)
    if tensor is not None:
        return {"tensor": tensor}
    if is_set(tree):
        return {"set": [_plain(item, name) for item in tree]}
    if not (is_dict(tree) or is_sequence(tree)):
        return _plain(tree, name)
    parts = [(key, written(item, name_of, joined(name, key), depth + 1)) for key, item in items_of(tree)]
    if is_dict(tree):
        return {"dict": [[_plain(key, name), part] for key, part in parts]}
    made = [part for _, part in parts]
    return {"tuple": made} if is_tuple(tree) else made


def _plain(value: Any, name: str) -> Any:
    if hasattr(value, "dtype") and hasattr(value, "item"):
        value = value.item()  # a NumPy number
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, DType):
        return {"dtype": value.value}
    if is_tuple(value):
        return {"tuple": [_plain(item, name) for item in value]}  # a key, or in a set
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    raise TypeError(
        f"save: {name or 'the value'!r} cannot be saved. Received: {type(value).__name__}; write tensors, arrays, "
        "numbers, texts, and lists, tuples and dictionaries of these"
    )


def restored(text: Any, tensor: Callable[[str], Any]) -> Any:
    """The tree that `written` wrote down, with `tensor(name)` for each tensor."""
    if is_list(text):
        return [restored(item, tensor) for item in text]
    if not is_dict(text):
        return text
    ((kind, content),) = text.items()
    if kind == "tensor":
        return tensor(content)
    if kind == "dict":
        return {restored(key, tensor): restored(item, tensor) for key, item in content}
    if kind in ("tuple", "set"):
        made = [restored(item, tensor) for item in content]
        return tuple(made) if kind == "tuple" else set(made)
    if kind == "dtype":
        return as_dtype(content)
    if kind == "bytes":
        return base64.b64decode(content)
    return float(content)
