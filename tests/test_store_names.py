"""Names and headers at the edge of what formats hold: refused, never lost or taken for another."""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn, store
from everygrad.store import StoreError
from everygrad.store.zips import scan
from tests.store_tools import unzipped, zipped

pytestmark = pytest.mark.usefixtures("library")

HARD = [
    "a/b",
    "../../up",
    "a\\b",
    "C:\\x",
    "con",
    " ",
    "a.npy",
    "everygrad.json",
    "tensor~2",
    "ключ",
    "a.b..c",
]


@pytest.mark.parametrize("ending", [".npz", ".safetensors"])
@pytest.mark.parametrize("name", HARD)
def test_names_come_back(tmp_path: Path, ending: str, name: str) -> None:
    path = tmp_path / f"a{ending}"
    store.save({name: eg.tensor([1.0, 2.0]), "a": eg.zeros(1)}, path)
    found = store.load(path)
    assert set(found) == {name, "a"}
    assert found[name].tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("ending", "name"),
    [
        (".npz", "a\0b"),
        (".npz", "é" * 40_000),
        (".npz", "\ud800"),
        (".safetensors", "\ud800"),
        (".safetensors", "__metadata__"),
    ],
)
def test_names_that_would_be_lost_are_refused(tmp_path: Path, ending: str, name: str) -> None:
    path = tmp_path / f"a{ending}"
    store.save({"old": eg.ones(1)}, path)
    for state in ({name: eg.ones(1), "a": eg.zeros(1)}, {name: eg.ones(1), "step": 3}):
        with pytest.raises(StoreError, match="cannot hold this name"):
            store.save(state, path)
    assert list(store.load(path)) == ["old"]
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_metadata_are_texts(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="texts by name"):
        store.save({"a": eg.ones(1)}, tmp_path / "a.safetensors", metadata={"a": "\ud800"})


@pytest.mark.parametrize("ending", [".npz", ".safetensors"])
def test_keys_of_every_plain_kind(tmp_path: Path, ending: str) -> None:
    state: dict[Any, Any] = {1: eg.ones(2), None: 3, (1, "b"): eg.zeros(1), 2.5: {"x"}, "s": {(1, 2), 3}}
    store.save(state, tmp_path / f"a{ending}")
    found = store.load(tmp_path / f"a{ending}")
    assert list(found) == list(state)
    assert found["s"] == state["s"]
    assert found[1, "b"].tolist() == [0.0]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.npz").mkdir()
    with pytest.raises(IsADirectoryError, match="cannot take the place of a folder"):
        store.save({"a": eg.ones(1)}, tmp_path / "a.npz")
    assert [file.name for file in tmp_path.iterdir()] == ["a.npz"]


def _safetensors(path: Path, header: bytes, size: int) -> Path:
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(size))
    return path


def _at(start: int, stop: int) -> dict[str, Any]:
    return {"dtype": "F32", "shape": [(stop - start) // 4], "data_offsets": [start, stop]}


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"a": _at(0, 8), "b": _at(4, 12)}, "'a' and 'b' overlap"),
        ({"a": _at(0, 12), "b": _at(4, 8)}, "'a' and 'b' overlap"),
        ({"__metadata__": [1], "a": _at(0, 4)}, "must hold texts by name"),
        ({"__metadata__": {"a": 1}, "a": _at(0, 4)}, "must hold texts by name"),
    ],
)
def test_headers_that_contradict_the_format(tmp_path: Path, header: dict[str, Any], words: str) -> None:
    path = _safetensors(tmp_path / "a.safetensors", json.dumps(header).encode(), 12)
    with pytest.raises(StoreError, match=words):
        store.load(path)


def test_a_name_twice_in_a_header(tmp_path: Path) -> None:
    entry = json.dumps(_at(0, 4))
    path = _safetensors(tmp_path / "a.safetensors", f'{{"a":{entry},"a":{entry}}}'.encode(), 4)
    with pytest.raises(StoreError, match="'a' is there twice"):
        store.load(path)


