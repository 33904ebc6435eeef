"""torch's first container, a tar file: read like the others, and as torch itself still reads it."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (torch's serialization is untyped)

from __future__ import annotations

import io
import pickle
import random
import struct
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from everygrad.store import StoreError, load_torch

torch = pytest.importorskip("torch", reason="torch reads the files, too")
pytestmark = pytest.mark.usefixtures("library")

FLOATS: NDArray[Any] = np.arange(12, dtype="<f4")
LONGS: NDArray[Any] = np.arange(3, dtype="<i8")


class _Numbered(pickle.Pickler):
    """Integers of a class of their own stand for tensors."""

    def persistent_id(self, obj: Any) -> Any:
        return str(obj.number) if isinstance(obj, _Tensor) else None


class _Tensor:
    def __init__(self, number: int) -> None:
        self.number = number


def written(path: Path) -> Path:
    """Two storages, a view of the first, and three tensors: strided, with an offset in a view, of integers."""

    def packed(*parts: Any) -> bytes:
        return b"".join(part if isinstance(part, bytes) else pickle.dumps(part, 2) for part in parts)

    def size(values: NDArray[Any]) -> bytes:
        return struct.pack("<q", len(values)) + values.tobytes()

    storages = packed(
        2,
        (7, "cpu", torch.FloatStorage),
        size(FLOATS),
        (8, "cpu", torch.LongStorage),
        size(LONGS),
        [(9, 7, 4, 6)],
    )

    def tensor(
        key: int, storage: int, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
    ) -> bytes:
        numbers = (len(shape), *shape, *strides, offset)
        return packed((key, storage, torch.FloatTensor), struct.pack(f"<{len(numbers)}q", *numbers))

    tensors = (
        packed(3)
        + tensor(1, 7, (3, 4), (1, 3), 0)
        + tensor(2, 9, (2,), (2,), 1)
        + tensor(3, 8, (3,), (1,), 0)
    )
    rest = io.BytesIO()
    _Numbered(rest, 2).dump({"a": _Tensor(1), "b": [_Tensor(2), 5], "c": _Tensor(3)})
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in (("storages", storages), ("tensors", tensors), ("pickle", rest.getvalue())):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def test_a_tar_file_is_read_as_torch_reads_it(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pth")
    theirs, ours = torch.load(path, weights_only=False), load_torch(path)
    assert ours["a"].tolist() == theirs["a"].tolist() == FLOATS.reshape(4, 3).T.tolist()
    assert ours["b"][0].tolist() == theirs["b"][0].tolist() == [5.0, 7.0]
    assert ours["b"][1] == theirs["b"][1] == 5
    assert ours["c"].tolist() == theirs["c"].tolist() == [0, 1, 2]


def test_damaged_tar_files_give_our_error_or_values(tmp_path: Path) -> None:
    whole = written(tmp_path / "a.pth").read_bytes()
    path, draws, refused = tmp_path / "b.pth", random.Random(0), 0
    for _ in range(200):
        damaged = bytearray(whole)
        for _ in range(3):
            damaged[draws.randrange(len(damaged))] = draws.randrange(256)
        path.write_bytes(damaged[: draws.randrange(600, len(damaged))])
        try:
            load_torch(path)
        except StoreError:
            refused += 1
    assert refused > 50


def test_nothing_in_a_tar_file_is_called(tmp_path: Path) -> None:
    path = tmp_path / "a.pth"
    with tarfile.open(path, "w") as archive:
        content = b"cos\nsystem\n(X\x04\x00\x00\x00exittR."
        member = tarfile.TarInfo("storages")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    with pytest.raises(StoreError, match=r"asks to call os\.system"):
        load_torch(path)
