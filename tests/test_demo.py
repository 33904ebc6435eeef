"""The main job: the same training on both backends, the command, and what it says when it cannot run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typing_extensions import override

import everygrad as eg
from everygrad import demo
from everygrad.__main__ import main as everygrad_main

for _package in ("sklearn", "rich", "matplotlib"):
    pytest.importorskip(_package, reason="the demo extra is not installed")


@pytest.fixture(scope="module")
def example() -> ModuleType:
    return demo.load()


class Watch(eg.train.Callback):
    """The loss of each step."""

    def __init__(self) -> None:
        self.losses: list[float] = []

    @override
    def on_step(self, learner: eg.train.Learner, output: eg.train.StepOutput) -> None:
        self.losses.append(output.loss)


def first_steps(example: Any, backend: str, seed: int = 0, steps: int = 20) -> list[float]:
    watch = Watch()
    with eg.use(backend), eg.seeded(seed):
        example.train(example.LeNet(), example.load(), 1, seed, callbacks=[watch], progress=False)
    return watch.losses[:steps]


def test_one_seed_gives_one_curve_on_both_backends(example: ModuleType) -> None:
    pytest.importorskip("torch", reason="compares with the torch backend")
    numpy, torch = first_steps(example, "numpy"), first_steps(example, "torch")
    assert len(numpy) == 20
    assert numpy == pytest.approx(torch, rel=1e-3)
    assert numpy[-1] < numpy[0] / 2, "it does not learn"


def test_another_seed_gives_another_curve(example: ModuleType) -> None:
    assert first_steps(example, "numpy", seed=1, steps=2) != pytest.approx(
        first_steps(example, "numpy", steps=2), rel=1e-3
    )


def test_training_and_test_images_are_apart(example: Any) -> None:
    data = example.load()
    assert len(data.train_images) == 1437
    assert len(data.test_images) == 360
    seen = {image.tobytes() for image in data.train_images}
    assert not any(image.tobytes() in seen for image in data.test_images)


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_the_command(backend: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip(backend, reason="the array library is not installed")
    assert demo.command(["--backend", backend, "--out", str(tmp_path / "pictures")]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-1].startswith("test accuracy: 0.9")
    assert float(said[-1].split(": ")[1]) >= 0.97
    for name in ("curves.png", "misread.png"):
        assert (tmp_path / "pictures" / name).read_bytes().startswith(b"\x89PNG")


def test_a_curve_without_misread_digits_can_be_drawn(example: Any, tmp_path: Path) -> None:
    data = example.load()
    example.draw_misread(data, data.test_labels, tmp_path / "none.png")
    assert (tmp_path / "none.png").exists()


def test_the_picture_is_as_wide_as_its_digits(example: Any, tmp_path: Path) -> None:
    data = example.load()
    sizes: list[tuple[int, int]] = []
    for wrong in (1, 6, 30):
        read = data.test_labels.copy()
        read[:wrong] = (read[:wrong] + 1) % 10
        example.draw_misread(data, read, tmp_path / "some.png")
        header = (tmp_path / "some.png").read_bytes()[16:24]
        sizes.append((int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")))
    assert sizes[0][0] < sizes[1][0] == sizes[2][0]
    assert sizes[0][1] == sizes[1][1] < sizes[2][1]


def test_a_folder_that_cannot_be_made_is_said_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").touch()
    assert demo.command(["--out", str(tmp_path / "taken")]) == 2
    said = capsys.readouterr()
    assert "--out" in said.err
    assert not said.out


def test_an_interruption_is_no_traceback(
    example: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(example, "train", interrupted)
    assert example.main(["--out", str(tmp_path)]) == 130
    assert capsys.readouterr().err == "interrupted\n"
    monkeypatch.setattr(demo, "command", interrupted)
    assert everygrad_main(["demo"]) == 130


def test_an_unknown_backend(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.command(["--backend", "nonesuch"]) == 2
    said = capsys.readouterr()
    assert "unknown backend 'nonesuch': known are numpy, torch" in said.err
    assert not said.out


@pytest.mark.skipif(os.name != "posix", reason="needs SIGINT")
def test_ctrl_c_ends_the_command_after_the_step(
    example: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Press(Watch):
        def on_step(self, learner: eg.train.Learner, output: eg.train.StepOutput) -> None:
            super().on_step(learner, output)
            os.kill(os.getpid(), signal.SIGINT)

    train, press = example.train, Press()

    def pressed(*args: Any) -> Any:
        return train(*args, callbacks=[press])

    monkeypatch.setattr(example, "train", pressed)
    assert example.main(["--out", str(tmp_path)]) == 130
    assert len(press.losses) == 1 and capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize("wrong", ["0", "-1", "many"])
def test_wrong_epochs(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        demo.command([f"--epochs={wrong}"])
    assert "above 0" in capsys.readouterr().err


@pytest.mark.parametrize(("module", "package"), demo.PACKAGES.items())
def test_a_missing_package(
    module: str, package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [n for n in sys.modules if n.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    assert demo.command([]) == 2
    said = capsys.readouterr().err
    assert repr(package) in said
    assert "pip install 'everygrad[demo]'" in said


def test_the_example_is_a_program_of_its_own(tmp_path: Path) -> None:
    command = [sys.executable, str(demo.find()), "--epochs", "1", "--out", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("test accuracy: ")
