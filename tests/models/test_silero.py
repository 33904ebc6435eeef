"""Silero VAD: whether somebody speaks. Convolutions and an LSTM, each file against its own reference."""

# onnxruntime brings no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn
from tests.models.onnx_file import weights
from tests.models.places import Array, package_file, speech

FRAME, BEFORE = 512, 64  # samples judged at a time, and the samples before them that help


class Vad(nn.Module):
    """A spectrum, four convolutions, an LSTM over the frames."""

    def __init__(self) -> None:
        self.stft_conv = nn.Conv1d(1, 258, 256, 128, bias=False)
        self.conv1 = nn.Conv1d(129, 128, 3, padding=1)
        self.conv2 = nn.Conv1d(128, 64, 3, 2, 1)
        self.conv3 = nn.Conv1d(64, 64, 3, 2, 1)
        self.conv4 = nn.Conv1d(64, 128, 3, padding=1)
        self.lstm = nn.LSTM(128, 128)
        self.final_conv = nn.Conv1d(128, 1, 1)

    def forward(self, frames: eg.Tensor) -> eg.Tensor:
        """Chances of speech (T,) in frames (T, 576) that follow each other."""
        x = self.stft_conv(eg.functional.pad(frames.unsqueeze(1), (0, 64), "reflect"))
        x = (x[:, :129] ** 2 + x[:, 129:] ** 2).sqrt()
        for conv in (self.conv1, self.conv2, self.conv3, self.conv4):
            x = conv(x).relu()
        x = self.lstm(x.squeeze(-1))[0]
        return self.final_conv.forward(x.relu().unsqueeze(-1)).sigmoid().flatten()


def frames() -> Array:
    """Speech, then noise, in frames (T, 576)."""
    samples = np.concatenate([speech("Front_Center"), 0.2 * speech("Noise"), speech("Side_Left")])
    samples = samples[: len(samples) // FRAME * FRAME]
    padded = np.concatenate([np.zeros(BEFORE, np.float32), samples])
    return np.stack([padded[at : at + BEFORE + FRAME] for at in range(0, len(samples), FRAME)])


ONNX_NAMES = (
    ("model.stft.forward_basis_buffer", "stft_conv.weight"),
    *((f"model.encoder.{i}.reparam_conv", f"conv{i + 1}") for i in range(4)),
    ("model.decoder.rnn", "lstm"),
    ("model.decoder.decoder.2", "final_conv"),
    (r"(lstm\..*)", r"\1_l0"),
)


def test_the_onnx_file_under_onnxruntime(library: str) -> None:
    runtime: Any = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: make models")
    path = package_file("silero_vad", "data/silero_vad_16k_op15.onnx")
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    state, expected, heard = np.zeros((2, 1, 128), np.float32), list[float](), frames()
    for frame in heard:
        given = {"input": frame[None], "state": state, "sr": np.array(16000)}
        chance, state = session.run(None, given)
        expected.append(float(chance[0, 0]))
    model = Vad()
    eg.store.load_model(model, weights(path), remap=list(ONNX_NAMES))
    with eg.no_grad():
        ours = model(eg.tensor(heard)).numpy()
    assert max(expected) > 0.9 and min(expected) < 0.1, "there is speech, and silence"
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=2e-6)


def test_the_sequence_form_of_the_file(library: str) -> None:
    runtime: Any = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: make models")
    path = package_file("silero_vad", "data/silero_vad_16k_sequence.onnx")
    heard, zeros = frames(), np.zeros((1, 1, 128), np.float32)
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    expected = session.run(["speech_probs"], {"input": heard, "h": zeros, "c": zeros})[0]
    given = weights(path)
    inputs, states, biases = (given.pop(f"onnx::LSTM_{number}")[0] for number in (209, 210, 211))
    gates = np.concatenate([np.arange(128) + 128 * gate for gate in (0, 2, 3, 1)])  # ONNX's are i, o, f, g
    given["lstm.weight_ih_l0"], given["lstm.weight_hh_l0"] = inputs[gates], states[gates]
    given["lstm.bias_ih_l0"], given["lstm.bias_hh_l0"] = biases[:512][gates], biases[512:][gates]
    names = [(r"stft\.forward_basis_buffer", "stft_conv.weight"), ("^output", "final_conv")]
    model = Vad()
    eg.store.load_model(model, given, remap=[*names, *((f"encoder.{i}", f"conv{i + 1}") for i in range(4))])
    with eg.no_grad():
        np.testing.assert_allclose(model(eg.tensor(heard)).numpy(), expected, rtol=1e-4, atol=2e-6)


def test_the_safetensors_file_in_torch(library: str) -> None:
    """Its weights are not the ONNX file's; the reference is the package's tinygrad net, in torch's words."""
    torch: Any = pytest.importorskip("torch", reason="the reference is written in torch")
    path = package_file("silero_vad", "data/silero_vad_16k.safetensors")
    heard, functional = frames(), torch.nn.functional
    given = {name: torch.from_numpy(x.numpy().copy()) for name, x in eg.store.load(path, "numpy").items()}
    cell = torch.nn.LSTMCell(128, 128)
    cell.load_state_dict({name[10:]: x for name, x in given.items() if name.startswith("lstm_cell.")})
    expected, state = list[float](), None
    with torch.no_grad():
        for frame in torch.from_numpy(heard):
            x = functional.pad(frame[None, None], (0, 64), "reflect")
            x = functional.conv1d(x, given["stft_conv.weight"], stride=128)
            x = torch.hypot(x[:, :129], x[:, 129:])
            for i, stride in enumerate((1, 2, 2, 1), 1):
                x = functional.conv1d(x, given[f"conv{i}.weight"], given[f"conv{i}.bias"], stride, 1).relu()
            state = cell(x[..., 0], state)
            weight, bias = given["final_conv.weight"][:, :, 0], given["final_conv.bias"]
            expected.append(float(functional.linear(state[0].relu(), weight, bias).sigmoid()))
    model = Vad()
    eg.store.load_model(model, path, remap=[(r"lstm_cell\.(.*)", r"lstm.\1_l0")])
    with eg.no_grad():
        np.testing.assert_allclose(model(eg.tensor(heard)).numpy(), expected, rtol=1e-4, atol=2e-6)
    assert max(expected) > 0.9 and min(expected) < 0.1, "there is speech, and silence"
