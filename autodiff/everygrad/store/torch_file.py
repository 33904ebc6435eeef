"""The containers of torch.save: a zip file with an entry per storage, before torch 1.6 pickles in a row, at first a tar file."""

from __future__ import annotations

import io
import struct
from collections.abc import Hashable
from pathlib import Path
from typing import Any, Protocol

from everygrad.store.dtypes import ITEMSIZES
from everygrad.store.errors import StoreError
from everygrad.store.kinds import is_dict
from everygrad.store.pickles import Machine
from everygrad.store.torch_names import Storage, TorchMeaning
from everygrad.store.torch_pickle import PickledTorch, PickleMeaning
from everygrad.store.torch_tar import TarTorch
from everygrad.store.zips import ZipMap, mapped

MAGIC = 0x1950A86A20F9469CFC6C
"""The number that a file of pickles in a row begins with."""
LARGEST_PICKLE = 2**30
"""Bytes of the pickle that describes the tensors: their values are elsewhere."""


class TorchFile(Protocol):
    """What all containers give."""

    tree: Any
    swapped: bool

    def bytes_of(self, key: Hashable) -> memoryview:
        """A storage's bytes, all that are there."""
        ...


def open_torch(path: Path, opaque: bool) -> TorchFile:
    """The objects of a torch file, with a `Record` for each tensor; no storage is read."""
    memory = mapped(path)
    head = bytes(memory[:262])
    meaning = TorchMeaning(path, opaque)
    try:
        if head[:4] == b"PK\x03\x04":
            return ZipTorch(path, memory, meaning)
        if head[:1] == b"\x80":
            return _pickled(path, memory, opaque)
        if head[257:262] == b"ustar":
            return TarTorch(path, memory, meaning)
    except StoreError as error:
        raise error if str(path) in str(error) else StoreError(f"{path}: {error}") from None
    raise StoreError(
        f"{path}: must be a file written by torch.save. Received: a file that begins with {head[:8]!r}; write "
        "torch.save(model.state_dict(), path)"
    )


class ZipTorch:
    """The zip form, TorchScript's included: name/data.pkl describes, name/data/KEY holds."""

    def __init__(self, path: Path, memory: memoryview, meaning: TorchMeaning) -> None:
        self.zip = ZipMap(path, memory)
        found = [name for name in self.zip.parts if name == "data.pkl" or name.endswith("/data.pkl")]
        if not found:
            raise StoreError(
                f"{path}: must hold an entry data.pkl. Received: a zip file of {', '.join(list(self.zip.parts)[:5])}; "
                "write torch.save(model.state_dict(), path)"
            )
        self.folder = min(found, key=len).removesuffix("data.pkl")
        part = self.zip.parts[self.folder + "data.pkl"]
        pickle = self.zip.read(self.folder + "data.pkl")
        if len(pickle) < part.size or part.size > LARGEST_PICKLE:
            raise StoreError(
                f"{path}: the description of the tensors needs {part.size} bytes. Received: {len(pickle)} bytes; copy "
                "or download the file again"
            )
        order = bytes(self.zip.read(self.folder + "byteorder"))
        self.swapped = order == b"big"
        self.tree = Machine(meaning).run(io.BytesIO(pickle))

    def bytes_of(self, key: Hashable) -> memoryview:
        """A storage's bytes, all that are there."""
        return self.zip.read(f"{self.folder}data/{key}")


class LegacyTorch:
    """The form before zip files: magic number, version, system, objects, keys, then each storage's size and bytes.

    `source` reads the memory, and is behind the magic number.
    """

    def __init__(self, memory: memoryview, source: Any, meaning: TorchMeaning) -> None:
        Machine(meaning).run(source)
        system = Machine(meaning).run(source)
        self.swapped = is_dict(system) and system.get("little_endian") is False
        self.tree = Machine(meaning).run(source)
        keys = Machine(meaning).run(source)
        self.places = places(memory, source.tell(), keys, meaning.storages, self.swapped)
        self.memory = memory

    def bytes_of(self, key: Hashable) -> memoryview:
        """A storage's bytes, all that are there."""
        start, size = self.places.get(key, (0, 0))
        return self.memory[start : start + size]


def _pickled(path: Path, memory: memoryview, opaque: bool) -> TorchFile:
    """torch.save's pickles in a row, or a single one of pickle.dump."""

    def inner(content: memoryview, source: Any, meaning: TorchMeaning) -> TorchFile:
        if Machine(meaning).run(source) != MAGIC:
            raise StoreError(f"{path}: a storage is no file of torch")
        return LegacyTorch(content, source, meaning)

    source: Any = memory.obj  # the mapped file: it reads like any file, and never beyond its end
    meaning = PickleMeaning(path, opaque, inner)
    found = Machine(meaning).run(source)
    return LegacyTorch(memory, source, meaning) if found == MAGIC else PickledTorch(found, meaning)


def places(
    memory: memoryview, start: int, keys: Any, storages: dict[Hashable, Storage], swapped: bool
) -> dict[Hashable, tuple[int, int]]:
    """(start, size in bytes) of each storage, as far as the file goes."""
    found: dict[Hashable, tuple[int, int]] = {}
    for key in keys:
        if start + 8 > len(memory) or key not in storages:
            break
        (numel,) = struct.unpack_from(">q" if swapped else "<q", memory, start)
        size = numel * ITEMSIZES[storages[key].dtype]
        if numel < 0:
            break
        found[key] = (start + 8, size)
        start += 8 + size
    return found
