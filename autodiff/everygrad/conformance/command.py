"""python -m everygrad conformance NAME: run the suite on a backend and print its scorecard."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from everygrad.conformance.gaps import apply_gaps, known_gaps
from everygrad.conformance.report import Report
from everygrad.conformance.report_files import check_name, write_report
from everygrad.conformance.runner import COLUMNS, Entry, run, selected
from everygrad.registry import backend
from everygrad_ops import Backend, BackendError


class _Progress(Protocol):
    def __call__(self, entry: Entry) -> None: ...


def examine(
    b: Backend[Any], entries: Iterable[Entry], *, fast: bool = False, progress: _Progress = lambda entry: None
) -> Report:
    """The report of a backend, with its known gaps taken into account."""
    outcomes = run(b, entries, fast=fast, progress=progress)
    return Report(b.name, apply_gaps(b.name, outcomes, known_gaps()))


def command(argv: Sequence[str]) -> int:
    """The command: 0 if every check passed, 1 if not, 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m everygrad conformance", description=__doc__)
    parser.add_argument("backend", help="a name such as numpy or autodiff(torch), or module:Class")
    parser.add_argument("--op", default="*", help="only the ops, or case ids, that match this shell pattern")
    parser.add_argument(
        "--fast", action="store_true", help="leave out the lesser dtypes, the corners and order 3"
    )
    parser.add_argument(
        "--quiet", action="store_true", help="no progress, and only the summary if all passes"
    )
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="write the scorecard too: .html, .json, .md"
    )
    options = parser.parse_args(argv)
    entries = selected(options.op)
    if not entries:
        print(f"no case matches --op {options.op!r}", file=sys.stderr)
        return 2
    if "" not in sys.path:
        sys.path.insert(0, "")  # as for python -m: module:Class may lie in the current directory
    try:
        if options.report is not None:
            check_name(options.report)
        b = backend(options.backend)
    except (BackendError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    with _progress(len(entries), options.quiet) as progress:
        report = examine(b, entries, fast=options.fast, progress=progress)
    _show(report, options.quiet)
    if options.report is not None:
        write_report(report, options.report)
        print(f"written: {options.report}")
    return 0 if report.passed else 1


def _use_rich() -> bool:
    return sys.stdout.isatty() and importlib.util.find_spec("rich") is not None


@contextmanager
def _progress(total: int, quiet: bool) -> Generator[_Progress]:
    if quiet or not sys.stderr.isatty() or importlib.util.find_spec("rich") is None:
        yield lambda entry: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda entry: bar.update(task, advance=1, description=entry.id)


def _show(report: Report, quiet: bool) -> None:
    if quiet and report.passed:
        print(report.summary())
    elif quiet or not _use_rich():
        print(report.text())
    else:
        _show_rich(report)


_COLOURS = {"FAIL": "bold red", "missing": "yellow", "gap": "cyan", "ok": "green", "-": "dim"}


def _show_rich(report: Report) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    table = Table("op", *COLUMNS, title=report.backend)
    for op, *cells in report.rows():
        table.add_row(op, *(f"[{_COLOURS[cell.split()[0]]}]{cell}[/]" for cell in cells))
    console.print(table)
    for o in report.failures:
        console.print(
            f"[bold red]{o.status}[/]: {o.id} \\[{o.column}]\n    {escape(o.message)}", highlight=False
        )
    console.print(report.summary(), highlight=False)
