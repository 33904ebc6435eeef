"""The first container of torch.save, before torch 0.1.10: a tar file of storages, tensors and a pickle of the rest."""

from __future__ import annotations

import struct
import tarfile
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from everygrad.store.dtypes import ITEMSIZES
from everygrad.store.errors import StoreError
from everygrad.store.kinds import is_tuple
from everygrad.store.pickles import Machine, Name
from everygrad.store.torch_names import Record, Storage, TorchMeaning, storage_dtype

MOST_DIMS = 64
MOST_TENSORS = 1_000_000


class TarTorch:
    """Members "storages" (key, class, size and bytes of each), "tensors" (sizes, strides, offset) and "pickle"."""

    swapped = False

    def __init__(self, path: Path, memory: memoryview, meaning: TorchMeaning) -> None:
        self.path, self.memory = path, memory
        self.storages: dict[Hashable, Storage] = {}
        self.places: dict[Hashable, tuple[int, int]] = {}
        try:
            starts = _members(path)
            self._read_storages(Machine(meaning), starts["storages"])
            records = self._records(Machine(meaning), starts["tensors"])
            source = self._source(starts["pickle"])
        except (tarfile.TarError, KeyError, ValueError, TypeError, IndexError, struct.error) as error:
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"{path}: the tar file of torch is damaged: {error!r}") from None
        self.tree = Machine(_ByKey(meaning, records)).run(source)

    def bytes_of(self, key: Hashable) -> memoryview:
        """A storage's bytes, all that are there."""
        start, size = self.places.get(key, (0, 0))
        return self.memory[start : start + size]

    def _source(self, start: int) -> Any:
        source: Any = self.memory.obj  # the mapped file
        source.seek(start)
        return source

    def _read_storages(self, machine: Machine, start: int) -> None:
        source = self._source(start)
        for _ in range(_count(machine.run(source))):
            key, _, kind = machine.run(source)
            dtype = storage_dtype(kind)
            (numel,) = struct.unpack("<q", source.read(8))
            size = numel * ITEMSIZES[dtype]
            if numel < 0:
                raise ValueError(f"a storage of {numel} elements")
            self.places[key] = source.tell(), size
            self.storages[key] = Storage(key, dtype, numel)
            source.seek(min(source.tell() + size, len(self.memory)))
        for target, root, first, _ in machine.run(source):
            whole = self.storages[root]
            self.storages[target] = Storage(root, whole.dtype, whole.numel, whole.first + first)

    def _records(self, machine: Machine, start: int) -> dict[Hashable, Record]:
        source = self._source(start)
        found: dict[Hashable, Record] = {}
        for _ in range(_count(machine.run(source))):
            key, storage_key, _ = machine.run(source)
            (dims,) = struct.unpack("<q", source.read(8))
            dims &= 0xFFFFFFFF  # of eight bytes only four are the number
            if dims > MOST_DIMS:
                raise ValueError(f"a tensor of {dims} dims")
            shape = struct.unpack(f"<{dims}q", source.read(8 * dims))
            strides = struct.unpack(f"<{dims}q", source.read(8 * dims))
            (offset,) = struct.unpack("<q", source.read(8))
            storage = self.storages[storage_key]
            found[key] = Record(storage, offset + storage.first, shape, strides, storage.dtype)
        return found


class _ByKey:
    """The meaning of names, with tensors known by number."""

    def __init__(self, meaning: TorchMeaning, records: dict[Hashable, Record]) -> None:
        self.meaning, self.records = meaning, records

    def call(self, name: Name, args: tuple[Any, ...]) -> Any:
        """What a call of a known name gives."""
        return self.meaning.call(name, args)

    def build(self, thing: Any, state: Any) -> None:
        """Give an object its state."""
        self.meaning.build(thing, state)

    def persistent(self, key: Any) -> Any:
        """The tensor of that number, or what a tuple holds."""
        if is_tuple(key):
            return key[0]
        return self.records[int(key)]


def _members(path: Path) -> dict[str, int]:
    """Where each member's bytes begin."""
    with tarfile.open(path, "r:") as archive:
        return {member.name: member.offset_data for member in archive if member.isreg()}


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MOST_TENSORS:
        raise ValueError(f"a number of tensors must be a whole number. Received: {value!r}")
    return value
