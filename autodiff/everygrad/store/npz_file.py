"""NumPy's .npz: a zip file of arrays; what NumPy has no word for is in one more entry, as JSON."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from everygrad.store.contents import Contents, header, texts
from everygrad.store.entry import Entry, packed
from everygrad.store.errors import StoreError
from everygrad.store.zips import ZipMap, mapped

ABOUT = "everygrad.json"
BFLOAT16 = "everygrad.bfloat16"
"""The names of arrays that hold the bits of bfloat16, which NumPy does not have."""

LONGEST_HEADER = 2**16


def write_npz(path: Path, contents: Contents) -> None:
    """Write the arrays, as `numpy.load` reads them, and the metadata."""
    about, bits = header(contents), list[str]()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in contents.arrays.items():
            if array.dtype.name == "bfloat16":
                bits.append(name)
                array = np.array(array, order="C").view(np.uint16)
            with archive.open(name + ".npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)
        if bits:
            about[BFLOAT16] = json.dumps(bits)
        if about:
            archive.writestr(ABOUT, json.dumps(about))


def read_npz(path: Path) -> tuple[dict[str, Entry], dict[str, str]]:
    """(entries by name, metadata); no array is read."""
    memory = mapped(path)
    if bytes(memory[:2]) != b"PK":
        raise StoreError(
            f"{path}: must be an .npz file. Received: a file that begins with {bytes(memory[:6])!r}"
        )
    archive = ZipMap(path, memory)
    about: dict[str, str] = {}
    if ABOUT in archive.parts:
        about = texts(path, bytes(archive.read(ABOUT)), f"the entry {ABOUT}")
    bits = _bits(path, about.pop(BFLOAT16, "[]"))
    names = [name for name in archive.parts if name.endswith(".npy")]
    return {
        (short := name.removesuffix(".npy")): _entry(archive, name, short in bits, len(memory))
        for name in names
    }, about


def _bits(path: Path, listed: str) -> frozenset[str]:
    """The names of the arrays that hold the bits of bfloat16."""
    try:
        return frozenset(json.loads(listed))
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreError(f"{path}: the list of bfloat16 arrays is damaged: {error}") from None


def _entry(archive: ZipMap, name: str, bits: bool, size: int) -> Entry:
    label = name.removesuffix(".npy")
    source = io.BytesIO(archive.read(name)[:LONGEST_HEADER])
    try:
        version = np.lib.format.read_magic(source)
        read: Any = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, fortran, dtype = read(source)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, TokenError) as error:
        raise StoreError(f"{archive.path}: the array {label!r} is damaged: {error}") from None
    start = source.tell()
    strides = tuple(reversed(packed(tuple(reversed(shape))))) if fortran else packed(shape)
    kind = "bfloat16" if bits else "object" if dtype.hasobject else dtype.name
    return Entry(
        archive.path, label, shape, kind, strides, 0, name, lambda: archive.read(name)[start:],
        not dtype.isnative, size,
    )  # fmt: skip
