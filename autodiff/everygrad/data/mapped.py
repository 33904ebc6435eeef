"""NumPy's files as arrays mapped from the disk, the members of a .npz file too."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

__all__: list[str] = []


def open_mapped(path: Path) -> Any:
    """The array of a .npy file, or those of a .npz file by name; pickled objects are refused."""
    if not zipfile.is_zipfile(path):
        try:
            return np.load(path, mmap_mode="r", allow_pickle=False)
        except ValueError as error:
            raise ValueError(
                f"NumpyDataset: {path} is no .npy or .npz file of numbers ({error}). Write it by numpy.save or numpy.savez"
            ) from None
    found: dict[str, Any] = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.filename.endswith(".npy"):
                found[member.filename.removesuffix(".npy")] = _member(path, archive, member)
    return found


def _member(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Any:
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        read = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, fortran, dtype = read(file)
        header = file.tell()
    if member.compress_type != zipfile.ZIP_STORED or dtype.hasobject or 0 in shape:
        with archive.open(member) as file:
            return np.lib.format.read_array(file, allow_pickle=False)
    with path.open("rb") as raw:  # a local header lies before the data: 30 bytes, the name, and extras
        raw.seek(member.header_offset + 26)
        lengths = raw.read(4)
    start = (
        member.header_offset
        + 30
        + int.from_bytes(lengths[:2], "little")
        + int.from_bytes(lengths[2:], "little")
    )
    return np.memmap(path, dtype, "r", start + header, shape, "F" if fortran else "C")
