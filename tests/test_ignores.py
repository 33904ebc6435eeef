"""Whatever silences a checker names what it silences, and says why.

A line's ignore ends in the reason, `# type: ignore[misc]  # a default binds the loop's value`; the rules of a whole file
have a comment of their own beside them.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("ops", "backends", "autodiff", "tests", "docs")
SILENCES = re.compile(r"(type:\s*ignore|noqa|pyright:|ruff:|mypy:)")
CODED = re.compile(
    r"type: ignore\[[\w-]+(, ?[\w-]+)*\]"
    r"|pyright: ignore\[\w+(, ?\w+)*\]"
    r"|noqa: [A-Z]+\d+(, ?[A-Z]+\d+)*"
    r"|(ruff: noqa: [A-Z]+\d+(, ?[A-Z]+\d+)*)"
    r"|pyright: \w+=\w+(, ?\w+=\w+)*"
    r"|mypy: disable-error-code=\S+"
)
OF_A_FILE = re.compile(r"(pyright: (?!ignore)|ruff: |mypy: )")


def _parts(comment: str) -> list[str]:
    """What stands between the # of one comment."""
    return [part.strip() for part in comment.split("#")[1:]]


def faults(text: str) -> Iterator[str]:
    """The ignores of a source text that lack a code or a reason, by line."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    found = {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}
    for line, comment in found.items():
        parts = _parts(comment)
        silencing = [part for part in parts if SILENCES.match(part)]
        if not silencing:
            continue
        if not all(CODED.fullmatch(part) for part in silencing):
            yield f"{line}: no code: {comment}"
        if len(silencing) == len(parts) and not (OF_A_FILE.match(parts[0]) and _beside(found, line)):
            yield f"{line}: no reason: {comment}"


def _beside(comments: dict[int, str], line: int) -> bool:
    """Whether the block of comments around a line holds one that gives a reason."""
    for step in (-1, 1):
        at = line
        while at in comments:
            if not SILENCES.match(_parts(comments[at])[0]):
                return True
            at += step
    return False


def test_ignores_have_a_code_and_a_reason() -> None:
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    found = {path: list(faults(path.read_text(encoding="utf-8"))) for path in paths}
    wrong = [f"{path.relative_to(ROOT)}:{fault}" for path, each in found.items() for fault in each]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param("x = 1  # type: ignore  # of anything", "no code", id="type-without-code"),
        pytest.param("x = 1  # type: ignore[misc]", "no reason", id="type-without-reason"),
        pytest.param("x = 1  # noqa  # of anything", "no code", id="noqa-without-code"),
        pytest.param("x = 1  # noqa: F401", "no reason", id="noqa-without-reason"),
        pytest.param("x = 1  # pyright: ignore  # of anything", "no code", id="pyright-without-code"),
        pytest.param("x = 1  # pyright: ignore[reportCallIssue]", "no reason", id="pyright-without-reason"),
        pytest.param("x = 1  # type: ignore[misc]  # noqa: F401", "no reason", id="two-without-reason"),
        pytest.param("# pyright: basic\n# Of arrays.", "no code", id="file-without-code"),
        pytest.param("# pyright: reportX=false\n\n# Of arrays.", "no reason", id="file-without-reason"),
    ],
)
def test_the_check_fails(line: str, words: str) -> None:
    (fault,) = faults(line + "\n")
    assert words in fault


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # type: ignore[misc]  # pyright: ignore[reportCallIssue]  # of anything",
        "x = 1  # noqa: F401, E501  # of anything",
        "# pyright: reportX=false\n# pyright: reportY=false\n# Tables of lambdas.",
        "# Tables of lambdas.\n# pyright: reportX=false",
        "x = '# type: ignore'",
    ],
)
def test_the_check_passes(text: str) -> None:
    assert list(faults(text + "\n")) == []
