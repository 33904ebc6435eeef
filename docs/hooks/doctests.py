"""An extension of griffe: examples in docstrings become blocks of Python on the page."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!>>> )\S.*\n?|^ +.*\n?)*)+", re.MULTILINE)


def fenced(text: str) -> str:
    """The text of a docstring with a fence around each run of examples."""
    return EXAMPLE.sub(lambda found: f"\n```pycon\n{found[0].rstrip()}\n```\n\n", text)


class Doctests(griffe.Extension):
    """Put fences around what starts with >>>, as Markdown would take it for quotations."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of everything that has one."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
