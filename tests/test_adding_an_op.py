"""docs/adding-an-op.md, carried out on a copy of the sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.markdown import blocks

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/adding-an-op.md"
ROOMS = ("ops/", "backends/everygrad_numpy/", "backends/everygrad_torch/", "rules/", "functional/", "cases/")


def titled() -> dict[str, str]:
    """What belongs at the end of a file, by the file's name; a method goes into the class that ends it."""
    found: dict[str, str] = {}
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        language, _, title = block.language.partition(" title=")
        if language == "python" and title:
            method = "(self" in block.text
            text = "\n" + textwrap.indent(block.text, "    ") if method else "\n\n" + block.text
            found[title.strip('"')] = text
    return found


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which a copy of the packages, with the new op in it, is imported."""
    copy = tmp_path_factory.mktemp("sources")
    roots = ("ops", "backends", "autodiff")
    for root in roots:
        shutil.copytree(ROOT / root, copy / root, ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in titled().items():
        with (copy / name).open("a", encoding="utf-8") as file:
            file.write(text)
    path = os.pathsep.join(str(copy / root) for root in roots)
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def test_every_room_is_named() -> None:
    for room in ROOMS:
        assert any(room in name for name in titled()), f"no block for {room}"


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_the_suite_passes(sources: dict[str, str], library: str) -> None:
    pytest.importorskip(library, reason="the array library is not installed")
    command = [sys.executable, "-m", "everygrad", "conformance", f"autodiff({library})", "--op", "haversine"]
    done = subprocess.run(command, check=False, env=sources, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "haversine" in done.stdout


def test_the_function_runs(sources: dict[str, str]) -> None:
    code = "import everygrad as eg; x = eg.tensor([0.0, 1.0], requires_grad=True); print(eg.haversine(x).sum().item())"
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, env=sources, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(0.2298488, abs=1e-6)
