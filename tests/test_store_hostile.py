"""Files of torch that are damaged, or mean harm: an error that names what is wrong, and nothing is run."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# (torch's serialization is untyped)

from __future__ import annotations

import io
import pickle
import pickletools
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from everygrad.store import Opaque, StoreError, lazy, load_torch, tree
from everygrad.store.zips import ZipMap, mapped
from tests.store_tools import unzipped, zipped

torch = pytest.importorskip("torch", reason="torch writes the files")
pytestmark = pytest.mark.usefixtures("library")

Write = Callable[[Any], Path]


@pytest.fixture(params=["zip", "legacy"])
def write(request: pytest.FixtureRequest, tmp_path: Path) -> Write:
    """torch.save in each form; the path it wrote."""

    def save(value: Any) -> Path:
        torch.save(value, tmp_path / "a.pt", _use_new_zipfile_serialization=request.param == "zip")
        return tmp_path / "a.pt"

    return save


@pytest.mark.parametrize("damage", ["missing", "short"])
def test_b131_a_damaged_storage(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "a.pt"
    torch.save({"net": {"weight": torch.arange(6.0), "bias": torch.ones(2)}}, path)
    entries = unzipped(path)
    name = next(name for name in entries if name.endswith("data/0"))
    if damage == "missing":
        del entries[name]
    else:
        entries[name] = entries[name][:8]
    zipped(path, entries)
    found = 0 if damage == "missing" else 8
    with pytest.raises(
        StoreError,
        match=f"tensor 'net.weight' is damaged: its storage needs 24 bytes. Received: {found} bytes",
    ):
        load_torch(path)
    file = lazy(path)
    assert list(file) == ["net.weight", "net.bias"]
    assert file["net.bias"].tolist() == [1, 1]
    with pytest.raises(StoreError, match=re.escape("'net.weight'")):
        file["net.weight"]


def test_b131_a_file_cut_short(write: Write) -> None:
    values = {"up": np.arange(1000, dtype=np.float32), "down": -np.arange(1000, dtype=np.float32)}
    path = write({name: torch.tensor(x) for name, x in values.items()})
    whole = path.read_bytes()
    first, last = sorted(values, key=lambda name: whole.index(values[name].tobytes()))
    path.write_bytes(whole[: whole.index(values[last][500:].tobytes())])
    with pytest.raises(
        StoreError, match=f"tensor '{last}' is damaged: its storage needs 4000 bytes. Received: 2000"
    ):
        load_torch(path)
    assert lazy(path)[first].tolist() == values[first].tolist()


def test_every_cut_and_every_flipped_byte_gives_values_or_our_error(write: Write) -> None:
    path = write({"x": torch.arange(3.0), "n": {"y": torch.ones(2, dtype=torch.int8)}, "k": (1, "a")})
    whole = path.read_bytes()
    random = np.random.default_rng(0)
    for place in [*range(0, len(whole), 31), *random.integers(0, len(whole), 60)]:
        cut = whole[:place]
        flipped = whole[:place] + bytes([whole[place] ^ int(random.integers(1, 256))]) + whole[place + 1 :]
        for content in (cut, flipped):
            path.write_bytes(content)
            try:
                load_torch(path)
            except StoreError as error:
                assert str(path) in str(error)


def test_what_is_no_torch_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    for content, words in (
        (b"", "begins with b''"),
        (b"hello world", "begins with b'hello wo'"),
        (pickle.dumps({"a": 1})[:-1], "the pickle is damaged"),
        (b"\0" * 257 + b"ustar", "the tar file of torch is damaged"),
        (b"PK\x03\x04" + b"\0" * 10, "lost its directory"),
    ):
        path.write_bytes(content)
        with pytest.raises(StoreError, match=re.escape(words)):
            load_torch(path)
    zipped(path, {"a/b": b"x"})
    with pytest.raises(StoreError, match=r"must hold an entry data.pkl. Received: a zip file of a/b"):
        load_torch(path)


def test_dtypes_that_everygrad_lacks_are_named(write: Write) -> None:
    path = write(
        {
            "ok": torch.ones(2),
            "c": torch.ones(2, dtype=torch.complex64),
            "u": torch.ones(2, dtype=torch.uint16),
        }
    )
    for name, dtype in (("c", "complex64"), ("u", "uint16")):
        with pytest.raises(StoreError, match=f"tensor '{name}' has the dtype {dtype}"):
            lazy(path)[name]
    assert lazy(path)["ok"].tolist() == [1, 1]


# Harm.


class Call:
    """Pickled as a call of anything."""

    def __init__(self, function: Any, *args: Any) -> None:
        self.function, self.args = function, args

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self.function, self.args


class Config:
    """A class of the program that wrote the file."""

    def __init__(self) -> None:
        self.width = 3


def test_nothing_a_file_asks_for_is_called(write: Write, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    for call, name in (
        (Call(eval, f"open({str(victim)!r}, 'w')"), "builtins.eval"),
        (Call(getattr, "a", "upper"), "builtins.getattr"),
        (Call(victim.touch), "pathlib.PosixPath"),
    ):
        path = write({"x": torch.ones(2), "harm": call})
        with pytest.raises(StoreError, match=f"asks to call {name}.*nothing was called"):
            load_torch(path)
        assert not victim.exists()
    path = write({"x": torch.ones(2), "harm": Call(eval, "1")})
    back = load_torch(path, opaque=True)
    assert isinstance(back["harm"], Opaque)
    assert (back["harm"].name, back["harm"].args) == ("builtins.eval", ("1",))
    assert back["x"].tolist() == [1, 1]
    assert lazy(path, opaque=True)["x"].tolist() == [1, 1]


def test_objects_become_placeholders_when_asked(write: Write) -> None:
    path = write({"config": Config(), "kind": Config, "x": torch.ones(1)})
    with pytest.raises(StoreError, match=r"Config.*save the model's state_dict"):
        load_torch(path)
    back = load_torch(path, opaque=True)
    assert back["config"].attributes == {"width": 3}
    assert back["kind"].name.endswith(".Config")


def test_a_whole_model_is_refused_by_the_name_of_its_class(write: Write) -> None:
    path = write(torch.nn.Linear(2, 3))
    with pytest.raises(StoreError, match=r"torch.nn.modules.linear.Linear.*state_dict\(\) instead"):
        load_torch(path)


def described(path: Path, pickle_of: bytes, storages: dict[str, bytes] | None = None) -> Path:
    """A torch file with a pickle of our own."""
    zipped(
        path, {"a/data.pkl": pickle_of} | {f"a/data/{key}": data for key, data in (storages or {}).items()}
    )
    return path


def tensor_pickle(shape: tuple[Any, ...], strides: tuple[Any, ...], offset: Any = 0, numel: Any = 2) -> bytes:
    """{"x": a tensor}, written opcode by opcode."""
    out = io.BytesIO()

    class Pickler(pickle.Pickler):
        def persistent_id(self, obj: Any) -> Any:
            return ("storage", torch.FloatStorage, "0", "cpu", numel) if obj == "STORAGE" else None

    value = {"x": Call(torch._utils._rebuild_tensor_v2, "STORAGE", offset, shape, strides, False, None)}
    Pickler(out, 2).dump(value)
    return out.getvalue()


@pytest.mark.parametrize(
    ("shape", "strides", "offset", "numel", "words"),
    [
        ((3,), (1,), 0, 2, "needs 12 bytes. Received: 8 bytes"),
        ((2,), (1,), 1, 2, "needs 12 bytes. Received: 8 bytes"),
        ((2,), (1,), 0, 1, "needs 8 bytes. Received: 4 bytes"),
        ((2, 2), (2**40, 1), 0, 2, "Received: 8 bytes"),
        ((2**40,), (1,), 0, 2**40, "needs 4398046511104 bytes. Received: 8 bytes"),
        ((2**40,), (0,), 0, 2, "claims 4398046511104 bytes"),
        ((-1,), (1,), 0, 2, "must be whole numbers"),
        ((2,), (-1,), 1, 2, "must be whole numbers"),
        ((2,), (1,), -1, 2, "must be whole numbers"),
        ((2,), (), 0, 2, "must be whole numbers"),
        ((2.0,), (1,), 0, 2, "must be whole numbers"),
        ((2**70,), (1,), 0, 2, "must be whole numbers"),
        ((2**58, 2**58), (0, 0), 0, 2, "must be whole numbers"),
        ((2**58, 2**58, 0), (0, 0, 0), 0, 2, "must be whole numbers"),
        ((1,) * 40, (1,) * 40, 0, 2, "must be whole numbers"),
        ((2,), (1,), 0, -2, "has -2 elements"),
    ],
)
def test_claims_are_checked_before_anything_is_allocated(
    tmp_path: Path, shape: Any, strides: Any, offset: Any, numel: Any, words: str
) -> None:
    path = described(tmp_path / "a.pt", tensor_pickle(shape, strides, offset, numel), {"0": b"\0" * 8})
    with pytest.raises(StoreError, match=words):
        load_torch(path)


def test_bombs_of_structure_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MOST", 10_000)
    laughs = (
        b"\x80\x02]q\x00"
        + b"".join(b"](" + b"h%c" % i * 10 + b"eq" + bytes([i + 1]) for i in range(60))
        + b"."
    )
    path = described(tmp_path / "a.pt", laughs)
    with pytest.raises(StoreError, match="too many parts"):
        lazy(path)
    loop = b"\x80\x02]q\x00h\x00a."
    with pytest.raises(StoreError, match="holds itself"):
        load_torch(described(path, loop))
    deep = b"\x80\x02" + b"](" * 100_000 + b"e" * 100_000 + b"."
    with pytest.raises(StoreError, match="nested deeper"):
        load_torch(described(path, deep))


def test_bombs_of_size_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    torch.save({"x": torch.zeros(2**23)}, path)
    zipped(path, unzipped(path), zipfile.ZIP_DEFLATED)
    with pytest.raises(StoreError, match="zip bomb"):
        load_torch(path)
    huge = b"\x80\x04\x8d" + (2**62).to_bytes(8, "little") + b"a."
    with pytest.raises(StoreError, match="pickle is damaged"):
        load_torch(described(path, huge))


@pytest.mark.parametrize(
    "code",
    [
        b"(i__builtin__\neval\n.",
        b"c__builtin__\neval\n(S'1'\ntR.",
        b"\x82\x01.",
        b"\x97.",
        b"0.",
        b"}}s.",
        b"R.",
        b"t.",
        b"]}}su.",
    ],
)
def test_hand_written_pickles(tmp_path: Path, code: bytes) -> None:
    path = described(tmp_path / "a.pt", code)
    with pytest.raises(StoreError):
        load_torch(path)


def test_known_names_cannot_be_changed_by_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    attributes = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n}X\x01\x00\x00\x00aK\x01sb."
    with pytest.raises(StoreError, match=r"refers to torch._utils._rebuild_tensor_v2"):
        load_torch(described(path, attributes))


def test_every_opcode_is_known_or_refused() -> None:
    from everygrad.store import pickles

    known = {*pickles._LITERALS, *pickles._OLD_TEXTS, *pickles._IGNORED, *pickles._STEPS}  # pyright: ignore[reportPrivateUsage]  # the table under test
    refused = {"EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "READONLY_BUFFER"}
    assert known | refused == {opcode.name for opcode in pickletools.opcodes}


def test_entries_beyond_4_gib_are_found_without_a_directory(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with (
        zipfile.ZipFile(path, "w") as archive,
        archive.open(zipfile.ZipInfo("big"), "w", force_zip64=True) as entry,
    ):
        entry.write(b"12345")
    path.write_bytes(path.read_bytes()[:-30])
    found = ZipMap(path, mapped(path))
    assert not found.whole
    assert bytes(found.read("big")) == b"12345"


def test_views_that_negate_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    torch.save({"a": torch._neg_view(torch.ones(2))}, path)  # the only way to make one
    with pytest.raises(StoreError, match=r"Write x.resolve_neg\(\)"):
        load_torch(path)


@pytest.mark.parametrize("code", [b"(.", b"](a."])
def test_marks_are_no_values(tmp_path: Path, code: bytes) -> None:
    zipped(tmp_path / "a.pt", {"x/data.pkl": code})
    with pytest.raises(StoreError, match="a mark is where a value must be"):
        load_torch(tmp_path / "a.pt")


def test_repetitions_are_counted_together(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write([torch.ones(1).expand(1000 + i) for i in range(10)])
    assert len(load_torch(path)) == 10
    monkeypatch.setattr("everygrad.store.entry.LARGEST_EXPANSION", 20_000)  # each of them takes 4,000
    with pytest.raises(StoreError, match="repeat what is stored"):
        load_torch(path)
    assert lazy(path)["0"].shape == (1000,)
