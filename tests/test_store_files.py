"""save and load by file ending: structures, ties, strides, dtypes, whole files or none."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import everygrad as eg
from everygrad.store import atomic, files
from everygrad.store.contents import Contents
from everygrad.store.safetensors_file import read_safetensors

library_of_the_format: Any = pytest.importorskip("safetensors", reason="it writes .safetensors")
arrays_of_the_format: Any = pytest.importorskip("safetensors.numpy")

pytestmark = pytest.mark.usefixtures("library")
FORMATS = ["safetensors", "npz"]
DTYPES = ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"]


@pytest.fixture(params=FORMATS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / f"values.{request.param}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_and_rank(path: Path, dtype: str) -> None:
    values = np.array([[0, 1, 2], [3, 4, 100]])
    kind = np.dtype(ml_dtypes.bfloat16) if dtype == "bfloat16" else np.dtype(dtype)
    state = {
        "matrix": values,
        "scalar": np.array(1),
        "empty": np.ones((0, 3)),
        "cube": values.reshape(1, 2, 3),
    }
    eg.store.save({name: eg.tensor(x.astype(kind)) for name, x in state.items()}, path)
    back = eg.store.load(path)
    assert list(back) == list(state) or path.suffix == ".safetensors"  # the format sorts by size of elements
    for name, x in state.items():
        assert back[name].dtype.value == dtype
        assert back[name].backend is eg.ones(1).backend
        np.testing.assert_array_equal(back[name].numpy(), x.astype(kind))


def test_special_values_keep_their_bits(path: Path) -> None:
    bits = np.array([0x7FC00001, 0x80000000, 0x7F800000, 0x00000001], np.uint32).view(np.float32)
    eg.store.save({"x": eg.tensor(bits)}, path)
    assert eg.store.load(path)["x"].numpy().tobytes() == bits.tobytes()


def test_strided_values_are_packed(path: Path) -> None:
    x = np.arange(24.0).reshape(4, 6)
    views = {
        "t": x.T,
        "cut": x[1:, ::2],
        "back": x[::-1],
        "wide": np.broadcast_to(x[0], (3, 6)),
        "f": np.asfortranarray(x),
    }
    eg.store.save(views, path)
    for name, view in views.items():
        np.testing.assert_array_equal(eg.store.load(path)[name].numpy(), view)
    eg.store.save({"t": eg.tensor(x).T, "p": eg.tensor(x).reshape(2, 2, 6).permute(2, 0, 1)}, path)
    np.testing.assert_array_equal(eg.store.load(path)["t"].numpy(), x.T)
    np.testing.assert_array_equal(eg.store.load(path)["p"].numpy(), x.reshape(2, 2, 6).transpose(2, 0, 1))


def test_tied_tensors_are_written_once_and_are_one_again(path: Path) -> None:
    x, y = eg.ones(1000), eg.zeros(1000)
    eg.store.save({"a": x, "b": y, "c": x}, path)
    assert path.stat().st_size < 10_000
    back = eg.store.load(path)
    assert back["a"] is back["c"]
    assert back["a"] is not back["b"]
    assert back["c"].tolist() == [1.0] * 1000
    eg.store.save({"first": {"a": x}, "second": [x, y]}, path)
    nested = eg.store.load(path)
    assert nested["first"]["a"] is nested["second"][0]


def test_equal_values_are_not_tied(path: Path) -> None:
    eg.store.save({"a": eg.ones(3), "b": eg.ones(3), "row": eg.ones(2, 3)[0]}, path)
    back = eg.store.load(path)
    assert back["a"] is not back["b"]


def test_structures_come_back_as_they_were(path: Path) -> None:
    state: dict[str, Any] = {
        "state": {0: {"step": 3, "exp_avg": eg.tensor([1.0, 2.0])}, 7: {"step": 4}},
        "groups": [{"lr": 0.1, "betas": (0.9, 0.999), "params": [0, 7], "on": True, "none": None}],
        "inf": [math.inf, -math.inf, 1e300, -0.0], "text": "å\n", "big": 2**70, "bytes": b"\x00\xff",
        "dtype": eg.bfloat16, "set": {1, 2}, "numpy": np.float32(0.5), "a.b": eg.ones(1), "a": {"b": eg.zeros(1)},
        "empty": [{}, [], ()],
    }  # fmt: skip
    eg.store.save(state, path)
    back = eg.store.load(path)
    assert back["state"][0]["exp_avg"].tolist() == [1.0, 2.0]
    assert (back["state"][0]["step"], back["state"][7]) == (3, {"step": 4})
    assert (back["a.b"].tolist(), back["a"]["b"].tolist()) == ([1.0], [0.0])
    for key in ("groups", "inf", "text", "big", "bytes", "dtype", "set", "numpy", "empty"):
        assert back[key] == state[key]
    assert math.isnan(_again(math.nan, path))
    assert _again(eg.tensor([5, 6]), path).tolist() == [5, 6]
    assert _again([1, (2, [3.5])], path) == [1, (2, [3.5])]


def _again(value: Any, path: Path) -> Any:
    eg.store.save(value, path)
    return eg.store.load(path)


def test_an_optimizer_continues_as_if_unbroken(path: Path) -> None:
    def steps(p: eg.nn.Parameter, optimizer: eg.optim.Adam, count: int) -> None:
        for _ in range(count):
            optimizer.step((p * p * p).sum().backward())

    p = eg.nn.Parameter([1.0, 2.0, 3.0])
    optimizer = eg.optim.Adam([p], lr=0.1)
    steps(p, optimizer, 3)
    eg.store.save({"p": p, "optimizer": optimizer.state_dict()}, path)
    steps(p, optimizer, 3)
    saved = eg.store.load(path)
    q = eg.nn.Parameter(saved["p"])
    resumed = eg.optim.Adam([q], lr=0.5)
    resumed.load_state_dict(saved["optimizer"])
    steps(q, resumed, 3)
    assert q.tolist() == p.tolist()


def test_metadata_are_kept_and_ours_are_not_shown(path: Path) -> None:
    x = eg.ones(2)
    eg.store.save({"a": x, "b": x}, path, metadata={"author": "Ada", "notes": "è"})
    assert eg.store.lazy(path).metadata == {"author": "Ada", "notes": "è"}
    with pytest.raises(TypeError, match="metadata must be texts"):
        eg.store.save({"a": x}, path, metadata={"epoch": 3})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]  # on purpose


def test_other_programs_read_what_was_saved(tmp_path: Path) -> None:
    state = {"w": np.arange(6.0).reshape(2, 3), "i": np.array([1, 2])}
    eg.store.save(state, tmp_path / "a.safetensors")
    eg.store.save(state, tmp_path / "a.npz")
    for name, x in state.items():
        np.testing.assert_array_equal(arrays_of_the_format.load_file(tmp_path / "a.safetensors")[name], x)
        np.testing.assert_array_equal(np.load(tmp_path / "a.npz")[name], x)


def test_what_other_programs_saved_is_read(tmp_path: Path) -> None:
    state = {
        "w": np.arange(6.0).reshape(2, 3),
        "f": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "big": np.arange(3, dtype=">i4"),
    }
    np.savez(tmp_path / "a.npz", **state)  # type: ignore[arg-type]  # names
    np.savez_compressed(tmp_path / "b.npz", **state)  # type: ignore[arg-type]  # names
    arrays_of_the_format.save_file({"w": state["w"]}, tmp_path / "c.safetensors", {"k": "v"})
    for name, x in state.items():
        np.testing.assert_array_equal(eg.store.load(tmp_path / "a.npz")[name].numpy(), x)
        np.testing.assert_array_equal(eg.store.load(tmp_path / "b.npz")[name].numpy(), x)
    np.testing.assert_array_equal(eg.store.load(tmp_path / "c.safetensors")["w"].numpy(), state["w"])
    assert eg.store.lazy(tmp_path / "c.safetensors").metadata == {"k": "v"}


def test_dtype_and_backend_are_chosen_at_load(path: Path) -> None:
    eg.store.save({"w": eg.tensor([1.0, 2.5]), "n": eg.tensor([1, 2])}, path)
    back = eg.store.load(path, "numpy", dtype=eg.float16)
    assert back["w"].backend.name == "autodiff(numpy)"
    assert (back["w"].dtype, back["n"].dtype) == (eg.float16, eg.int64)
    with pytest.raises(TypeError, match="floating-point"):
        eg.store.load(path, dtype=eg.int32)


def test_values_on_numpy_are_views_of_the_file(path: Path) -> None:
    eg.store.save({"w": np.arange(1000.0)}, path)
    with eg.use("numpy"):
        view, copied = eg.store.load(path)["w"], eg.store.load(path, copy=True)["w"]
    assert path.suffix == ".npz" or not view.numpy().flags.owndata
    assert not view.numpy().flags.writeable
    eg.store.save({"w": np.zeros(1000)}, path)  # replaces the file, not what is mapped
    assert view.tolist() == copied.tolist() == list(range(1000))


def test_a_mapped_parameter_can_be_trained(path: Path) -> None:
    eg.store.save({"weight": np.ones((3, 2), np.float32), "bias": np.zeros(3, np.float32)}, path)
    layer = eg.nn.Linear(2, 3)
    eg.store.load_model(layer, path)
    for optimizer in (eg.optim.SGD(layer.parameters(), lr=0.1), eg.optim.Adam(layer.parameters())):
        for _ in range(2):
            optimizer.step(layer(eg.ones(1, 2)).sum().backward())
    again = eg.store.load(path)
    assert again["weight"].tolist() == [[1.0, 1.0]] * 3
    assert layer.weight.tolist() != again["weight"].tolist()


def test_nothing_is_lost_when_a_write_fails(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    eg.store.save({"w": eg.ones(3)}, path)
    before = path.read_bytes()

    def broken(part: Path, contents: Contents) -> None:
        part.write_bytes(before[:20])
        raise OSError("no space left on device")

    monkeypatch.setitem(files.WRITERS, path.suffix, broken)
    with pytest.raises(OSError, match="no space"):
        eg.store.save({"w": eg.zeros(3)}, path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_a_new_file_has_the_usual_rights_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    plain, ours = tmp_path / "plain", tmp_path / "ours"
    plain.write_bytes(b"")
    for expected in (plain.stat().st_mode, 0o100600):
        with atomic.replacing(ours) as part:
            part.write_bytes(b"x")
        assert ours.stat().st_mode == expected
        ours.chmod(0o600)


def test_values_that_cannot_be_saved_are_named_before_a_file_is_made(path: Path) -> None:
    with pytest.raises(TypeError, match=r"'groups.0.fn' cannot be saved. Received: function"):
        eg.store.save({"groups": [{"fn": _again}]}, path)
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(eg.store.StoreError, match="holds itself"):
        eg.store.save(loop, path)
    assert not path.exists()


def test_unknown_endings_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(eg.store.StoreError, match=r"'a.h5'; write one of .safetensors, .npz"):
        eg.store.save({}, tmp_path / "a.h5")
    with pytest.raises(eg.store.StoreError, match=r"'a.pt'; write one of .safetensors, .npz"):
        eg.store.save({}, tmp_path / "a.pt")
    with pytest.raises(FileNotFoundError, match="no such file"):
        eg.store.load(tmp_path / "a.npz")
    (tmp_path / "a.txt").write_text("hello")
    with pytest.raises(eg.store.StoreError, match="the ending of a file says its format"):
        eg.store.load(tmp_path / "a.txt")


def test_lazy_shows_what_a_file_holds(path: Path) -> None:
    eg.store.save({"net": {"w": eg.ones(2, 3)}, "step": 3}, path)
    file = eg.store.lazy(path)
    assert repr(file) == f"{path}: 1 tensors, 24 bytes\nnet.w  float32   [2, 3]"
    assert (len(file), "net.w" in file, "x" in file) == (1, True, False)
    with pytest.raises(KeyError, match=r"holds no tensor 'x'. It holds net.w"):
        file["x"]


def _safetensors(text: Any, data: bytes) -> bytes:
    head = text if isinstance(text, bytes) else json.dumps(text).encode()
    return len(head).to_bytes(8, "little") + head + data


def _tensor(shape: list[Any], offsets: list[Any], dtype: str = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "must be a safetensors file"),
        (b"\xff" * 8 + b"{}", "whose header claims"),
        (_safetensors(b"{", b""), "header of the safetensors file is damaged"),
        (_safetensors(b"[" * 100_000, b""), "header of the safetensors file is damaged"),
        (_safetensors({"a": 3}, b""), "damaged"),
        (_safetensors({"a": _tensor([2], [0, 4])}, b"1234"), r"tensor 'a' of shape \(2,\).*needs 8 bytes. Received: 4"),
        (_safetensors({"a": _tensor([2**50], [0, 2**52])}, b"12345678"), "needs 4503599627370496 bytes. Received: 8"),
        (_safetensors({"a": _tensor([-1], [0, -4])}, b"1234"), "'a' is damaged"),
        (_safetensors({"a": _tensor(["2"], [0, 8])}, b"12345678"), "'a' is damaged"),
    ],
    ids=["empty", "header-size", "json", "deep", "entry", "size", "claim", "negative", "type"],
)  # fmt: skip
def test_hostile_safetensors(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(content)
    with pytest.raises(eg.store.StoreError, match=words):
        eg.store.load(path)
    with pytest.raises(
        library_of_the_format.SafetensorError
    ):  # the format's own library refuses each of them, too
        library_of_the_format.safe_open(path, "np")


def test_truncated_files_name_the_tensor_and_give_the_others(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    arrays_of_the_format.save_file({"first": np.arange(4.0), "last": np.arange(100.0)}, path)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(
        eg.store.StoreError, match=r"tensor 'last' is damaged: its storage needs 800 bytes. Received: 790"
    ):
        eg.store.load(path)
    assert eg.store.lazy(path)["first"].tolist() == [0.0, 1.0, 2.0, 3.0]
    path = tmp_path / "a.npz"
    eg.store.save({"first": np.arange(4.0), "last": np.arange(100.0)}, path)
    path.write_bytes(path.read_bytes()[:600])
    with pytest.raises(eg.store.StoreError, match="tensor 'last' is damaged"):
        eg.store.load(path)
    assert eg.store.lazy(path)["first"].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_dtypes_that_everygrad_lacks_are_named(tmp_path: Path) -> None:
    arrays_of_the_format.save_file({"ok": np.ones(2), "u": np.ones(2, np.uint32)}, tmp_path / "a.safetensors")
    np.savez(tmp_path / "a.npz", ok=np.ones(2), u=np.ones(2, complex))
    np.savez(tmp_path / "o.npz", ok=np.ones(2), u=np.array([{}], object))
    for name, dtype in (("a.safetensors", "U32"), ("a.npz", "complex128"), ("o.npz", "object")):
        with pytest.raises(eg.store.StoreError, match=f"tensor 'u' has the dtype {dtype}"):
            eg.store.load(tmp_path / name)
        assert eg.store.lazy(tmp_path / name)["ok"].tolist() == [1.0, 1.0]


def test_zip_bombs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, w=np.zeros(2**23))
    with pytest.raises(eg.store.StoreError, match=r"claims 67108992 bytes.*zip bomb"):
        eg.store.load(path)


def test_a_damaged_structure_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    for text in ('{"tensor": "gone"}', "[", '{"tuple": 3}', '{"a": 1, "b": 2}'):
        arrays_of_the_format.save_file({"w": np.ones(1)}, path, {"everygrad.tree": text})
        with pytest.raises(eg.store.StoreError, match="structure in the metadata is damaged"):
            eg.store.load(path)
    entries, metadata = read_safetensors(path)
    assert (list(entries), list(metadata)) == (["w"], ["everygrad.tree"])


def test_a_folder_that_is_not_there_and_a_model_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no such folder. Received: .*runs; write Path\(.*mkdir"):
        eg.store.save({"a": eg.ones(1)}, tmp_path / "runs" / "a.npz")
    with pytest.raises(TypeError, match=r"Received: str; write load_model\(model, path\)"):
        eg.store.load_model("a.npz", eg.nn.Linear(1, 1))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
