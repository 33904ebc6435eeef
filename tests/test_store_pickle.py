"""Tensors and arrays that pickle.dump wrote: read as data, like torch's own files."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (torch's serialization is untyped)

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn
from everygrad.store import StoreError, lazy, load, load_model

torch = pytest.importorskip("torch", reason="torch writes the files")
pytestmark = pytest.mark.usefixtures("library")


def written(path: Path, protocol: int) -> dict[str, Any]:
    whole = torch.arange(12.0).reshape(3, 4)
    state = {
        "strided": whole.t(),
        "part": whole[1:, 2],
        "half": torch.tensor([1.5, -2.0]).bfloat16(),
        "flags": torch.tensor([True, False]),
        "none": torch.zeros(0, 3),
        "parameter": torch.nn.Parameter(torch.ones(2)),
    }
    path.write_bytes(
        pickle.dumps({"model": state, "epoch": 3, "array": np.arange(6).reshape(2, 3).T}, protocol)
    )
    return state


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_tensors_of_every_kind(tmp_path: Path, protocol: int) -> None:
    path = tmp_path / "a.pkl"
    state = written(path, protocol)
    found = load(path)
    assert found["epoch"] == 3 and found["array"].tolist() == [[0, 3], [1, 4], [2, 5]]
    for name, value in state.items():
        assert found["model"][name].tolist() == value.tolist(), name
        assert str(value.dtype) == f"torch.{found['model'][name].dtype.value}"
    assert list(lazy(path)) == [*(f"model.{name}" for name in state), "array"]


def test_a_model_is_loaded_from_it(tmp_path: Path) -> None:
    theirs, ours = torch.nn.Linear(2, 3), nn.Linear(2, 3)
    (tmp_path / "a.pickle").write_bytes(pickle.dumps(theirs.state_dict()))
    assert load_model(ours, tmp_path / "a.pickle").complete
    assert ours.weight.tolist() == theirs.weight.tolist()


def test_a_pickle_without_tensors(tmp_path: Path) -> None:
    (tmp_path / "a.pt").write_bytes(pickle.dumps({"a": 1}))
    assert load(tmp_path / "a.pt") == {"a": 1}


class Calls:
    """Asks to be made by a call of `name`."""

    def __init__(self, *args: Any) -> None:
        self.args = args

    def __reduce__(self) -> Any:
        return torch.storage._load_from_bytes, self.args


def test_what_is_inside_may_ask_for_no_more(tmp_path: Path) -> None:
    path = tmp_path / "a.pkl"
    inner = pickle.dumps(eg.nn.Linear(1, 1).weight)
    for content, words in (
        (inner, "asks to call everygrad"),
        (pickle.dumps(Calls(b"x")), "asks to call torch.storage"),
        (pickle.dumps(3), "no file of torch"),
        (b"", "damaged"),
    ):
        path.write_bytes(pickle.dumps({"a": Calls(content)}))
        with pytest.raises(StoreError, match=words):
            load(path)
    path.write_bytes(pickle.dumps(Calls(1, 2)))
    with pytest.raises(StoreError, match=r"arguments of torch\.storage\._load_from_bytes are damaged"):
        load(path)


def test_changed_bytes_give_values_or_our_error(tmp_path: Path) -> None:
    path, draws, refused = tmp_path / "a.pkl", random.Random(0), 0
    written(path, 4)
    whole = path.read_bytes()
    for _ in range(200):
        damaged = bytearray(whole)
        for _ in range(4):
            damaged[draws.randrange(len(damaged))] = draws.randrange(256)
        path.write_bytes(damaged[: draws.choice([len(damaged), draws.randrange(1, len(damaged))])])
        try:
            load(path)
        except StoreError:
            refused += 1
    assert refused > 50
