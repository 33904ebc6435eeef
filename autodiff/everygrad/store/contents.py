"""Contents: a structure made ready for a file, its tensors as arrays under names, each once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everygrad.functional.creation import tensor
from everygrad.store.errors import StoreError
from everygrad.store.kinds import is_dict
from everygrad.store.names import text_size
from everygrad.store.tree import unused, written
from everygrad.tensor.convert import values
from everygrad.tensor.wrap import is_tensor
from everygrad_ops import inner_of

TREE, TIED = "everygrad.tree", "everygrad.tied"
"""Where a file's metadata keep the structure, and the further names of tensors that have several."""


@dataclass
class Contents:
    """Arrays by name, and what a file says besides."""

    arrays: dict[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])
    tied: dict[str, str] = field(default_factory=dict[str, str])
    metadata: dict[str, str] = field(default_factory=dict[str, str])
    tree: Any = None


def contents_of(state: Any, metadata: Mapping[str, str] | None) -> Contents:
    """What to write for a dictionary of tensors, or for any structure with tensors in it."""
    made = Contents(metadata=checked(metadata))
    known: dict[Any, str] = {}
    alive: list[Any] = []  # an address is another's once its array is gone

    def name_of(value: Any, place: str) -> str | None:
        if not is_array(value):
            return None
        array, identity = on_host(value)
        alive.append((value, array))
        name = known.get(identity)
        if name is None:
            name = known[identity] = unused(place or "tensor", made.arrays)
            made.arrays[name] = array
        elif flat:
            made.tied[place] = name
        return name

    inside: Any = state
    flat = isinstance(state, Mapping) and all(
        isinstance(key, str) and key and is_array(item) for key, item in inside.items()
    )
    tree = written(state, name_of)
    if not flat:
        made.tree = tree
    return made


def checked(metadata: Mapping[str, str] | None) -> dict[str, str]:
    """Texts by name, none of them ours."""
    given = dict(metadata or {})
    for key, value in given.items():
        plain = isinstance(key, str) and isinstance(value, str)  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        if not plain or key in (TREE, TIED) or None in (text_size(key), text_size(value)):
            raise TypeError(
                f"save: metadata must be texts by name. Received: {key!r}: {value!r}; write str(value), or json.dumps(value)"
            )
    return given


def texts(path: object, data: bytes | Any, where: str) -> dict[str, str]:
    """Texts by name, as a file holds them: JSON, or what was made of it already."""
    try:
        found = json.loads(data) if isinstance(data, bytes) else data
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path}: {where} is damaged: {error}") from None
    if not is_dict(found) or not all(isinstance(text, str) for text in found.values()):
        raise StoreError(f"{path}: {where} must hold texts by name. Received: {type(found).__name__}")
    return dict(found)


def header(contents: Contents) -> dict[str, str]:
    """The metadata with our own in them."""
    made = dict(contents.metadata)
    if contents.tree is not None:
        made[TREE] = json.dumps(contents.tree, allow_nan=False)
    if contents.tied:
        made[TIED] = json.dumps(contents.tied)
    return made


def is_array(value: Any) -> bool:
    """A tensor or an array (of this or another library), and no number."""
    return is_tensor(value) or isinstance(value, np.ndarray) or type(value).__module__ == "torch"


def on_host(value: Any) -> tuple[NDArray[Any], Any]:
    """(the values on the host, what is equal for two names of one tensor)."""
    given = (
        value
        if is_tensor(value)
        else tensor(value.detach() if hasattr(value, "detach") else value, copy=False)
    )
    array = values(given)
    if 0 in array.shape:
        return array, (id(value),)
    place = array.__array_interface__["data"][0]
    innermost, level = given.array, given.backend
    while (inner := inner_of(level)) is not None:
        innermost, level = getattr(innermost, "value", innermost), inner
    elsewhere = not is_tensor(value) or level.device(innermost) == "cpu"
    return array, (place, array.shape, array.strides, array.dtype.name) if elsewhere else (id(innermost),)
