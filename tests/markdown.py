"""The examples of a Markdown page: fenced blocks of Python, and the output that must follow them."""

from __future__ import annotations

import contextlib
import contextvars
import doctest
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text, and the line where the text starts."""

    language: str
    text: str
    line: int


def blocks(page: str) -> Iterator[Block]:
    """Every fenced block of a page."""
    fence, language, start, inside = "", "", 0, list[str]()
    for number, line in enumerate(page.splitlines(), 1):
        stripped = line.strip()
        if not fence and stripped.startswith("```"):
            fence = stripped[: len(stripped) - len(stripped.lstrip("`"))]
            language, start, inside = stripped.lstrip("`").strip(), number + 1, []
        elif fence and stripped == fence:
            yield Block(language, "\n".join(inside) + "\n", start)
            fence = ""
        elif fence:
            inside.append(line)
    if fence:
        raise SyntaxError(f"line {start - 1}: a fenced block is not closed")


def run_doctest(text: str, namespace: dict[str, Any], name: str, path: str, line: int) -> int:
    """Run the >>> examples in a text and check what they print; returns how many there were."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, path, line)
    test.globs = namespace
    report = io.StringIO()
    result = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.write, clear_globs=False)
    assert not result.failed, f"{path}:{line}\n{report.getvalue()}"
    return result.attempted


def run_page(path: Path) -> int:
    """Run the Python blocks of a page in one namespace, in order; returns how many ran.

    A block with >>> is a doctest. What any other block prints must be in a block marked `output`
    right after it, and nothing else.
    """
    namespace: dict[str, Any] = {"__name__": "__main__"}
    found = list(blocks(path.read_text(encoding="utf-8")))
    ran = 0
    for block, following in zip(found, [*found[1:], None]):
        if block.language != "python":
            continue
        ran += 1
        where = f"{path.name}:{block.line}"
        if ">>> " in block.text:
            assert run_doctest(block.text, namespace, where, str(path), block.line - 1), (
                f"{where}: no example"
            )
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * (block.line - 1) + block.text, str(path), "exec"), namespace)  # noqa: S102  # our own pages
        expected = following.text if following is not None and following.language == "output" else ""
        same = doctest.OutputChecker().check_output(expected, printed.getvalue(), OPTIONS)
        assert same, f"{where} printed\n{printed.getvalue()}\nand the page says\n{expected}"
    return ran


def apart(function: Callable[..., int], *args: Any) -> int:
    """Call in a context of its own, so that an example's `use` or `manual_seed` does not outlive it."""
    return contextvars.copy_context().run(function, *args)
