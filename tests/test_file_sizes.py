"""Files stay small enough to be read in one sitting."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("ops", "backends", "autodiff", "tests", "docs")
LONGEST, MEDIAN = 400, 150


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def check(sizes: dict[str, int]) -> None:
    """Fail on a file over LONGEST lines, or a median of MEDIAN or more."""
    too_long = {name: lines for name, lines in sizes.items() if lines > LONGEST}
    assert not too_long, f"over {LONGEST} lines, split by family: {too_long}"
    median = statistics.median(sizes.values())
    assert median < MEDIAN, f"the median file has {median} lines, the limit is {MEDIAN}"


def measure(root: Path, folders: Sequence[str]) -> dict[str, int]:
    files = [path for folder in folders for path in sorted((root / folder).rglob("*.py"))]
    return {path.relative_to(root).as_posix(): lines_of(path) for path in files}


def test_files_are_small() -> None:
    sizes = measure(ROOT, FOLDERS)
    assert len(sizes) > 50, "the folders were not found"
    check(sizes)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        pytest.param([LONGEST + 1, 1, 1], f"over {LONGEST} lines.*a0.py", id="one-too-long"),
        pytest.param([MEDIAN, MEDIAN, 1], "median", id="median-too-long"),
    ],
)
def test_the_check_fails(tmp_path: Path, sizes: list[int], words: str) -> None:
    for number, lines in enumerate(sizes):
        (tmp_path / f"a{number}.py").write_text("x = 1\n" * lines, encoding="utf-8")
    with pytest.raises(AssertionError, match=words):
        check(measure(tmp_path, ["."]))


def test_the_check_passes_at_the_limits(tmp_path: Path) -> None:
    for number, lines in enumerate([LONGEST, MEDIAN - 1, 1]):
        (tmp_path / f"a{number}.py").write_text("x = 1\n" * lines, encoding="utf-8")
    check(measure(tmp_path, ["."]))
