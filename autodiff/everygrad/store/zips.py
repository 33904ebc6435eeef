"""Zip files as memory: entries are found and checked before anything is read, in damaged files too."""

from __future__ import annotations

import mmap
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from everygrad.store.errors import StoreError

LARGEST_RATIO = 200
"""How much smaller than its content a packed entry may be: data of a model never packs like this."""
SMALL = 2**24
"""Bytes that may be unpacked at any ratio."""


@dataclass(frozen=True)
class Part:
    """Where an entry's bytes are in the file."""

    start: int
    packed_size: int
    size: int
    method: int


def mapped(path: Path) -> memoryview:
    """The file as read-only memory; it stays open as long as anything of it is used."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


class ZipMap:
    """The entries of a zip file by name."""

    def __init__(self, path: Path, memory: memoryview) -> None:
        self.path, self.memory = path, memory
        self.whole = True
        try:
            with zipfile.ZipFile(path) as archive:
                self.parts = {info.filename: self._part(info) for info in archive.infolist()}
        except (
            zipfile.BadZipFile,
            NotImplementedError,
            ValueError,
            EOFError,
            OSError,
            OverflowError,
            struct.error,
        ):
            self.whole = False  # the directory is at the end, and the end is missing
            self.parts = scan(memory)
            if not self.parts:
                raise StoreError(
                    f"{path}: the zip file has lost its directory. Received: {len(memory)} bytes; copy or download "
                    "the file again"
                ) from None

    def _part(self, info: zipfile.ZipInfo) -> Part:
        head = bytes(self.memory[info.header_offset : info.header_offset + 30])
        if len(head) < 30 or head[:4] != b"PK\x03\x04" or info.flag_bits & 1:
            return Part(len(self.memory), info.compress_size, info.file_size, info.compress_type)
        name, extra = struct.unpack("<HH", head[26:30])
        return Part(
            info.header_offset + 30 + name + extra, info.compress_size, info.file_size, info.compress_type
        )

    def read(self, name: str) -> memoryview:
        """The bytes of an entry, all that are there (none if it is missing); a bomb raises."""
        part = self.parts.get(name)
        if part is None:
            return memoryview(b"")
        raw = self.memory[part.start : part.start + part.packed_size]
        if part.method == zipfile.ZIP_STORED:
            return raw
        if part.method != zipfile.ZIP_DEFLATED:
            raise StoreError(
                f"{self.path}: the entry {name!r} is packed by an unknown method. Write it unpacked"
            )
        if part.size > max(SMALL, LARGEST_RATIO * len(raw)):
            raise StoreError(
                f"{self.path}: the entry {name!r} claims {part.size} bytes. Received: {len(raw)} packed bytes, which "
                "is what a zip bomb looks like; write it unpacked"
            )
        try:
            return memoryview(zlib.decompressobj(-15).decompress(raw, max(1, part.size)))
        except zlib.error as error:
            raise StoreError(f"{self.path}: the entry {name!r} is damaged: {error}") from None


def scan(memory: memoryview) -> dict[str, Part]:
    """The entries of a zip file without its directory, from the headers in front of each."""
    found: dict[str, Part] = {}
    place = 0
    while bytes(memory[place : place + 4]) == b"PK\x03\x04" and place + 30 <= len(memory):
        flags, method = struct.unpack_from("<HH", memory, place + 6)
        packed_size, size, name_size, extra_size = struct.unpack_from("<IIHH", memory, place + 18)
        name = bytes(memory[place + 30 : place + 30 + name_size]).decode("utf-8", "replace")
        start = place + 30 + name_size + extra_size
        if 0xFFFFFFFF in (packed_size, size):
            size, packed_size = _large(bytes(memory[place + 30 + name_size : start]), size, packed_size)
        if flags & 8 and not packed_size:
            packed_size, size, behind = _described_behind(memory, start)
        else:
            behind = 0
        found[name] = Part(start, packed_size, size, method)
        place = start + packed_size + behind
    return found


def _described_behind(memory: memoryview, start: int) -> tuple[int, int, int]:
    """(packed size, size, bytes of the description) of an entry whose sizes stand behind it, as in torch's files.

    An entry without its description goes to the end of what is left of the file.
    """
    whole: Any = memory.obj
    place = start
    while (place := whole.find(b"PK\x07\x08", place)) >= 0:
        for form, length in (("<QQ", 24), ("<II", 16)):
            if place + length <= len(memory):
                packed_size, size = struct.unpack_from(form, memory, place + 8)
                if packed_size == place - start:
                    return packed_size, size, length
        place += 4
    return len(memory) - start, len(memory) - start, 0


def _large(extra: bytes, size: int, packed_size: int) -> tuple[int, int]:
    """The sizes of an entry beyond 4 GiB, from its extra field."""
    place = 0
    while place + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, place)
        if kind == 1 and length >= 16 and place + 20 <= len(extra):
            first, second = struct.unpack_from("<QQ", extra, place + 4)
            return int(first), int(second)
        place += 4 + length
    return size, packed_size
