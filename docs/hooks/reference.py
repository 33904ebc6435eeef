"""A hook of mkdocs: a reference page names a package, and gets a section for each of its files.

A page holds `<!-- files of everygrad.nn -->`, or `<!-- files of everygrad.functional: conv, pool -->` for some of
them, or `<!-- files of everygrad.functional, the rest -->` for those that no other page names. A file is there if its
package star-imports it, so a new one needs no line anywhere.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LONGEST_TITLE = 50
MARKER = re.compile(r"<!-- files of (?P<package>[\w.]+)(?P<rest>, the rest)?(?:: (?P<names>[\w, \n]+))? -->")


def files_of(package: str) -> list[str]:
    """The files that a package star-imports, in order: what a person can call by the package's name."""
    tree = ast.parse((folder(package) / "__init__.py").read_text(encoding="utf-8"))
    found = [
        node.module.removeprefix(f"{package}.")
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.names[0].name == "*"
    ]
    return [name for name in found if (folder(package) / f"{name}.py").exists()]


def folder(package: str) -> Path:
    """Where a package's files are."""
    return ROOT / "autodiff" / Path(*package.split("."))


def title(package: str, name: str) -> str:
    """The first sentence of a file's docstring, or its first words."""
    text = ast.get_docstring(ast.parse((folder(package) / f"{name}.py").read_text(encoding="utf-8"))) or name
    sentence = re.split(r"[.:;]\s|[.:;]$|, under torch's names", " ".join(text.split()), maxsplit=1)[0]
    return (
        sentence
        if len(sentence) <= LONGEST_TITLE
        else re.split(r",| under | on | that ", sentence, maxsplit=1)[0]
    )


def named_elsewhere(package: str) -> set[str]:
    """The files that some page lists by name."""
    pages = (page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference").glob("*.md"))
    found = [m for page in pages for m in MARKER.finditer(page) if m["package"] == package and m["names"]]
    return {name for m in found for name in re.findall(r"\w+", m["names"])}


def sections(found: re.Match[str]) -> str:
    """What stands in place of a marker."""
    package, there = found["package"], files_of(found["package"])
    if found["names"]:
        wanted = re.findall(r"\w+", found["names"])
        lost = sorted(set(wanted) - set(there))
        if lost:
            raise SystemExit(f"{package} does not import {lost}: mend the marker {found[0]!r}")
    else:
        elsewhere = named_elsewhere(package) if found["rest"] else set[str]()
        wanted = [name for name in there if name not in elsewhere]
    return "\n\n".join(f"## {title(package, name)}\n\n::: {package}.{name}" for name in wanted)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs for each page."""
    return MARKER.sub(sections, markdown)
