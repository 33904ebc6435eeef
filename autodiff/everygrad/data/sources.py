"""Datasets from files of rows: CSV, lines of JSON, and NumPy's own."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import override

from everygrad.data.dataset import Dataset, checked_index
from everygrad.data.mapped import open_mapped
from everygrad.functional.creation import tensor
from everygrad_ops import ShapeError

__all__ = ["CSVDataset", "JSONLinesDataset", "NumpyDataset"]

Convert = Callable[[str], Any]


class CSVDataset(Dataset[dict[str, Any]]):
    """The rows of a CSV file as dictionaries by column: numbers where a whole column is numbers, else strings.

    `columns` names the columns to keep, in order, with their types ({"age": int, "name": str}; any function of the
    text will do); None keeps all. A column is of int where all its fields are whole numbers, of float where all are numbers
    (an empty field is NaN), else of str. Without a header line, give `names`.

    Raises `ValueError` that names the line and column of a field that does not fit, and of a row that is too short or long.

    >>> import everygrad as eg
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age,name\\n41,Ada\\n36,Alan\\n")
    >>> eg.data.CSVDataset(path)[1], eg.data.CSVDataset(path, {"age": float})[0]
    ({'age': 36, 'name': 'Alan'}, {'age': 41.0})
    """

    def __init__(
        self,
        path: str | Path,
        columns: Mapping[str, Convert] | None = None,
        *,
        delimiter: str = ",",
        names: Sequence[str] | None = None,
        encoding: str = "utf-8-sig",
    ) -> None:
        self.path = Path(path)
        with self.path.open(newline="", encoding=encoding) as file:
            reader = csv.reader(file, delimiter=delimiter)
            header = list(names) if names is not None else next(reader, None)
            rows = [(reader.line_num, row) for row in reader if row]
        if header is None:
            raise ValueError(
                f"CSVDataset: needs a line of column names. Received: the empty file {self.path}"
            )
        for line, row in rows:
            if len(row) != len(header):
                raise ValueError(
                    f"CSVDataset: line {line} of {self.path} must have {len(header)} fields. Received: {len(row)}"
                )
        wanted = dict.fromkeys(header) if columns is None else columns
        unknown = [name for name in wanted if name not in header]
        if unknown:
            raise ValueError(f"CSVDataset: {self.path} has the columns {header}. Received: {unknown}")
        self.columns: dict[str, list[Any]] = {}
        for name, convert in wanted.items():
            at = header.index(name)
            fields = [row[at] for _, row in rows]
            self.columns[name] = self._read(name, fields, [n for n, _ in rows], convert or _kind(fields))
        self._size = len(rows)

    def _read(self, name: str, fields: list[str], lines: list[int], convert: Convert) -> list[Any]:
        found: list[Any] = []
        for field, line in zip(fields, lines):
            try:
                found.append(convert(field))
            except ValueError as error:
                raise ValueError(
                    f"CSVDataset: column {name!r} in line {line} of {self.path} does not fit its type. Received: {field!r} ({error})"
                ) from None
        return found

    @override
    def __getitem__(self, index: int) -> dict[str, Any]:
        position = checked_index(self, index, self._size)
        return {name: column[position] for name, column in self.columns.items()}

    @override
    def __len__(self) -> int:
        return self._size


def _kind(fields: list[str]) -> Convert:
    """The type that all fields of a column have."""
    for kind in (int, _number):
        try:
            for field in fields:
                kind(field)
        except ValueError:
            continue
        return kind if any(fields) else str
    return str


def _number(field: str) -> float:
    return float(field) if field.strip() else float("nan")


class JSONLinesDataset(Dataset[Any]):
    """The lines of a file, each a value in JSON; read when asked for, the places of the lines are kept.

    >>> import everygrad as eg
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.jsonl"
    >>> _ = path.write_text('{"a": 1}\\n{"a": 2}\\n')
    >>> eg.data.JSONLinesDataset(path)[1]
    {'a': 2}
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.places: list[tuple[int, int]] = []
        with self.path.open("rb") as file:
            start = 0
            for number, line in enumerate(file, 1):
                if line.strip():
                    self.places.append((start, number))
                start += len(line)

    @override
    def __getitem__(self, index: int) -> Any:
        start, number = self.places[checked_index(self, index, len(self.places))]
        with self.path.open("rb") as file:
            file.seek(start)
            line = file.readline()
        try:
            return json.loads(line)
        except ValueError as error:
            raise ValueError(
                f"JSONLinesDataset: line {number} of {self.path} is not JSON. Received: {line[:80]!r} ({error})"
            ) from None

    @override
    def __len__(self) -> int:
        return len(self.places)


class NumpyDataset(Dataset[Any]):
    """The rows of a .npy file, or of all arrays of a .npz file by name; mapped from the file, read when asked for.

    `columns` chooses arrays of a .npz file, and gives tuples in that order. A .npz file that is compressed is read whole.

    >>> import everygrad as eg
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.npz"
    >>> np.savez(path, x=np.ones((3, 2)), y=np.arange(3))
    >>> data = eg.data.NumpyDataset(path, ["x", "y"])
    >>> len(data), data[2][1].item()
    (3, 2)
    """

    def __init__(self, path: str | Path, columns: Sequence[str] | None = None) -> None:
        self.path = Path(path)
        self.names = None if columns is None else list(columns)
        self._open()

    def _open(self) -> None:
        found = open_mapped(self.path)
        self.alone = None if isinstance(found, dict) else found
        self.arrays: dict[str, Any] = found if isinstance(found, dict) else {"": found}
        if self.names is not None:
            unknown = [name for name in self.names if name not in self.arrays]
            if unknown:
                raise ValueError(f"NumpyDataset: {self.path} has {list(self.arrays)}. Received: {unknown}")
            self.arrays = {name: self.arrays[name] for name in self.names}
        shapes = {name: array.shape for name, array in self.arrays.items()}
        if not shapes or any(not s for s in shapes.values()) or len({s[0] for s in shapes.values()}) != 1:
            raise ShapeError(
                f"NumpyDataset: the arrays must have equally many rows. Received: {shapes}; write columns=[...] to choose some"
            )
        self._size: int = next(iter(shapes.values()))[0]

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "names": self.names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()  # a worker maps the file for itself

    @override
    def __getitem__(self, index: int) -> Any:
        position = checked_index(self, index, self._size)
        return self._rows(lambda array: np.array(array[position]))

    @override
    def __len__(self) -> int:
        return self._size

    def batch(self, indices: Sequence[int]) -> Any:
        """The rows of several numbers, each array's together."""
        rows = [checked_index(self, i, self._size) for i in indices]
        return self._rows(lambda array: tensor(np.asarray(array[rows]), copy=False))

    def _rows(self, take: Callable[[Any], Any]) -> Any:
        if self.alone is not None:
            return take(self.alone)
        if self.names is not None:
            return tuple(take(self.arrays[name]) for name in self.names)
        return {name: take(array) for name, array in self.arrays.items()}
