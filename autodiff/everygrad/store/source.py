"""Where a model's values come from: a file, a dictionary of tensors, or a part of either."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from everygrad.store.contents import is_array, on_host
from everygrad.store.entry import Entry
from everygrad.store.errors import StoreError
from everygrad.store.tensor_file import TensorFile, lazy
from everygrad.store.tree import items_of, leaves
from everygrad.tensor.wrap import is_tensor


class Value(Protocol):
    """A value that is known by shape and dtype before it is read."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        ...

    @property
    def dtype(self) -> str:
        """The name of its dtype."""
        ...

    @property
    def identity(self) -> Hashable:
        """Equal for one value under two names."""
        ...

    def read(self) -> NDArray[Any]:
        """The values, on the host."""
        ...


class Held:
    """A value in memory."""

    def __init__(self, value: Any) -> None:
        self.array, self.identity = on_host(value)
        self.shape, self.dtype = self.array.shape, self.array.dtype.name
        self.fixed = is_tensor(value)  # what others hold may change later

    def read(self) -> NDArray[Any]:
        """The values, on the host."""
        return self.array if self.fixed else self.array.copy()


def values_of(source: Any, key: str | None) -> tuple[str, dict[str, Value]]:
    """(what to call the source, its values by dotted name), or those of the part under `key`."""
    label, tree = "the state", source
    if not isinstance(source, Mapping):
        if not isinstance(source, (str, os.PathLike)):
            raise TypeError(
                "load_model: the source must be a path or a dictionary of tensors. "
                f"Received: {type(source).__name__}; write load_model(model, other.state_dict()) for a model"
            )
        source = lazy(Path(os.fspath(source)))  # pyright: ignore[reportUnknownArgumentType]  # of texts
    if isinstance(source, TensorFile):
        label, tree = source.path.name, source.tree
    part = _part(label, tree, key)
    found = leaves(part, lambda value: isinstance(value, Entry) or is_array(value))
    return label, {name: value if isinstance(value, Entry) else Held(value) for name, value in found.items()}


def _part(label: str, tree: Any, key: str | None) -> Any:
    for step in [] if key is None else key.split("."):
        choices = {str(name): item for name, item in items_of(tree)}
        if step not in choices:
            raise StoreError(
                f"load_model: {label} has no part {key!r}. Received: {', '.join(choices) or 'no parts'} at {step!r}; "
                "write one of these as key"
            )
        tree = choices[step]
    return tree
