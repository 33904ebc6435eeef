"""Where the files of real models and real data lie; a test that misses one is skipped with a reason."""

from __future__ import annotations

import importlib.util
import sys
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.models.bible import unpacked

Array = NDArray[Any]
UNPACKED = Path(sys.prefix) / "debian"
"""Where `make models` unpacks Debian's packages."""


def package_file(package: str, name: str) -> Path:
    """A file that a package ships, found without importing the package."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        pytest.skip(f"{package} is not installed: make models")
    path = Path(found.origin).parent / name
    if not path.exists():
        pytest.skip(f"{package} has no {name} here")
    return path


def debian_file(package: str, name: str) -> Path:
    """A file of a Debian package, unpacked by `make models` or installed."""
    for root in (UNPACKED, Path("/")):
        if (root / name).exists():
            return root / name
    pytest.skip(f"Debian's {package} is not here: make models, or apt install {package}")


def photograph(name: str, height: int, width: int) -> Array:
    """One of scikit-image's photographs, (3, height, width) from 0 to 1: its middle, every n-th point."""
    data: Any = pytest.importorskip("skimage.data", reason="scikit-image is not installed: make models")
    picture: Array = getattr(data, name)()
    step = max(1, min(picture.shape[0] // height, picture.shape[1] // width))
    top, left = (picture.shape[0] - height * step) // 2, (picture.shape[1] - width * step) // 2
    part = picture[top : top + height * step : step, left : left + width * step : step, :3]
    return np.ascontiguousarray(part.transpose(2, 0, 1) / np.float32(255))


def speech(name: str = "Front_Center") -> Array:
    """A voice that says where a loudspeaker stands: samples from -1 to 1, 16,000 a second."""
    with wave.open(str(debian_file("alsa-utils", f"usr/share/sounds/alsa/{name}.wav"))) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768
    whole = samples[: len(samples) // 3 * 3].reshape(-1, 3)  # of 48,000: a mean over three is filter enough
    mono: Array = whole.mean(1, dtype=np.float32)
    return mono


def text() -> str:
    """A long English text, of 4,404,475 characters."""
    made = UNPACKED / "bible.txt"
    if made.exists():
        return made.read_text(encoding="utf-8")
    return unpacked(debian_file("bible-kjv-text", "usr/lib/bible.data").read_bytes())


def source(path: Path, name: str) -> Any:
    """A module out of one file, without what the rest of its package imports."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made  # a dataclass looks its module up
    spec.loader.exec_module(made)
    return made


def example(name: str) -> Any:
    """One of docs/examples, as a module."""
    return source(Path(__file__).parents[2] / "docs" / "examples" / f"{name}.py", f"example_{name}")
