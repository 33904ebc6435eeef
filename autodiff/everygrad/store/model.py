"""save_model and load_model: checked whole before anything changes, with a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from everygrad.nn.module import Module
from everygrad.nn.parameter import Cell
from everygrad.nn.state import StateDictError, saved_cells
from everygrad.store.files import save
from everygrad.store.keys import Remap, matcher, new_names, remap_keys
from everygrad.store.report import LoadReport
from everygrad.store.source import Value, values_of
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import wrap
from everygrad_ops import DTypeError, ShapeError

__all__ = ["load_model", "save_model"]


def save_model(model: Module, path: Any, *, metadata: Mapping[str, str] | None = None) -> None:
    """Write a model's `state_dict()` to a .safetensors or .npz file; torch and its users read it by the same names.

    A tied parameter is written once, and tied again by `load_model`. See `save`.

    >>> import everygrad as eg, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "layer.npz"
    >>> eg.store.save_model(eg.nn.Linear(2, 3), path, metadata={"data": "digits"})
    >>> eg.store.lazy(path).metadata["data"]
    'digits'
    """
    save(model.state_dict(), path, metadata={"format": "pt", **(metadata or {})})


def load_model(
    model: Module,
    source: Any,
    strict: bool = True,
    *,
    remap: Remap | None = None,
    partial: bool = False,
    only: Any = None,
    key: str | None = None,
    transpose: Any = None,
    copy: bool = False,
) -> LoadReport:
    """Take over the values of a file (or of a dictionary of tensors), each on the model's backend and in its dtype.

    - `strict`: the names must be the same on both sides; without it, missing and unexpected ones are reported.
    - `remap`: names are changed first, see `remap_keys`.
    - `partial`: load whatever fits by name and shape, leave the rest of the model as it is.
    - `only`: regular expressions (or a function) for the model's names to load; the others are not touched.
    - `key`: the part of a checkpoint that holds the model, such as "state_dict".
    - `transpose`: regular expressions for the model's names whose matrices are stored as (in, out), as Keras and
      JAX do. Which way a matrix lies is never guessed from its shape.
    - `copy`: on NumPy, read everything now instead of mapping the file.

    Nothing changes unless all of it fits; `StateDictError` shows the report. Returns the report.

    >>> import everygrad as eg, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "layer.npz"
    >>> a, b = eg.nn.Linear(2, 3), eg.nn.Linear(2, 3)
    >>> eg.store.save({"fc.W": a.weight, "fc.b": a.bias}, path)
    >>> eg.store.load_model(b, path, remap=[eg.store.strip_prefix("fc."), ("^W$", "weight"), ("^b$", "bias")])
    layer.npz -> Linear: 2 loaded
      renamed (2):
        fc.W -> weight
        fc.b -> bias
    >>> b.weight.tolist() == a.weight.tolist()
    True
    """
    if not isinstance(model, Module):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise TypeError(
            f"load_model: the model comes first. Received: {type(model).__name__}; write load_model(model, path)"
        )
    label, given = values_of(source, key)
    report = LoadReport(label, type(model).__name__)
    named = new_names(given, remap)
    report.renamed = {old: new for old, new in named.items() if new is not None and new != old}
    report.dropped = [old for old, new in named.items() if new is None]
    found = remap_keys(given, remap)
    own = saved_cells(model)
    chosen = own if only is None else {name: cell for name, cell in own.items() if matcher(only)(name)}
    report.skipped = [name for name in own if name not in chosen]
    report.unexpected = [name for name in found if name not in own]
    filled = {id(cell) for name, cell in chosen.items() if name in found}
    report.missing = [name for name, cell in chosen.items() if id(cell) not in filled]
    turned = matcher(() if transpose is None else transpose)
    values: dict[int, tuple[Cell, Tensor]] = {}
    origins: dict[int, tuple[str, Value]] = {}
    for name, cell in chosen.items():
        if name in found:
            problem = _conflict(name, found[name], origins.get(id(cell)))
            try:
                if not problem:
                    values[id(cell)] = cell, _fitting(name, cell, found[name], turned(name), copy, report)
                    origins.setdefault(id(cell), (name, found[name]))
            except (ShapeError, DTypeError) as error:
                problem = str(error).removeprefix("assign: ")
            if problem:
                report.mismatched[name] = problem
            else:
                report.loaded.append(name)
    _judge(report, strict, partial, own)
    for cell, value in values.values():
        cell.put_array(value.array)
    return report


def _fitting(name: str, cell: Cell, value: Value, turned: bool, copy: bool, report: LoadReport) -> Tensor:
    """The value as the cell's own, checked before it is read."""
    shape = (*value.shape[:-2], *value.shape[:-3:-1]) if turned else tuple(value.shape)
    if shape != cell.shape:
        lying = len(shape) == 2 and shape[::-1] == cell.shape and not turned
        advice = f"; if it is stored as (in, out), write transpose={'^' + name + '$'!r}" if lying else ""
        raise ShapeError(f"the model has shape {cell.shape}, the file {shape}{advice}")
    array = value.read()
    if turned:
        array = np.swapaxes(array, -1, -2)
    made = cell.fitting(wrap(cell.backend.from_numpy(array, copy), cell.backend))
    if value.dtype != cell.dtype.value:
        report.cast[name] = (value.dtype, cell.dtype.value)
    return made


def _conflict(name: str, value: Value, earlier: tuple[str, Value] | None) -> str:
    """What is wrong with a second value for one tied parameter: nothing if it is the same."""
    if earlier is None or earlier[1].identity == value.identity:
        return ""
    first, second = earlier[1].read(), value.read()
    if first.shape == second.shape and first.tobytes() == second.tobytes():
        return ""
    return f"the model ties it to {earlier[0]!r}, and the file holds two different values"


def _judge(report: LoadReport, strict: bool, partial: bool, own: Mapping[str, Cell]) -> None:
    """Raise if the report says more than was allowed."""
    report.hint = _hint(report, own)
    nothing = bool(own) and not report.loaded and bool(report.missing)
    if partial and not nothing:
        return
    if report.mismatched or (strict and not report.complete) or (partial and nothing):
        if not report.hint:
            report.hint = "write partial=True to load what fits, or remap=... to change names"
        raise StateDictError(f"load_model: the values do not fit; nothing was changed.\n{report}")


def _hint(report: LoadReport, own: Mapping[str, Cell]) -> str:
    """A prefix that makes unexpected names known, where there is one."""
    missing = set(report.missing)
    for name in report.unexpected:
        parts = name.split(".")
        for i in range(1, len(parts)):
            prefix = ".".join(parts[:i]) + "."
            if name.removeprefix(prefix) in missing:
                return f"write remap=eg.store.strip_prefix({prefix!r})"
        longer = next((own_name for own_name in missing if own_name.endswith("." + name)), None)
        if longer is not None:
            return f"write remap=eg.store.add_prefix({longer.removesuffix(name)!r})"
    return ""
