"""Files of torch read without torch: layouts, dtypes, structures, both containers."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# (torch's serialization is untyped)

from __future__ import annotations

import collections
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad.store import lazy, load_torch
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


def test_b130_strides_offsets_and_expansion(write: Write) -> None:
    x = torch.arange(6.0).reshape(2, 3)
    state = {
        "t": x.T,
        "cut": x.T[1:, 1:],
        "wide": torch.tensor([5.0]).expand(3),
        "step": x.flatten()[1::2],
        "x": x,
    }
    back = load_torch(write(state))
    assert back["t"].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert back["cut"].tolist() == [[4], [5]]
    assert back["wide"].tolist() == [5, 5, 5]
    assert back["step"].tolist() == [1, 3, 5]
    assert back["x"].tolist() == x.tolist()
    cube = torch.arange(24.0).reshape(2, 3, 4)
    views = {
        "p": cube.permute(2, 0, 1),
        "d": cube.diagonal(0, 1, 2),
        "u": cube.unfold(2, 2, 1),
        "s": cube[1, 2, 3],
    }
    back = load_torch(write(views))
    for name, view in views.items():
        np.testing.assert_array_equal(back[name].numpy(), view.numpy())


@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"]
)
def test_every_dtype(write: Write, dtype: str) -> None:
    x = torch.tensor([[0, 1, 2], [3, 4, 100]]).to(getattr(torch, dtype))
    back = load_torch(write({"x": x, "t": x.T, "empty": x[:0], "scalar": x[1, 2]}))
    assert back["x"].dtype.value == dtype
    assert back["x"].tolist() == x.tolist()
    assert back["t"].tolist() == x.T.tolist()
    assert back["empty"].shape == (0, 3)
    assert (back["scalar"].shape, back["scalar"].item()) == ((), x[1, 2].item())


def test_structures_parameters_and_plain_values(write: Write) -> None:
    layer = torch.nn.Linear(2, 3)
    value = {
        "model": layer.state_dict(), "parameter": layer.weight, "size": layer.weight.shape, "dtype": torch.float16,
        "device": torch.device("cpu"), "epoch": 3, "lr": 1e-3, "names": ["a", "å"], "betas": (0.9, 0.999),
        "milestones": collections.Counter({30: 1}), "default": collections.defaultdict(list, {"a": [1]}),
        "set": {1, 2}, "complex": 1 + 2j, "none": None, "on": True, "best": np.float64(0.5), "bytes": b"\x00\xff",
        "array": np.arange(6.0).reshape(2, 3), "fortran": np.asfortranarray(np.arange(6).reshape(2, 3)),
    }  # fmt: skip
    back = load_torch(write(value))
    assert list(back) == list(value)
    assert list(back["model"]) == ["weight", "bias"]
    assert back["parameter"].tolist() == layer.weight.tolist()
    assert not back["parameter"].requires_grad
    assert (back["size"], back["dtype"], back["device"]) == ((3, 2), eg.float16, "cpu")
    for key in (
        "epoch",
        "lr",
        "names",
        "betas",
        "milestones",
        "default",
        "set",
        "complex",
        "none",
        "on",
        "best",
        "bytes",
    ):
        assert back[key] == value[key], key
    np.testing.assert_array_equal(back["array"].numpy(), value["array"])
    np.testing.assert_array_equal(back["fortran"].numpy(), value["fortran"])


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_every_protocol_of_pickle(tmp_path: Path, protocol: int) -> None:
    value = {
        "x": torch.arange(3.0),
        "long": 2**80,
        "text": "a" * 300,
        "list": list(range(300)),
        "neg": -5,
        "pi": 3.25,
    }
    for form in (True, False):
        torch.save(value, tmp_path / "a.pt", pickle_protocol=protocol, _use_new_zipfile_serialization=form)
        back = load_torch(tmp_path / "a.pt")
        assert back.pop("x").tolist() == [0, 1, 2]
        assert back == {key: item for key, item in value.items() if key != "x"}


def test_an_optimizer_of_torch_continues_here(write: Write) -> None:
    start = [1.0, -2.0, 3.0]
    theirs = torch.nn.Parameter(torch.tensor(start))
    optimizer = torch.optim.Adam([theirs], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (theirs**3).sum().backward()
        optimizer.step()
    back = load_torch(write({"p": theirs, "optimizer": optimizer.state_dict()}))
    assert (
        back["optimizer"]["state"][0]["exp_avg"].tolist()
        == optimizer.state_dict()["state"][0]["exp_avg"].tolist()
    )
    ours = eg.nn.Parameter(back["p"])
    resumed = eg.optim.Adam([ours])
    resumed.load_state_dict(back["optimizer"])
    resumed.step((ours**3).sum().backward())
    optimizer.zero_grad()
    (theirs**3).sum().backward()
    optimizer.step()
    np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-6)


def test_shared_storages_stay_tied(write: Write) -> None:
    x = torch.arange(6.0)
    layer = torch.nn.Linear(3, 3)
    layer.tied = layer.weight
    back = load_torch(write({"a": x, "b": x, "half": x[:3], "state": layer.state_dict()}))
    assert back["a"] is back["b"]
    assert back["a"] is not back["half"]
    assert back["state"]["weight"] is back["state"]["tied"]


def test_nested_names_are_dotted_and_unique(write: Write) -> None:
    file = lazy(write({"a.b": torch.ones(1), "a": {"b": torch.zeros(1)}, 0: [torch.ones(2)]}))
    assert list(file) == ["a.b", "a.b~2", "0.0"]
    assert [x.tolist() for x in file.values()] == [[1.0], [0.0], [1.0, 1.0]]


def test_a_lone_tensor_and_another_ending(tmp_path: Path) -> None:
    torch.save(torch.arange(3), tmp_path / "weights.model")
    assert load_torch(tmp_path / "weights.model", "numpy").tolist() == [0, 1, 2]
    torch.save(torch.ones(3, dtype=torch.float64), tmp_path / "a.pth")
    assert eg.store.load(tmp_path / "a.pth", dtype=eg.float32).dtype is eg.float32


def test_big_endian_storages(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    torch.save({"x": torch.tensor([1.5, -2.0]), "n": torch.tensor([1, 258], dtype=torch.int16)}, path)
    entries = unzipped(path)
    folder = next(name for name in entries if name.endswith("byteorder")).removesuffix("byteorder")
    entries[folder + "byteorder"] = b"big"
    entries[folder + "data/0"] = np.array([1.5, -2.0], ">f4").tobytes()
    entries[folder + "data/1"] = np.array([1, 258], ">i2").tobytes()
    zipped(path, entries)
    back = load_torch(path)
    assert (back["x"].tolist(), back["n"].tolist()) == ([1.5, -2.0], [1, 258])


def test_packed_entries_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    torch.save({"x": torch.arange(100.0)}, path)
    zipped(path, unzipped(path), zipfile.ZIP_DEFLATED)
    assert load_torch(path)["x"].tolist() == list(range(100))


def test_torchscript_modules_are_dictionaries(tmp_path: Path) -> None:
    class Net(torch.nn.Module):  # type: ignore[misc, name-defined]  # the module came as a value
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
            self.names = ["a", "b"]

        def forward(self, x: Any) -> Any:
            return self.layers(x)

    net = Net().eval()
    torch.jit.trace(net, torch.ones(1, 2)).save(tmp_path / "net.pt")
    file = lazy(tmp_path / "net.pt")
    assert set(file) == set(net.state_dict())
    for name, x in net.state_dict().items():
        np.testing.assert_array_equal(file[name].numpy(), x.numpy())
    assert load_torch(tmp_path / "net.pt")["training"] is False
