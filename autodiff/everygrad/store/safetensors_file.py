"""The safetensors format: written by its own library, read as mapped memory."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from everygrad.store.contents import Contents, header, texts
from everygrad.store.dtypes import ITEMSIZES, SAFETENSORS
from everygrad.store.entry import Entry, packed
from everygrad.store.errors import StoreError
from everygrad.store.zips import mapped
from everygrad_ops import BackendError

LARGEST_HEADER = 100_000_000
"""Bytes of a header: the limit of the format's own library."""


def write_safetensors(path: Path, contents: Contents) -> None:
    """Write the arrays, packed in rows, and the metadata."""
    try:
        library: Any = importlib.import_module("safetensors.numpy")
        failure: type[Exception] = importlib.import_module("safetensors").SafetensorError
    except ModuleNotFoundError:
        raise BackendError(
            "save: .safetensors files are written by the package 'safetensors', which is not installed. "
            "Write: pip install 'everygrad[store]', or save as .npz"
        ) from None
    arrays = {name: np.array(array, order="C", copy=None) for name, array in contents.arrays.items()}
    try:
        library.save_file(arrays, str(path), header(contents) or None)
    except failure as error:  # a disk that is full, for instance
        raise OSError(f"{path.name}: {error}") from error


def read_safetensors(path: Path) -> tuple[dict[str, Entry], dict[str, str]]:
    """(entries by name, metadata); no tensor is read."""
    memory = mapped(path)
    size = int.from_bytes(memory[:8], "little")
    if len(memory) < 8 or size > min(len(memory) - 8, LARGEST_HEADER):
        raise StoreError(
            f"{path}: must be a safetensors file. Received: {len(memory)} bytes, whose header claims {size}; copy or "
            "download the file again"
        )
    try:
        described = json.loads(bytes(memory[8 : 8 + size]), object_pairs_hook=_once)
        metadata = texts(path, described.pop("__metadata__", {}), "__metadata__")
        entries = {name: _entry(path, name, memory, 8 + size, text) for name, text in described.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{path}: the header of the safetensors file is damaged: {error!r}") from None
    _apart(path, entries)
    return entries, metadata


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs as a dictionary; readers differ in which of two equal names they would take."""
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise ValueError(f"the name {name!r} is there twice")
        made[name] = value
    return made


def _apart(path: Path, entries: dict[str, Entry]) -> None:
    """Tensors lie one behind the other; those of the very same bytes are one."""
    end, before = 0, ""
    ranges: dict[Any, str] = {entry.storage: name for name, entry in entries.items()}
    for (start, stop), name in sorted(ranges.items()):
        if start < end and start < stop:
            raise StoreError(
                f"{path}: the tensors {before!r} and {name!r} overlap. Received: bytes up to {end}, and from {start}; "
                "copy or download the file again"
            )
        end, before = max(end, stop), name


def _entry(path: Path, name: str, memory: memoryview, base: int, text: dict[str, Any]) -> Entry:
    start, end = text["data_offsets"]
    shape, dtype = tuple(text["shape"]), SAFETENSORS.get(str(text["dtype"]), str(text["dtype"]))
    if not all(type(n) is int and n >= 0 for n in (start, end, *shape)):
        raise StoreError(f"{path}: the tensor {name!r} is damaged: sizes and offsets must be whole numbers")
    entry = Entry(
        path, name, shape, dtype, packed(shape), 0, (start, end), lambda: memory[base + start : base + end],
        False, len(memory),
    )  # fmt: skip
    if dtype in ITEMSIZES and entry.nbytes != end - start:
        raise StoreError(
            f"{path}: the tensor {name!r} of shape {shape} and dtype {dtype} needs {entry.nbytes} bytes. "
            f"Received: {end - start} bytes; copy or download the file again"
        )
    return entry
