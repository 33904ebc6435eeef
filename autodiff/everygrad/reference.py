"""python -m everygrad reference: every op of the contract as a Markdown page, with what each backend has of its own."""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from everygrad.registry import backend
from everygrad.rules import RULES
from everygrad.rules.registry import INTEGER_ARGUMENTS
from everygrad_ops import Backend, BackendError, OpSpec, contract, is_overridden

BACKENDS = ("numpy", "torch")

_INTRODUCTION = """# The ops of the contract

What a backend can do: {total} ops in {families} families. {primitives} are primitives, which every backend has. {optional} more are
optional: their default goes through the host. All others have a default, a composition of other ops, which a
backend may replace by a form of its own.

A gradient comes from a rule, or through the default; "none" where the result carries none: comparisons, positions,
creation, queries of the host. Special values are in [the semantics](../semantics.md).

Written by `python -m everygrad reference`.
"""


def kind_of(spec: OpSpec) -> str:
    """What the contract asks of a backend."""
    marks = spec.marks
    return "primitive" if marks.primitive else "optional" if marks.optional else "default"


def gradient_of(spec: OpSpec) -> str:
    """Where the gradients of an op come from.

    >>> [gradient_of(contract()[op]) for op in ("mul", "flip", "argmax")]
    ['rule', 'through the default', 'none']
    """
    arrays = {p.name for p in spec.arrays} - set(spec.marks.caches) - INTEGER_ARGUMENTS
    if not spec.marks.differentiable or not arrays:
        return "none"
    ruled = {name for rule in RULES.get(spec.name, []) for name in rule.wrt} & arrays
    if not ruled:
        return "through the default"
    return "rule" if ruled == arrays else f"rule ({', '.join(sorted(ruled))}), else through the default"


def form_of(b: Backend[Any], spec: OpSpec) -> str:
    """Whether a backend has a form of its own."""
    if is_overridden(b, spec.name):
        return "own"
    return "missing" if spec.marks.primitive else "default"


def meaning_of(spec: OpSpec) -> str:
    """The first line of the docstring, fit for a cell."""
    return (inspect.getdoc(spec.function) or "").partition("\n")[0].replace("|", "\\|")


def families() -> dict[str, list[OpSpec]]:
    """The ops by the module that declares them."""
    found: dict[str, list[OpSpec]] = {}
    for spec in contract().values():
        if not spec.marks.internal:
            found.setdefault(spec.function.__module__, []).append(spec)
    return found


def page(backends: Sequence[Backend[Any]]) -> str:
    """The whole page."""
    specs = [spec for family in families().values() for spec in family]
    text = _INTRODUCTION.format(
        total=len(specs),
        families=len(families()),
        primitives=sum(spec.marks.primitive for spec in specs),
        optional=sum(spec.marks.optional for spec in specs),
    )
    lines = [text]
    heads = ["op", "meaning", "kind", "gradient", *(b.name for b in backends)]
    for module, family in families().items():
        doc = (inspect.getdoc(importlib.import_module(module)) or "").partition("\n")[0]
        lines += [f"## {module.rpartition('.')[2]}", "", doc, "", _row(heads), _row(["---"] * len(heads))]
        for spec in family:
            forms = [form_of(b, spec) for b in backends]
            lines.append(_row([f"`{spec.name}`", meaning_of(spec), kind_of(spec), gradient_of(spec), *forms]))
        lines.append("")
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def command(argv: Sequence[str]) -> int:
    """The command: 0, or 2 for an unknown backend."""
    parser = argparse.ArgumentParser(prog="python -m everygrad reference", description=__doc__)
    parser.add_argument("backend", nargs="*", default=BACKENDS, help="the backends to show: numpy and torch")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="write the page there instead of printing"
    )
    options = parser.parse_args(argv)
    try:
        text = page([backend(name) for name in options.backend])
    except BackendError as error:
        print(error, file=sys.stderr)
        return 2
    if options.output is None:
        print(text)
    else:
        options.output.write_text(text, encoding="utf-8")
    return 0