def test_one_range_under_two_names_is_one_tensor(tmp_path: Path) -> None:
    header = json.dumps({"a": _at(0, 4), "b": _at(0, 4), "none": _at(2, 2)}).encode()
    found = store.load(_safetensors(tmp_path / "a.safetensors", header, 4))
    assert found["a"] is found["b"]


@pytest.mark.parametrize(
    "content", [b"{", b"\xff", b"[1]", b'{"a": 1}', b'{"everygrad.bfloat16": "5"}', b"[" * 10**5]
)
def test_damaged_metadata_of_an_npz(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.npz"
    store.save({"a": eg.ones(1)}, path)
    zipped(path, unzipped(path) | {"everygrad.json": content})
    with pytest.raises(StoreError, match=r"everygrad.json|bfloat16"):
        store.load(path)


def test_changed_bytes_give_values_or_our_error(tmp_path: Path) -> None:
    path, draws, refused = tmp_path / "a.npz", random.Random(0), 0
    store.save({"x": {"a": eg.ones(2, 3)}, "n": (1, 2.5, b"x"), "b": eg.ones(3).to(eg.bfloat16)}, path)
    plain = path.read_bytes()
    np.savez_compressed(path, a=np.ones((2, 3)), b=np.zeros(2))
    for whole in (plain, path.read_bytes()):
        for _ in range(300):
            damaged = bytearray(whole)
            for _ in range(draws.randrange(1, 4)):
                place = draws.randrange(len(damaged))
                damaged[place : place + draws.randrange(3)] = draws.randbytes(draws.randrange(3))
            path.write_bytes(damaged[: draws.choice([len(damaged), draws.randrange(1, len(damaged))])])
            try:
                store.load(path)
            except StoreError:
                refused += 1
    assert refused > 100


def test_an_extra_field_that_ends_early_has_no_sizes(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("a")
        info.extra = b"\x01\x00\x10\x00" + bytes(8)  # says 16 bytes, has 8
        archive.writestr(info, b"x")
    content = bytearray(path.read_bytes())
    content[18:26] = b"\xff" * 8
    assert "a" in scan(memoryview(bytes(content[: 30 + 1 + 12])))


class TestRemap:
    def model(self) -> nn.Module:
        return nn.Linear(2, 3)

    @pytest.mark.parametrize("remap", [[("bias", None)], {"bias": None}])
    def test_none_drops(self, remap: Any) -> None:
        a, b = nn.Linear(2, 3), nn.Linear(2, 3, bias=False)
        report = store.load_model(b, a.state_dict(), remap=remap)
        assert (report.loaded, report.dropped) == (["weight"], ["bias"])

    @pytest.mark.parametrize(
        ("remap", "kind", "words"),
        [
            ([5], TypeError, r"a list of pairs and functions. Received: 5"),
            ([("a", "b", "c")], TypeError, "list of pairs"),
            (("a", "b"), TypeError, "list of pairs"),
            ("abc", TypeError, "list of pairs"),
            ([("a", 3)], TypeError, r"by a text, or by None to drop the names. Received: 3"),
            ([(3, "a")], ValueError, "3 is no regular expression"),
            ([("weight", r"\9")], ValueError, r"does not replace 'weight'"),
            (lambda name: len(name), TypeError, r"must return a name, or None. Received: 6"),  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]  # wrong on purpose
        ],
    )
    def test_what_is_no_remapping_is_named(self, remap: Any, kind: type[Exception], words: str) -> None:
        with pytest.raises(kind, match=words):
            store.load_model(self.model(), self.model().state_dict(), remap=remap)

    @pytest.mark.parametrize("only", [3, "("])
    def test_patterns_that_are_none(self, only: Any) -> None:
        with pytest.raises(ValueError, match="no regular expression"):
            store.load_model(self.model(), self.model().state_dict(), only=only)

    def test_a_source_that_is_none(self) -> None:
        with pytest.raises(TypeError, match=r"a path or a dictionary of tensors. Received: Linear"):
            store.load_model(self.model(), self.model())
