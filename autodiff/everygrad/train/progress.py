"""What is shown while one waits: bars in a terminal, a line for each epoch elsewhere, and a table at the end."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from everygrad.train.history import History
from everygrad.train.missing import need

__all__ = ["Bars", "Lines", "Renderer", "summary_table"]


class Renderer:
    """Shows how training goes; this one shows nothing. Write the methods that are wanted for one of your own."""

    def begin(self, done: int, epochs: int) -> None:
        """Training begins with `done` of `epochs` behind it."""

    def split(self, name: str, epoch: int, steps: int | None) -> None:
        """The batches of a split begin: how many there are, None where nobody knows."""

    def step(self, numbers: Mapping[str, float]) -> None:
        """A batch is over; `numbers` are the means of the epoch so far."""

    def epoch(self, row: Mapping[str, Any]) -> None:
        """An epoch is over."""

    def say(self, text: str) -> None:
        """Something the user should read."""

    def end(self, history: History | None) -> None:
        """Training is over: a table of it, if there is a history."""


class Lines(Renderer):
    """A line of plain text for each epoch."""

    @override
    def epoch(self, row: Mapping[str, Any]) -> None:
        print(_line(row), flush=True)

    @override
    def say(self, text: str) -> None:
        print(text, flush=True)


class Bars(Renderer):
    """Two bars, the epochs and the batches of the current one, with the numbers so far; needs rich."""

    def __init__(self, console: Any = None) -> None:
        self.console = console or need("rich.console", "a progress bar").Console()
        self.bars: Any = None

    @override
    def begin(self, done: int, epochs: int) -> None:
        p = need("rich.progress", "a progress bar")
        columns = (
            p.TextColumn("{task.description}"),
            p.BarColumn(),
            p.MofNCompleteColumn(),
            p.TimeRemainingColumn(),
            p.TextColumn("{task.fields[words]}"),
        )
        self.bars = p.Progress(*columns, console=self.console)
        self.bars.start()
        self.all = self.bars.add_task("epochs", total=epochs, completed=done, words="")
        self.part = self.bars.add_task("", total=None, words="")

    @override
    def split(self, name: str, epoch: int, steps: int | None) -> None:
        self.bars.reset(self.part, description=f"{name} {epoch}", total=steps, words="")

    @override
    def step(self, numbers: Mapping[str, float]) -> None:
        words = "  ".join(f"{name} {value:.4g}" for name, value in numbers.items())
        self.bars.update(self.part, advance=1, words=words)

    @override
    def epoch(self, row: Mapping[str, Any]) -> None:
        self.bars.console.print(_line(row), highlight=False)
        self.bars.update(self.all, advance=1)

    @override
    def say(self, text: str) -> None:
        self.console.print(text, highlight=False)

    @override
    def end(self, history: History | None) -> None:
        if self.bars is not None:
            self.bars.stop()
            self.bars = None
        if history is not None and len(history):
            self.console.print(summary_table(history))


def renderer_for(wanted: bool | Renderer | None) -> Renderer:
    """What was asked for; None means bars in a terminal where rich is there, else lines."""
    if isinstance(wanted, Renderer):
        return wanted
    if not isinstance(wanted, (bool, type(None))):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise TypeError(
            f"progress: must be True, False, None or a Renderer. Received: {type(wanted).__name__}; write progress=False"
        )
    if wanted is False:
        return Renderer()
    if wanted or (sys.stdout.isatty() and importlib.util.find_spec("rich") is not None):
        return Bars()
    return Lines()


def summary_table(history: History, title: str = "training") -> Any:
    """A table (of rich) with the smallest and the largest number of each name, their epochs, and the last number.

    >>> import everygrad as eg
    >>> table = eg.train.summary_table(eg.train.History([{"epoch": 1, "train/loss": 0.5}]))
    >>> [str(column.header) for column in table.columns]
    ['number', 'smallest', 'epoch', 'largest', 'epoch', 'last']
    """
    table = need("rich.table", "summary_table").Table(
        "number", "smallest", "epoch", "largest", "epoch", "last", title=title
    )
    for name in history.names:
        ranked = history.ranked(name, "min")
        if ranked:
            low, high = ranked[0], history.ranked(name, "max")[0]
            cells = (f"{low[name]:.4g}", str(low["epoch"]), f"{high[name]:.4g}", str(high["epoch"]))
            table.add_row(name, *cells, f"{history[-1].get(name, math.nan):.4g}")
    return table


def _line(row: Mapping[str, Any]) -> str:
    numbers = [f"{name} {value:.4g}" for name, value in row.items() if name != "epoch"]
    return f"epoch {row['epoch']}: " + ", ".join(numbers)
