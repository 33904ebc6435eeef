"""Models saved and loaded: reports, names, ties, orientation; trained over torch, run where there is no torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn
from everygrad.store import add_prefix, close_gaps, load_model, remap_keys, save, save_model, strip_prefix

pytest.importorskip("safetensors", reason="the package that writes .safetensors is not installed")
pytestmark = pytest.mark.usefixtures("library")


class Net(nn.Module):
    """Two layers, a buffer and a tied head."""

    def __init__(self, hidden: int = 3, tied: bool = True) -> None:
        self.embed = nn.Embedding(5, hidden)
        self.norm = nn.BatchNorm1d(hidden)
        self.head = nn.Linear(hidden, 5, bias=False)
        if tied:
            self.head.weight = self.embed.weight

    def forward(self, x: eg.Tensor) -> eg.Tensor:
        out: eg.Tensor = self.head(self.norm(self.embed(x)))
        return out


def same(a: nn.Module, b: nn.Module) -> bool:
    theirs = b.state_dict()
    return all(np.array_equal(x.numpy(), theirs[name].numpy()) for name, x in a.state_dict().items())


@pytest.mark.parametrize("ending", ["safetensors", "npz"])
def test_round_trip_with_ties(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"net.{ending}"
    a, b = Net(), Net()
    save_model(a, path)
    report = load_model(b, path)
    assert same(a, b)
    assert b.head.weight is b.embed.weight
    assert report.complete
    assert sorted(report.loaded) == sorted(a.state_dict())
    assert eg.store.lazy(path).metadata == {"format": "pt"}
    save(a, path)  # a module is saved as its state
    load_model(Net(), path)
    untied = Net(tied=False)
    load_model(untied, path)
    assert untied.head.weight.tolist() == untied.embed.weight.tolist()


def test_a_tied_name_that_the_file_left_out_is_not_missing(tmp_path: Path) -> None:
    a, b = Net(), Net()
    state = a.state_dict()
    del state["head.weight"]
    save(state, tmp_path / "a.npz")
    assert load_model(b, tmp_path / "a.npz").missing == []
    assert same(a, b)
    state = {**a.state_dict(), "head.weight": eg.zeros(5, 3)}
    with pytest.raises(
        nn.StateDictError, match=r"ties it to 'embed.weight', and the file holds two different values"
    ):
        load_model(b, state)


def _without_old(name: str) -> str | None:
    return None if name == "old" else name


def _norm_alone(name: str) -> bool:
    return name == "norm.weight"


def test_a_report_names_everything(tmp_path: Path) -> None:
    a, b = Net(), Net(tied=False).double()
    state: dict[str, Any] = {f"module.{name}": x for name, x in a.state_dict().items()}
    state["module.head.weight"] = eg.ones(4, 3)
    state["module.extra"] = eg.ones(1)
    state["module.old"] = eg.ones(1)
    del state["module.norm.bias"]
    save(state, tmp_path / "a.safetensors")
    before = b.state_dict()
    rules: list[Any] = [strip_prefix("module."), _without_old]
    with pytest.raises(nn.StateDictError, match="nothing was changed") as caught:
        load_model(b, tmp_path / "a.safetensors", remap=rules)
    text = str(caught.value)
    for words in (
        "a.safetensors -> Net: 5 loaded", "missing (1): norm.bias", "unexpected (1): extra", "dropped (1): module.old",
        "head.weight: the model has shape (5, 3), the file (4, 3)", "module.embed.weight -> embed.weight",
        "cast from float32 to float64 (4)", "write partial=True",
    ):  # fmt: skip
        assert words in text, (words, text)
    assert all(np.array_equal(x.numpy(), before[name].numpy()) for name, x in b.state_dict().items())
    report = load_model(b, tmp_path / "a.safetensors", remap=rules, partial=True)
    assert not report.complete
    assert b.embed.weight.dtype is eg.float64
    np.testing.assert_array_equal(b.embed.weight.detach().numpy(), a.embed.weight.detach().numpy())
    assert b.head.weight.tolist() == before["head.weight"].tolist()


def test_strict_allows_nothing_and_its_absence_no_wrong_shapes() -> None:
    layer = nn.Linear(2, 3)
    state = {"weight": eg.ones(3, 2), "more": eg.ones(1)}
    with pytest.raises(nn.StateDictError, match=r"missing \(1\): bias"):
        load_model(layer, state)
    report = load_model(layer, state, strict=False)
    assert (report.missing, report.unexpected, report.loaded) == (["bias"], ["more"], ["weight"])
    with pytest.raises(nn.StateDictError, match="the model has shape"):
        load_model(layer, {"weight": eg.ones(3, 3), "bias": eg.ones(3)}, strict=False)
    with pytest.raises(nn.StateDictError, match="would lose"):
        load_model(nn.BatchNorm1d(2), {"num_batches_tracked": eg.ones(())}, strict=False)


def test_names_that_only_lack_a_prefix_are_guessed() -> None:
    layer = nn.Linear(2, 3)
    state = layer.state_dict(prefix="model.fc.")
    with pytest.raises(nn.StateDictError, match=r"write remap=eg.store.strip_prefix\('model.fc.'\)"):
        load_model(layer, state)
    with pytest.raises(nn.StateDictError, match=r"write remap=eg.store.add_prefix\('0.'\)"):
        load_model(nn.Sequential(layer), layer.state_dict())
    with pytest.raises(nn.StateDictError):
        load_model(layer, state, partial=True)  # nothing fits: that is never what was meant


def test_only_some_names() -> None:
    a, b = Net(), Net()
    assert a.norm.weight is not None and b.norm.weight is not None
    before = b.norm.weight.tolist()
    a.norm.weight.assign(eg.ones(3) * 5)
    report = load_model(b, a.state_dict(), only=[r"^embed\.", "head"])
    assert sorted(report.loaded) == ["embed.weight", "head.weight"]
    assert "norm.weight" in report.skipped
    assert b.norm.weight.tolist() == before
    assert load_model(b, a.state_dict(), only=_norm_alone).loaded == ["norm.weight"]


def test_a_part_of_a_checkpoint(tmp_path: Path) -> None:
    layer = nn.Linear(2, 3)
    save({"epoch": 3, "nets": [{"state": layer.state_dict()}]}, tmp_path / "a.npz")
    other = nn.Linear(2, 3)
    load_model(other, tmp_path / "a.npz", key="nets.0.state")
    assert same(layer, other)
    with pytest.raises(eg.store.StoreError, match=r"no part 'net'. Received: epoch, nets at 'net'"):
        load_model(other, tmp_path / "a.npz", key="net")


def test_b133_orientation_is_never_guessed() -> None:
    torch = pytest.importorskip("torch")
    weight = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)  # square, and not symmetric
    theirs = torch.nn.Linear(2, 2)
    theirs.load_state_dict({"weight": torch.tensor(weight), "bias": torch.zeros(2)})
    ours = nn.Linear(2, 2)
    load_model(ours, theirs.state_dict())
    x = np.array([[1.0, 10.0]], np.float32)
    assert ours(eg.tensor(x)).tolist() == theirs(torch.tensor(x)).tolist() == [[21.0, 43.0]]
    stored = {"weight": weight.T.copy(), "bias": np.zeros(2, np.float32)}  # (in, out)
    load_model(ours, stored, transpose="^weight$")
    assert ours(eg.tensor(x)).tolist() == [[21.0, 43.0]]
    load_model(ours, stored)
    assert ours(eg.tensor(x)).tolist() == [[31.0, 42.0]]
    wide = {"weight": np.ones((2, 3), np.float32), "bias": np.ones(3, np.float32)}
    with pytest.raises(
        nn.StateDictError, match=r"if it is stored as \(in, out\), write transpose='\^weight\$'"
    ):
        load_model(nn.Linear(2, 3), wide)
    load_model(nn.Linear(2, 3), wide, transpose="weight")


def test_values_are_loaded_into_the_models_own_dtype(tmp_path: Path) -> None:
    layer = nn.Linear(2, 3)
    save_model(layer, tmp_path / "a.safetensors")
    half = nn.Linear(2, 3).bfloat16()
    report = load_model(half, tmp_path / "a.safetensors")
    assert half.weight.dtype is eg.bfloat16
    assert report.cast == dict.fromkeys(("weight", "bias"), ("float32", "bfloat16"))
    save_model(half, tmp_path / "b.npz")
    back = nn.Linear(2, 3)
    load_model(back, tmp_path / "b.npz")
    np.testing.assert_array_equal(back.weight.detach().numpy(), half.weight.detach().float().numpy())


def test_names_are_changed_by_patterns() -> None:
    state = {"enc.layer.0.gamma": 1, "enc.layer.1.gamma": 2, "junk": 3}
    renamed = remap_keys(state, {r"^enc\.layer\.(\d+)": r"layers.\1", "gamma$": "weight"})
    assert renamed == {"layers.0.weight": 1, "layers.1.weight": 2, "junk": 3}
    assert remap_keys(state, lambda name: None if name == "junk" else name.upper()) == {
        "ENC.LAYER.0.GAMMA": 1,
        "ENC.LAYER.1.GAMMA": 2,
    }
    assert remap_keys({"a": 1}, [add_prefix("x."), ("x", "y")]) == {"y.a": 1}
    assert remap_keys({"0.w": 1, "2.w": 2, "2.5.w": 3}, close_gaps(["0.w", "2.w", "2.5.w"])) == {
        "0.w": 1,
        "1.w": 2,
        "1.0.w": 3,
    }
    assert remap_keys(state, None) == state
    with pytest.raises(
        eg.store.StoreError, match=r"'enc.layer.0.gamma' and 'enc.layer.1.gamma', both now 'enc.layer.gamma'"
    ):
        remap_keys(state, {r"\.\d": ""})
    with pytest.raises(ValueError, match=r"remap: '\(' is no regular expression"):
        remap_keys(state, {"(": ""})


def test_a_damaged_file_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    layer = nn.Linear(20, 30)
    save_model(layer, path)
    path.write_bytes(path.read_bytes()[:-30])
    other = nn.Linear(20, 30)
    before = other.state_dict()
    with pytest.raises(eg.store.StoreError, match="is damaged"):
        load_model(other, path)
    assert all(np.array_equal(x.numpy(), before[name].numpy()) for name, x in other.state_dict().items())


def test_a_frozen_and_a_trained_parameter_stay_so(tmp_path: Path) -> None:
    a, b = nn.Linear(2, 3), nn.Linear(2, 3)
    b.weight.requires_grad_(False)
    save_model(a, tmp_path / "a.npz")
    load_model(b, tmp_path / "a.npz")
    assert not b.weight.requires_grad
    assert b(eg.ones(1, 2)).sum().backward()[b.bias].tolist() == [1.0, 1.0, 1.0]


PROGRAM = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
sys.meta_path.insert(0, Blocked())
import numpy as np
import everygrad as eg
from everygrad import nn
{model}
expected = np.load(sys.argv[2])
for path in sys.argv[3:]:
    model = make()
    print(eg.store.load_model(model, path, key="model" if path.endswith(".pt") else None))
    out = model.eval()(eg.tensor(np.load(sys.argv[1])))
    assert out.backend.name == "autodiff(numpy)", out.backend.name
    np.testing.assert_allclose(out.detach().numpy(), expected, rtol=1e-5, atol=1e-6)
try:
    import torch
except ModuleNotFoundError:
    print("no torch, same answers")
"""

