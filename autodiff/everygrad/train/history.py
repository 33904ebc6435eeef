"""What the epochs showed, as plain numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

__all__ = ["History", "is_better"]

Row = dict[str, Any]


class History:
    """A row of numbers for each epoch: "epoch" (from 1), "train/loss", "valid/accuracy" and so on.

    >>> import everygrad as eg
    >>> history = eg.train.History([{"epoch": 1, "valid/loss": 0.5}, {"epoch": 2, "valid/loss": 0.7}])
    >>> history.column("valid/loss"), history.best("valid/loss", "min")
    ([0.5, 0.7], {'epoch': 1, 'valid/loss': 0.5})
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]] = ()) -> None:
        self.rows: list[Row] = [dict(row) for row in rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> Row:
        return self.rows[index]

    def append(self, row: Mapping[str, Any]) -> None:
        """Take in an epoch."""
        self.rows.append(dict(row))

    @property
    def names(self) -> list[str]:
        """What there are numbers of, in the order in which they came."""
        return list(
            dict.fromkeys(name for row in self.rows for name in row if name not in ("epoch", "seconds"))
        )

    def column(self, name: str) -> list[float]:
        """The numbers of one name; NaN for an epoch that has none. Raises `KeyError` for an unknown name."""
        self._need(name)
        return [row.get(name, math.nan) for row in self.rows]

    def ranked(self, name: str, mode: str) -> list[Row]:
        """The rows that have a number of that name, the best first; of equal ones the earlier."""
        self._need(name)
        known = [row for row in self.rows if not math.isnan(row.get(name, math.nan))]
        return sorted(known, key=lambda row: row[name] if mode == "min" else -row[name])

    def best(self, name: str, mode: str = "min") -> Row:
        """The row where the number is smallest (mode "min") or largest ("max")."""
        ranked = self.ranked(name, checked_mode(mode))
        if not ranked:
            raise ValueError(f"best: {name!r} is NaN in every epoch. Write another name of {self.names}")
        return ranked[0]

    def _need(self, name: str) -> None:
        if self.rows and not any(name in row for row in self.rows):
            raise KeyError(f"no numbers called {name!r}. There are: {', '.join(self.names)}")


def checked_mode(mode: str) -> str:
    """`mode` if it is one."""
    if not isinstance(mode, str) or mode not in ("min", "max"):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ValueError(f"mode: must be 'min' or 'max'. Received: {mode!r}")
    return mode


def is_better(value: float, than: float, mode: str, by: float = 0.0) -> bool:
    """Whether a number is better than another by more than `by`; any number is better than NaN.

    >>> import everygrad as eg
    >>> eg.train.is_better(0.4, 0.5, "min"), eg.train.is_better(0.45, 0.5, "min", by=0.1)
    (True, False)
    """
    if math.isnan(value):
        return False
    if math.isnan(than):
        return True
    return value < than - by if mode == "min" else value > than + by
