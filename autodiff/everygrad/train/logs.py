"""The history in files."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from everygrad.store.atomic import replacing
from everygrad.train.callbacks import Callback
from everygrad.train.history import History

if TYPE_CHECKING:
    from everygrad.train.learner import Learner

__all__ = ["HistoryLog", "read_history", "write_history"]


class HistoryLog(Callback):
    """Writes the history to a .jsonl or .csv file after every epoch.

    The file is written anew and put in the place of the old one at once, so it is whole at any time, and a resumed run
    repeats no line.

    >>> import everygrad as eg
    >>> log = eg.train.HistoryLog("run/log.csv")
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        _ending(self.path)

    @override
    def on_epoch_end(self, learner: Learner, row: Mapping[str, Any]) -> None:
        write_history(learner.history, self.path)


def write_history(history: History, path: str | Path) -> None:
    """Write a line for each epoch, as JSON (.jsonl, NaN as null) or as CSV with a header (.csv, NaN as an empty field).

    >>> import everygrad as eg, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "log.jsonl"
    >>> eg.train.write_history(eg.train.History([{"epoch": 1, "train/loss": 0.5}]), path)
    >>> path.read_text()
    '{"epoch": 1, "train/loss": 0.5}\\n'
    """
    place = Path(path)
    kind = _ending(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    with replacing(place) as part, part.open("w", newline="", encoding="utf-8") as file:
        if kind == ".jsonl":
            for row in history:
                file.write(json.dumps({key: _or_none(value) for key, value in row.items()}) + "\n")
            return
        names = list(dict.fromkeys(name for row in history for name in row))
        writer = csv.writer(file)
        writer.writerow(names)
        for row in history:
            writer.writerow(["" if (v := _or_none(row.get(name))) is None else v for name in names])


def read_history(path: str | Path) -> History:
    """The history in a .jsonl file that `write_history` wrote."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return History({key: math.nan if value is None else value for key, value in row.items()} for row in rows)


def _or_none(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _ending(path: Path) -> str:
    kind = path.suffix.lower()
    if kind not in (".jsonl", ".csv"):
        raise ValueError(f"the log of a history ends in .jsonl or .csv. Received: {str(path)!r}")
    return kind
