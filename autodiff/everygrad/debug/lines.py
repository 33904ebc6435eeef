"""Which line of the user's program an op was called from."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path
from typing import NamedTuple

import everygrad_ops
from everygrad.engine import backward

ROOTS = tuple(
    str(Path(file).parent) for file in (__file__.rsplit("debug", 1)[0] + "x", str(everygrad_ops.__file__))
)
"""Where the library's own sources lie."""


WALK = str(backward.__file__)


class Line(NamedTuple):
    """A place in the user's program."""

    file: str
    number: int
    function: str
    layers: tuple[str, ...] = ()
    """The library's layers between it and the op, the outermost first."""

    @property
    def source(self) -> str:
        """The text of the line."""
        return linecache.getline(self.file, self.number).strip()

    def __str__(self) -> str:
        where = "" if self.function == "<module>" else f", in {self.function}"
        through = f" (through {' > '.join(self.layers)})" if self.layers else ""
        text = self.source
        return f"{self.file}:{self.number}{where}{through}" + (f"\n      {text}" if text else "")


def here() -> Line:
    """The innermost line outside of the library; where there is none, the outermost one."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]  # documented, for CPython
    layers: list[str] = []
    while True:
        code = frame.f_code
        if not (code.co_filename.startswith(ROOTS) or code.co_filename.startswith("<everygrad ")):
            break
        if code.co_name == "forward" and "self" in code.co_varnames:
            layers.append(type(frame.f_locals.get("self")).__name__)
        if frame.f_back is None:
            break
        frame = frame.f_back
    return Line(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, tuple(reversed(layers)))


def from_walk() -> bool:
    """Whether the op that asks was called by the walk back itself."""
    frame = sys._getframe(3)  # pyright: ignore[reportPrivateUsage]  # documented, for CPython; the op's method lies between
    return frame.f_code.co_filename == WALK
