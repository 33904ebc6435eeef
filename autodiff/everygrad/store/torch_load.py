"""A torch file as a tree of entries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from everygrad.store.dtypes import ITEMSIZES
from everygrad.store.entry import Entry, packed
from everygrad.store.errors import StoreError
from everygrad.store.kinds import is_dict, is_sequence, is_tuple
from everygrad.store.opaque import Opaque
from everygrad.store.pickles import Name
from everygrad.store.torch_file import TorchFile, open_torch
from everygrad.store.torch_names import DTYPES, HostArray, HostDType, Record
from everygrad.store.tree import DEEPEST, items_of, joined


def torch_tree(path: Path, opaque: bool) -> Any:
    """What torch.save was given, with an `Entry` for each tensor; nothing of a tensor is read."""
    file = open_torch(path, opaque)
    return Reading(path, file, opaque).convert(file.tree, "", 0)


class Reading:
    """From what the pickle described to a tree of plain containers and entries."""

    def __init__(self, path: Path, file: TorchFile, opaque: bool) -> None:
        self.path, self.file, self.opaque = path, file, opaque
        self.size = path.stat().st_size
        self.done: dict[int, Any] = {}
        self.kept: list[Any] = []

    def convert(self, value: Any, name: str, depth: int) -> Any:
        """The value with entries in place of records; each container once, however often it is referred to."""
        if depth > DEEPEST:
            raise StoreError(
                f"{self.path}: {name[:60]!r}... is nested deeper than {DEEPEST} levels, or holds itself"
            )
        if id(value) not in self.done:
            made = self._convert(value, name, depth)
            self.kept.append(value)  # an id is another's once its object is gone
            self.done[id(value)] = made
        return self.done[id(value)]

    def _convert(self, value: Any, name: str, depth: int) -> Any:
        if isinstance(value, Record):
            return self._entry(value, name)
        if isinstance(value, Opaque) and value.name.startswith("__torch__"):
            value = (
                value.attributes
            )  # a module of TorchScript: its attributes are its parameters and its parts
        if is_dict(value) or is_sequence(value):
            parts = [(key, self.convert(item, joined(name, key), depth + 1)) for key, item in items_of(value)]
            if is_dict(value):
                return {_key(key): part for key, part in parts}
            made = [part for _, part in parts]
            return tuple(made) if is_tuple(value) else made
        if isinstance(value, Name):
            return self._value(value)
        if isinstance(value, HostArray) and value.values is not None:
            array = value.values.copy("C")
            content = memoryview(array.tobytes())
            return Entry(
                self.path, name, array.shape, array.dtype.name, packed(array.shape), 0, ("array", id(value)), lambda: content,
                False, self.size,
            )  # fmt: skip
        return None if isinstance(value, (HostArray, HostDType)) else value

    def _entry(self, record: Record, name: str) -> Entry:
        storage = record.storage
        size = storage.numel * ITEMSIZES[storage.dtype]
        return Entry(
            self.path, name or "tensor", record.shape, record.dtype, record.strides, record.offset, ("storage", storage.key),
            lambda: self.file.bytes_of(storage.key)[:size], self.file.swapped, self.size,
        )  # fmt: skip

    def _value(self, name: Name) -> Any:
        """A name that was not called: a dtype, or the name itself."""
        if str(name) in DTYPES:
            return DTYPES[str(name)]
        if name.module == "torch" and name.name.startswith(("strided", "sparse", "contiguous")):
            return str(name)
        if self.opaque or name.module.startswith("__torch__"):
            return Opaque(str(name))
        raise StoreError(
            f"{self.path}: the file refers to {name}, which is neither a tensor nor a plain value. Write "
            "load_torch(path, opaque=True) for a placeholder in its place"
        )


def _key(key: Any) -> Any:
    return str(key) if isinstance(key, (Name, Record, Opaque)) else key