MODEL = """
def make():
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(64, 3)
    )
"""


def test_a_model_trained_over_torch_runs_where_there_is_no_torch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    scope: dict[str, Any] = {"nn": nn}
    exec(MODEL, scope)  # noqa: S102  # the text that the other process runs, too
    random = np.random.default_rng(0)
    x = random.normal(size=(6, 1, 8, 8)).astype(np.float32)
    labels = random.integers(0, 3, 6)
    with eg.use("torch"):
        model = scope["make"]()
        optimizer = eg.optim.Adam(model.parameters(), lr=0.01)
        losses: list[float] = []
        for _ in range(15):
            loss = eg.functional.cross_entropy(model(eg.tensor(x)), eg.tensor(labels))
            optimizer.step(loss.backward())
            losses.append(loss.item())
        assert losses[-1] < 0.7 * losses[0]
        expected = model.eval()(eg.tensor(x)).detach().numpy()
        save_model(model, tmp_path / "model.safetensors")
        save_model(model, tmp_path / "model.npz")
        state = {name: value.torch() for name, value in model.state_dict().items()}
    torch.save({"model": state}, tmp_path / "model.pt")
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "expected.npy", expected)
    files = [
        str(tmp_path / name)
        for name in ("x.npy", "expected.npy", "model.safetensors", "model.npz", "model.pt")
    ]
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(model=MODEL), *files],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "no torch, same answers" in run.stdout
    assert "model.pt -> Sequential: 9 loaded" in run.stdout


def test_what_others_may_change_is_copied() -> None:
    torch = pytest.importorskip("torch")
    layer = nn.Linear(2, 1, bias=False)
    array = np.ones((1, 2), np.float32)
    theirs = torch.ones(1, 2)
    for value in (array, theirs):
        load_model(layer, {"weight": value})
        value[:] = 5
        assert layer.weight.tolist() == [[1.0, 1.0]]


def test_nothing_of_it_is_imported_before_it_is_used() -> None:
    program = (
        "import sys, everygrad as eg; later = ('everygrad.store', 'safetensors', 'torch');"
        "assert not set(later) & set(sys.modules); eg.store; assert not set(later[1:]) & set(sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stderr
