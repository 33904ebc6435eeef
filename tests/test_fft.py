"""Fourier transforms, windows and short-time spectra: against torch's own, round trips, and their gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch as typed_torch

import everygrad as eg
from tests.fault_tools import same, slopes, variable

torch: Any = typed_torch
W: Any = eg.signal.windows
TW: Any = torch.signal.windows
r = np.random.default_rng(3)


def n(*shape: int) -> Any:
    return r.normal(size=shape)


def pair_of(z: Any) -> tuple[Any, Any]:
    return z.real, z.imag


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("fft", {}),
    ("fft", {"n": 3, "dim": 0, "norm": "ortho"}),
    ("fft", {"n": 9}),
    ("ifft", {"norm": "forward"}),
    ("ifft", {"n": 4, "dim": 1}),
    ("fft2", {}),
    ("ifft2", {"s": (3, 5), "norm": "ortho"}),
    ("fftn", {}),
    ("fftn", {"s": (2, 3)}),
    ("ifftn", {"dim": (0, 2)}),
    ("rfft", {}),
    ("rfft", {"n": 7, "dim": 0, "norm": "forward"}),
    ("rfft2", {"norm": "ortho"}),
    ("rfftn", {"s": (4, 4), "dim": (0, 1)}),
    ("irfft", {}),
    ("irfft", {"n": 5}),
    ("irfft", {"n": 3, "dim": 0, "norm": "ortho"}),
    ("irfft2", {}),
    ("irfftn", {"s": (2, 3, 7), "norm": "forward"}),
]


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=[f"{o[0]}-{i}" for i, o in enumerate(OPTIONS)])
def test_transforms_are_torchs(name: str, options: dict[str, Any]) -> None:
    shape = (2, 3, 5)
    parts = [n(*shape)] if name.startswith("rfft") else [n(*shape), n(*shape)]
    xs, ts = [variable(v) for v in parts], [torch.tensor(v, requires_grad=True) for v in parts]
    out: Any = getattr(eg.fft, name)(xs[0] if len(xs) == 1 else tuple(xs), **options)
    due: Any = getattr(torch.fft, name)(ts[0] if len(ts) == 1 else torch.complex(*ts), **options)
    found: list[Any] = [*out] if name.startswith(("rfft", "fft", "ifft")) else [out]
    wanted: list[Any] = list(pair_of(due)) if due.is_complex() else [due]
    for x, y in zip(found, wanted, strict=True):
        same(x.tolist(), y.tolist())
    weights = [n(*y.shape) for y in wanted]
    total = sum((x * eg.tensor(w)).sum() for x, w in zip(found, weights))
    other = sum((y * torch.tensor(w)).sum() for y, w in zip(wanted, weights))
    assert isinstance(total, eg.Tensor) and isinstance(other, typed_torch.Tensor)
    for g, w in zip(eg.gradients(total, xs), torch.autograd.grad(other, ts)):
        assert g is not None
        same(g.tolist(), w.tolist())


@pytest.mark.usefixtures("library")
def test_round_trips_of_every_size() -> None:
    for size in range(1, 14):
        x, y = n(2, size), n(2, size)
        re, im = eg.fft.ifft(eg.fft.fft((eg.tensor(x), eg.tensor(y))))
        same(re.tolist(), x)
        same(im.tolist(), y)
        same(eg.fft.irfft(eg.fft.rfft(eg.tensor(x)), n=size).tolist(), x)


@pytest.mark.usefixtures("library")
def test_low_precision_and_integers() -> None:
    assert eg.fft.rfft(eg.ones(4, dtype=eg.bfloat16)).re.dtype is eg.bfloat16
    assert eg.fft.fft(eg.tensor([1, 2, 3])).im.dtype is eg.float32
    assert eg.fft.rfft(eg.ones(0, 4)).re.shape == (0, 3)


@pytest.mark.usefixtures("library")
def test_frequencies_and_shifts() -> None:
    for size in (1, 4, 5):
        same(eg.fft.fftfreq(size, 0.5).tolist(), torch.fft.fftfreq(size, 0.5).tolist())
        same(eg.fft.rfftfreq(size).tolist(), torch.fft.rfftfreq(size).tolist())
    x = n(4, 5)
    same(eg.fft.fftshift(eg.tensor(x)).tolist(), torch.fft.fftshift(torch.tensor(x)).tolist())
    same(eg.fft.ifftshift(eg.tensor(x), 1).tolist(), torch.fft.ifftshift(torch.tensor(x), 1).tolist())


@pytest.mark.usefixtures("library")
def test_wrong_transforms() -> None:
    with pytest.raises(eg.ShapeError, match="at least one element"):
        eg.fft.rfft(eg.ones(2, 0))
    with pytest.raises(eg.ShapeError, match="from 1 on"):
        eg.fft.fft(eg.ones(2), n=0)
    with pytest.raises(ValueError, match="norm"):
        eg.fft.fft(eg.ones(2), norm="none")
    with pytest.raises(TypeError, match="pair"):
        eg.fft.fft(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # the mistake
    with pytest.raises(eg.ShapeError, match="one shape"):
        eg.fft.fft((eg.ones(2), eg.ones(3)))


WINDOWS: list[tuple[str, dict[str, Any]]] = [
    ("hann", {}),
    ("hamming", {}),
    ("blackman", {}),
    ("bartlett", {}),
    ("nuttall", {}),
    ("cosine", {}),
    ("kaiser", {"beta": 5.0}),
    ("gaussian", {"std": 2.0}),
    ("exponential", {"tau": 2.0}),
    ("general_hamming", {"alpha": 0.7}),
    ("general_cosine", {"a": [0.4, 0.3, 0.3]}),
]


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(("name", "options"), WINDOWS, ids=[w[0] for w in WINDOWS])
def test_windows_are_torchs(name: str, options: dict[str, Any]) -> None:
    for size in (0, 1, 2, 5, 8):
        for sym in (True, False):
            found = getattr(W, name)(size, sym=sym, dtype=eg.float64, **options)
            due = getattr(TW, name)(size, sym=sym, dtype=torch.float64, **options)
            same(found.tolist(), due.tolist())
    with pytest.raises(eg.ShapeError, match="M must"):
        getattr(W, name)(-1, **options)
    with pytest.raises(eg.DTypeError, match="floating"):
        getattr(W, name)(4, dtype=eg.int64, **options)


@pytest.mark.usefixtures("library")
def test_older_names_are_torchs() -> None:
    for name in ("hann", "hamming", "blackman", "bartlett", "kaiser"):
        for periodic in (True, False):
            found = getattr(eg, f"{name}_window")(6, periodic, dtype=eg.float64)
            due = getattr(torch, f"{name}_window")(6, periodic, dtype=torch.float64)
            same(found.tolist(), due.tolist())


STFT: list[dict[str, Any]] = [
    {"n_fft": 8},
    {"n_fft": 8, "hop_length": 3, "win_length": 6},
    {"n_fft": 7, "hop_length": 2, "normalized": True},
    {"n_fft": 8, "onesided": False},
    {"n_fft": 8, "center": False},
    {"n_fft": 8, "pad_mode": "constant"},
    {"n_fft": 5, "pad_mode": "replicate"},
]


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("options", STFT, ids=range(len(STFT)))
@pytest.mark.parametrize("lead", [(), (2,)])
def test_stft_is_torchs_and_back(options: dict[str, Any], lead: tuple[int, ...]) -> None:
    array, window = n(*lead, 24), W.hamming(options.get("win_length", options["n_fft"]), sym=False)
    values = np.asarray(window.tolist())
    x, w = variable(array), variable(values)
    t, v = torch.tensor(array, requires_grad=True), torch.tensor(values, requires_grad=True)
    out = eg.stft(x, window=w, **options)
    due = torch.view_as_real(torch.stft(t, window=v, return_complex=True, **options))
    same(out.tolist(), due.tolist(), 1e-10)
    weights = n(*due.shape)
    wanted = torch.autograd.grad((due * torch.tensor(weights)).sum(), (t, v))
    for g, other in zip(slopes(out * eg.tensor(weights), x, w), wanted):
        same(g, other.tolist(), 1e-9)
    back = {k: v for k, v in options.items() if k != "pad_mode"}
    length = 24 if options.get("center", True) else None
    if length is not None:
        same(eg.istft(out, window=w, length=length, **back).tolist(), array, 1e-9)
    if options.get("onesided") is False:
        return  # torch reads one half of the spectrum; here the other counts as much
    changed = due.detach() + 0.1  # not the spectrum of any signal
    z = variable(changed.numpy())
    signal = eg.istft(z, window=w.detach(), **back)
    u = torch.view_as_complex(changed.clone()).requires_grad_()
    other_signal = torch.istft(u, window=v.detach(), **back)
    same(signal.tolist(), other_signal.tolist(), 1e-9)
    (slope,) = torch.autograd.grad((other_signal**2).sum(), u)
    same(slopes(signal**2, z), torch.view_as_real(slope).tolist(), 1e-8)


@pytest.mark.usefixtures("library")
def test_istft_pads_to_a_length() -> None:
    x, w = eg.tensor(n(16)), eg.hann_window(8, dtype=eg.float64)
    z = eg.stft(x, 8, 2, window=w)
    assert eg.istft(z, 8, 2, window=w, length=30).shape == (30,)
    same(eg.istft(z, 8, 2, window=w, length=10).tolist(), x[:10].tolist(), 1e-9)


@pytest.mark.usefixtures("library")
def test_wrong_spectra() -> None:
    x = eg.ones(16)
    with pytest.raises(eg.ShapeError, match="win_length"):
        eg.stft(x, 8, win_length=9)
    with pytest.raises(eg.ShapeError, match="window"):
        eg.stft(x, 8, window=eg.ones(7))
    with pytest.raises(eg.ShapeError, match="n_fft elements"):
        eg.stft(x, 32, center=False)
    with pytest.raises(eg.DTypeError, match="return_complex"):
        eg.stft(x, 8, return_complex=True)
    with pytest.raises(eg.ShapeError, match="5 frequencies"):
        eg.istft(eg.ones(4, 3, 2), 8)
    with pytest.raises(eg.ShapeError, match="uncovered"):
        eg.istft(
            eg.stft(x, 4, 4, window=eg.hann_window(4), center=False),
            4,
            4,
            window=eg.hann_window(4),
            center=False,
        )
    with pytest.raises(eg.ShapeError, match="hop_length"):
        eg.stft(x, 2)


def test_a_sine_has_one_line() -> None:
    t = np.arange(16) * (2 * math.pi / 16)
    re, im = eg.fft.rfft(eg.tensor(np.sin(3 * t)))
    due = np.zeros(9)
    due[3] = -8
    np.testing.assert_allclose(re.tolist(), np.zeros(9), atol=1e-12)
    np.testing.assert_allclose(im.tolist(), due, atol=1e-12)
