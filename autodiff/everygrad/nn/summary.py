"""A table of a model: its layers, what they return, and what they hold."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from everygrad.engine.recording import no_grad
from everygrad.engine.replay import standing_in
from everygrad.functional.creation import zeros
from everygrad.nn.parameter import Cell, Parameter
from everygrad.tree import leaves
from everygrad_ops import DType

if TYPE_CHECKING:
    from everygrad.nn.hooks import RemovableHandle
    from everygrad.nn.module import Module

__all__ = ["LayerSummary", "Summary"]

COLUMNS = ("layer", "output shape", "parameters", "trained", "bytes")


@dataclass(frozen=True)
class LayerSummary:
    """One module of a model, with all that is in it."""

    name: str
    kind: str
    depth: int
    output: str
    """The shapes it returned, "" where it was not called."""
    parameters: int
    """Of it and all below it, a tied one counted once."""
    trainable: int
    bytes: int
    """Of its parameters and buffers."""
    shared: bool
    """Whether its parameters were counted in a row above."""


@dataclass(frozen=True)
class Summary:
    """What `model.summary()` returns; printed as a table (by rich where that is installed)."""

    rows: tuple[LayerSummary, ...]
    parameters: int
    trainable: int
    bytes: int

    def cells(self) -> Iterator[tuple[str, ...]]:
        """The rows of the table as text."""
        for row in self.rows:
            title = "  " * row.depth + (f"{row.name}: {row.kind}" if row.name else row.kind)
            counts = (
                ("shared",) * 3
                if row.shared
                else (
                    f"{row.parameters:,}" if row.parameters else "-",
                    _trained(row.trainable, row.parameters),
                    _size(row.bytes) if row.bytes else "-",
                )
            )
            yield (title, row.output or "-", *counts)

    def totals(self) -> str:
        """The line below the table."""
        frozen = self.parameters - self.trainable
        return (
            f"{self.parameters:,} parameters, {self.trainable:,} trained, {frozen:,} frozen, "
            f"{_size(self.bytes)} with buffers"
        )

    def plain(self) -> str:
        """The table without rich."""
        lines = [COLUMNS, *self.cells()]
        wide = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
        shown = [
            "  ".join(
                cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, wide))
            ).rstrip()
            for line in lines
        ]
        rule = "-" * max(map(len, shown))
        return "\n".join([shown[0], rule, *shown[1:], rule, self.totals()])

    def __rich__(self) -> Any:
        """For `rich.print`."""
        from rich.table import Table

        table = Table(caption=self.totals(), caption_justify="left")
        for i, title in enumerate(COLUMNS):
            table.add_column(title, justify="left" if i < 2 else "right", no_wrap=i == 0)
        for line in self.cells():
            table.add_row(*line)
        return table

    def __str__(self) -> str:
        if importlib.util.find_spec("rich") is None:
            return self.plain()
        from rich.console import Console

        console = Console(width=max(len(line) for line in self.plain().split("\n")) + 20, color_system=None)
        with console.capture() as shown:
            console.print(self)
        return "\n".join(line.rstrip() for line in shown.get().rstrip().split("\n"))

    __repr__ = __str__


def _trained(trainable: int, parameters: int) -> str:
    if not parameters:
        return "-"
    return "yes" if trainable == parameters else f"{trainable:,}" if trainable else "no"


def _size(count: int) -> str:
    amount = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.3g} {unit}"
        amount /= 1000
    return f"{amount:,.3g} TB"


def summary(
    module: Module,
    *inputs: Any,
    input_shape: Sequence[int] | Sequence[Sequence[int]] | None = None,
    dtype: DType | None = None,
    depth: int | None = None,
) -> Summary:
    """The layers of a model with their output shapes, parameters, whether these are trained, and bytes.

    `inputs` are example arguments for one forward pass, in eval mode and without gradients, that changes nothing; or
    `input_shape` is the shape, or a list of shapes, of inputs of zeros (of `dtype`). Without either the
    output shapes stay empty. `depth` limits how many levels are shown: 0 is the model alone.

    >>> import everygrad as eg
    >>> net = eg.nn.Sequential(eg.nn.Linear(4, 8), eg.nn.ReLU(), eg.nn.Linear(8, 2).freeze())
    >>> print(net.summary(input_shape=(16, 4)).plain())
    layer        output shape  parameters  trained  bytes
    -----------------------------------------------------
    Sequential   (16, 2)               58       40  232 B
      0: Linear  (16, 8)               40      yes  160 B
      1: ReLU    (16, 8)                -        -      -
      2: Linear  (16, 2)               18       no   72 B
    -----------------------------------------------------
    58 parameters, 40 trained, 18 frozen, 232 B with buffers
    """
    if inputs and input_shape is not None:
        raise TypeError("summary: takes example inputs or input_shape. Received: both; leave one out")
    if input_shape is not None:
        inputs = _zeros(module, input_shape, dtype)
    outputs = _outputs(module, inputs) if inputs else {}
    seen: set[int] = set()
    rows: list[LayerSummary] = []
    for name, kind, level, part in _tree(module, "", 0, frozenset()):
        cells = _cells(part)
        parameters = [cell for cell in cells if isinstance(cell, Parameter)]
        shared = id(part) in seen and bool(cells)
        if depth is None or level <= depth:
            rows.append(
                LayerSummary(
                    name,
                    kind,
                    level,
                    outputs.get(id(part), ""),
                    sum(p.numel() for p in parameters),
                    sum(p.numel() for p in parameters if p.flag),
                    sum(map(_bytes, cells)),
                    shared,
                )
            )
        seen.add(id(part))
    top = rows[0]
    return Summary(tuple(rows), top.parameters, top.trainable, top.bytes)


def _tree(
    module: Module, name: str, level: int, path: frozenset[int]
) -> Iterator[tuple[str, str, int, Module]]:
    """(name, class, level, module), a cycle cut where it closes."""
    yield name, type(module).__name__, level, module
    if id(module) not in path:
        for child_name, child in module.members():
            if not isinstance(child, Cell) and id(child) not in path:
                yield from _tree(child, child_name, level + 1, path | {id(module)})


def _cells(module: Module) -> list[Cell]:
    return [*module.parameters(), *module.buffers()]


def _bytes(cell: Cell) -> int:
    return cell.numel() * cell.dtype.itemsize


def _zeros(module: Module, shapes: Any, dtype: DType | None) -> tuple[Any, ...]:
    several: list[Any] = list(shapes) if shapes and not isinstance(shapes[0], int) else [shapes]
    like = next((p for p in module.parameters() if p.dtype.is_floating), None)
    if like is None:
        return tuple(zeros(tuple(shape), dtype=dtype) for shape in several)
    return tuple(zeros(tuple(shape), dtype=dtype or like.dtype, backend=like.backend) for shape in several)


def _outputs(module: Module, inputs: tuple[Any, ...]) -> dict[int, str]:
    """The shapes that each module returned last in one forward pass, which leaves everything as it was."""
    found: dict[int, str] = {}
    handles: list[RemovableHandle] = []
    modes = [(part, part.training) for part in module.modules()]

    def note(part: Module, args: Any, output: Any) -> None:
        shapes = [str(x.shape) for x in leaves(output)]
        found[id(part)] = shapes[0] if len(shapes) == 1 else "[" + ", ".join(shapes) + "]"

    cells = _cells(module)
    try:
        handles = [part.register_forward_hook(note) for part, _ in modes]
        module.eval()
        with no_grad(), standing_in([(cell, cell) for cell in cells]):
            module(*inputs)
    finally:
        for handle in handles:
            handle.remove()
        for part, mode in modes:
            part.training = mode
    return found
