"""Looking at results and gradients, and saying where the first one came from that is not finite."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from everygrad.debug.lines import Line, from_walk, here
from everygrad.debug.ranges import Range, host, is_finite, is_number, named, range_of
from everygrad.engine import Node, Tracked
from everygrad.engine.balanced import made
from everygrad.engine.compile import saved_names
from everygrad.engine.node import PICK, Record, next_order
from everygrad.rules import RULES
from everygrad_ops import EverygradError, Kind, OpSpec, Result, contract

HINTS = {
    "log": "keep the values above 0: x.clamp(min=tiny).log(), or eg.xlogy(x, x) for x * log(x)",
    "sqrt": "keep the values above 0: (x + tiny).sqrt(), whose gradient at 0 is finite",
    "div": "keep the divisor away from 0: x / (y + tiny), or eg.safe_where around the division",
    "exp": "subtract the maximum first, or write softmax, log_softmax or logsumexp, which do",
    "pow": "keep the base above 0 for a broken exponent, and away from 0 for a negative one",
}
ELSE = "keep the operands in the range that the op is finite in (clamp, eg.safe_where), or compute in a wider dtype"


class AnomalyError(EverygradError, FloatingPointError):
    """A result or gradient that is NaN or infinite."""

    def __init__(
        self, message: str, op: str, argument: str | None, line: Line | None, operands: Mapping[str, Range]
    ) -> None:
        super().__init__(message)
        self.op = op
        self.argument = argument
        """The argument whose gradient it is; None for a result."""
        self.line = line
        """The line that called the op; None where it ran outside of `anomaly()`."""
        self.operands = operands
        """The ranges of the operands; for a gradient, of what was saved of them and of the upstream gradient."""


class Located(Record):
    """The record of one op that was called from a known line."""

    __slots__ = ("line",)

    def __init__(self, record: Record, line: Line) -> None:
        super().__init__(
            record.name,
            record.pull,
            record.pull_graph,
            inputs=record.inputs,
            broadcasting=record.broadcasting,
            source=record.source,
        )
        self.line = line


_line: ContextVar[Line | None] = ContextVar("everygrad_line", default=None)
"""Inside an op or a gradient: the line it belongs to. What it is made of is not looked at one by one."""


@contextmanager
def _belonging_to(line: Line | None) -> Generator[None]:
    token = _line.set(line)
    try:
        yield
    finally:
        _line.reset(token)


UNKNOWN = Line("", 0, "")


class Anomalies:
    """Looks at the ops and gradients of one context."""

    def __init__(self, inf: bool) -> None:
        self.inf = inf

    # Forwards.

    def op(
        self,
        spec: OpSpec,
        b: Any,
        method: Callable[..., Any],
        args: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> Any:
        """Run an op; look at its result if the program itself called it."""
        line, start = _line.get(), next_order()
        if line is None and from_walk():
            line = UNKNOWN  # a sum of gradients: looked at where it goes
        if line is not None:
            out = method(*args, **keywords)
            _locate(out, start, line)
            return out
        line = here()
        with _belonging_to(line):
            out = method(*args, **keywords)
            _locate(out, start, line)
            self._look(spec, b, out, args, keywords, line)
        return out

    def _look(
        self, spec: OpSpec, b: Any, out: Any, args: tuple[Any, ...], keywords: dict[str, Any], line: Line
    ) -> None:
        outs: list[Any] = [out] if spec.result is Result.ARRAY else list(out)
        results = [values for o in outs if o is not None and (values := host(b, o)) is not None]
        bad = next((values for values in results if not is_finite(values)), None)
        if bad is None:
            return
        operands: dict[str, Range] = {}
        given = numbers = False
        for name, kind, value in named(spec, args, keywords):
            if kind is Kind.OPTION or is_number(value):
                numbers = numbers or (isinstance(value, float) and np.isinf(value))
                if kind is not Kind.OPTION:
                    operands[name] = range_of(np.asarray(value))
            elif (values := host(b, value)) is not None:
                given = True
                operands[name] = range_of(values)
        found = range_of(bad)
        if found.nans:
            if not given and not any(r.nans for r in operands.values()):
                return  # made of data, not of tensors
        elif not self.inf or numbers or not given or any(r.infs for r in operands.values()):
            return
        raise _error(f"the result of {spec.name}", spec.name, None, found, operands, line)

    # Backwards.

    def pull(self, b: Any, g: Any, node: Node, parents: Sequence[Node | None], graph: bool) -> Sequence[Any]:
        """Run a gradient; look at what comes in and what goes out."""
        record = node.record
        line = record.line if isinstance(record, Located) else None
        upstream = [values for one in _several(g) if (values := host(b, one)) is not None]
        bad = next((values for values in upstream if self._counts(values)), None)
        if bad is not None:
            raise _error(
                f"the gradient that comes to the result of {record.name} (given to backward, or a sum that overflows)",
                record.name, None, range_of(bad), {}, line,
            )  # fmt: skip
        operands = _saved(b, node)
        with _belonging_to(line or UNKNOWN):
            grads = (record.pull_graph if graph else record.pull)(b, g, node, parents)
        place = b if record.source is None else record.source
        for i, (parent, gradient) in enumerate(zip(parents, grads)):
            values = None if parent is None or gradient is None else host(place, gradient)
            if values is not None and self._counts(values):
                several = len(upstream) > 1
                ranges = {
                    f"upstream gradient {k}" if several else "upstream gradient": range_of(v)
                    for k, v in enumerate(upstream)
                }
                argument = record.argument(i) if record.inputs else f"number {i}"
                title = f"the gradient of {record.name} in {argument}"
                raise _error(title, record.name, argument, range_of(values), {**ranges, **operands()}, line)
        return grads

    def leaf(self, b: Any, g: Any) -> None:
        """Look at the gradient of a variable: what was added up may overflow."""
        values = host(b, g)
        if values is not None and self._counts(values):
            title = "the gradient of a variable (a sum that overflows)"
            raise _error(title, "add", None, range_of(values), {}, None)

    def _counts(self, values: np.ndarray[Any, Any]) -> bool:
        """Whether the values hold what is looked for."""
        return bool(np.isnan(values).any()) if not self.inf else not is_finite(values)


def _several(g: Any) -> list[Any]:
    return [one for one in g if one is not None] if isinstance(g, list) else [g]  # pyright: ignore[reportUnknownVariableType]  # arrays of any library


def _locate(out: Any, start: int, line: Line) -> None:
    """Note the line in the nodes that were recorded since `start`."""
    if isinstance(out, (tuple, list)):
        for item in out:  # pyright: ignore[reportUnknownVariableType]  # arrays of any library
            _locate(item, start, line)
        return
    while isinstance(out, Tracked):
        node: Node | None = out.node  # pyright: ignore[reportUnknownMemberType]  # of any backend
        if node is not None and node.record is PICK and node.parents:
            node = node.parents[0]
        if node is not None and node.order < start and not isinstance(node.record, Located):
            node.record = Located(node.record, line)
        out = out.value  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # of any backend


def _saved(b: Any, node: Node) -> Callable[[], dict[str, Range]]:
    """The ranges of what a node saved, should they be asked for; backward frees it meanwhile."""
    saved, spec = node.saved, contract().get(node.record.name)

    def ranges() -> dict[str, Range]:
        if spec is None or not isinstance(saved, (tuple, list)):
            return {}
        names = saved_names(spec) if spec.name in RULES else [p.name for p in spec.params]
        several: list[Any] = made(saved)  # pyright: ignore[reportUnknownArgumentType]  # of any backend
        found: dict[str, Range] = {}
        for name, value in zip(names, several):
            if isinstance(value, float):
                found[name] = range_of(np.asarray(value))
            elif (hasattr(value, "shape") and hasattr(value, "dtype")) or isinstance(value, Tracked):
                values = host(b, value)
                if values is not None:
                    found["result" if name == "out" else name] = range_of(values)
        return found

    return ranges


def _error(
    title: str, op: str, argument: str | None, found: Range, operands: Mapping[str, Range], line: Line | None
) -> AnomalyError:
    if line is UNKNOWN or line is None:
        where = "the op ran outside of anomaly(): enter it before the forward pass to see the line"
        line = None
    else:
        where = f"called from {line}"
    rows = "".join(f"\n    {name}: {values}" for name, values in operands.items())
    advice = HINTS.get(op, ELSE)
    if any(r.nans for r in operands.values()):
        advice = "an operand holds NaN already: it came in with the data. Look where that was made"
    return AnomalyError(
        f"anomaly: {title} is not finite: {found}\n    {where}\n  Received:{rows or ' nothing that was kept'}"
        f"\n  Write instead: {advice}",
        op, argument, line, operands,
    )  # fmt: skip
